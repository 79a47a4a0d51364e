package dev.holdfast.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.transaction.DatabaseException;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class DialectDetectorTest {
  @Test
  void acceptsPostgreSqlAndWhatIsBuiltOnIt() {
    accepts(
        DialectDetector::postgreSql, "PostgreSQL 14.0 on x86_64-pc-linux-gnu", "PostgreSQL 14.0");
    accepts(
        DialectDetector::postgreSql,
        "PostgreSQL 18.6 on x86_64, compiled by gcc",
        "PostgreSQL 18.6");
    accepts(
        DialectDetector::postgreSql, "PostgreSQL 19beta1 on aarch64-apple-darwin", "PostgreSQL 19");
    accepts(
        DialectDetector::postgreSql,
        "PostgreSQL 16.1 (Debian 16.1-1.pgdg120+1) on x86_64-pc-linux-gnu",
        "PostgreSQL 16.1");
    // Aurora
    accepts(
        DialectDetector::postgreSql,
        "PostgreSQL 15.4 on x86_64-pc-linux-gnu, compiled by x86_64-pc-linux-gnu-gcc (GCC) 9.5.0",
        "PostgreSQL 15.4");
  }

  @Test
  void rejectsOldOrCompatiblePostgreSqlServers() {
    refuses(DialectDetector::postgreSql, "PostgreSQL 13.14 on x86_64-pc-linux-gnu");
    refuses(DialectDetector::postgreSql, "PostgreSQL 9.6.24 on x86_64-pc-linux-gnu");
    refuses(
        DialectDetector::postgreSql, "CockroachDB CCL v23.1.11 (x86_64-pc-linux-gnu, go1.19.13)");
    refuses(DialectDetector::postgreSql, "PostgreSQL 11.2-YB-2.18.0.0-b0 on x86_64-pc-linux-gnu");
    refuses(
        DialectDetector::postgreSql, "PostgreSQL 15.2-YB-2025.1.0.0-b168 on x86_64-pc-linux-gnu");
    refuses(
        DialectDetector::postgreSql,
        "PostgreSQL 8.0.2 on i686-pc-linux-gnu, compiled by GCC gcc, Redshift 1.0.12103");
    refuses(DialectDetector::postgreSql, "PostgreSQL 14.4 (Apache Cloudberry 2.0.0) on x86_64");
    refuses(DialectDetector::postgreSql, "PostgreSQL 12.12 (Greenplum Database 7.0.0) on x86_64");
    refuses(DialectDetector::postgreSql, "CrateDB 5.6.0");
    refuses(DialectDetector::postgreSql, "");
  }

  @Test
  void acceptsMariaDbMySqlAndTheirBuilds() {
    accepts(DialectDetector::mySql, "11.4.5-MariaDB-log", "MariaDB 11.4");
    accepts(DialectDetector::mySql, "10.6.0-MariaDB", "MariaDB 10.6");
    accepts(DialectDetector::mySql, "10.11.6-MariaDB-0+deb12u1", "MariaDB 10.11");
    accepts(DialectDetector::mySql, "5.5.5-10.6.12-MariaDB-log", "MariaDB 10.6");
    accepts(DialectDetector::mySql, "8.0.36", "MySQL 8.0");
    accepts(DialectDetector::mySql, "8.4.3-google", "MySQL 8.4");
    accepts(DialectDetector::mySql, "9.1.0", "MySQL 9.1");
    accepts(DialectDetector::mySql, "8.0.35-27", "MySQL 8.0"); // Percona
    accepts(DialectDetector::mySql, "8.0.mysql_aurora.3.04.0", "MySQL 8.0");
  }

  @Test
  void rejectsOldOrCompatibleMySqlServers() {
    refuses(DialectDetector::mySql, "5.7.44-log");
    refuses(DialectDetector::mySql, "5.6.10");
    refuses(DialectDetector::mySql, "10.3.39-MariaDB-0ubuntu0.20.04.2");
    refuses(DialectDetector::mySql, "10.5.23-MariaDB");
    refuses(DialectDetector::mySql, "5.5.5-10.3.39-MariaDB-log");
    refuses(DialectDetector::mySql, "5.7.25-OceanBase-v4.2.1.0");
    refuses(DialectDetector::mySql, "8.0.11-TiDB-v7.5.0");
    refuses(DialectDetector::mySql, "unknown");
  }

  @Test
  void acceptsH2FromTwoTwoOn() {
    Function<String, Dialect> h2 =
        version -> DialectDetector.h2(version, SqlIdentifiers.Folding.UPPER);
    accepts(h2, "2.2.220 (2023-07-04)", "H2 2.2");
    accepts(h2, "2.4.240 (2025-09-22)", "H2 2.4");
    refuses(h2, "2.1.214 (2022-06-13)");
    refuses(h2, "1.4.200 (2019-10-14)");
  }

  @Test
  void knowsMariaDbFromMySql() {
    assertThat(DialectDetector.mySql("11.4.5-MariaDB").insertReturnsRow()).isTrue();
    assertThat(DialectDetector.mySql("8.0.36").insertReturnsRow()).isFalse();
  }

  private static void accepts(Function<String, Dialect> detector, String version, String product) {
    assertThat(detector.apply(version).product()).as(version).isEqualTo(product);
  }

  private static void refuses(Function<String, Dialect> detector, String version) {
    assertThatThrownBy(() -> detector.apply(version))
        .as(version)
        .isInstanceOf(DatabaseException.class)
        .hasMessageContainingAll(
            "PostgreSQL 14+", "MariaDB 10.6+", "MySQL 8.0+", "H2 2.2+", version);
  }

  @Test
  void aServerThatCutsAmountsSilentlyIsRefused() {
    Dialect mariaDb = DialectDetector.mySql("11.4.5-MariaDB");

    DialectDetector.requireStrict(mariaDb, "STRICT_TRANS_TABLES,NO_ZERO_DATE");
    assertThatThrownBy(() -> DialectDetector.requireStrict(mariaDb, "NO_ZERO_DATE"))
        .isInstanceOf(DatabaseException.class)
        .hasMessageContaining("STRICT_TRANS_TABLES");
  }
}
