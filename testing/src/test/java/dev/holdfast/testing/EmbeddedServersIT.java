package dev.holdfast.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What holds for the embedded servers only, each skipped where another server is given. */
class EmbeddedServersIT {

  @Test
  void versionsAreTheNewestThatHaveBinaries() throws SQLException {
    assertThat(version("postgresql", TestDatabase.postgreSql())).startsWith("18.6");
    assertThat(version("mariadb", TestDatabase.mariaDb())).startsWith("11.4.5");
    assertThat(version("h2", TestDatabase.h2())).startsWith("2.4.240");
  }

  @Test
  void postgreSqlAllowsThreeHundredConnections() {
    assertThat(show(TestDatabase.postgreSql(), "max_connections")).isEqualTo("300");
    assertThat(show(TestDatabase.durablePostgreSql(), "max_connections")).isEqualTo("300");
  }

  @Test
  void mariaDbAllowsThreeHundredConnections() {
    assumeEmbedded("mariadb");
    try (TestSchema schema = TestDatabase.mariaDb().newSchema()) {
      assertThat(schema.count("select @@max_connections")).isEqualTo(300);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"fsync", "synchronous_commit", "full_page_writes"})
  void disablesDurabilityForTestsOnly(String setting) {
    assertThat(show(TestDatabase.postgreSql(), setting)).isEqualTo("off");
    assertThat(show(TestDatabase.durablePostgreSql(), setting)).isEqualTo("on");
  }

  @Test
  void theDurableServerHasRoomForMeasuring() {
    assertThat(show(TestDatabase.durablePostgreSql(), "shared_buffers")).isEqualTo("128MB");
    assertThat(show(TestDatabase.durablePostgreSql(), "max_wal_size")).isEqualTo("4GB");
  }

  private static String version(String kind, TestDatabase database) throws SQLException {
    assumeEmbedded(kind);
    try (TestSchema schema = database.newSchema();
        Connection connection = schema.unpooled().getConnection()) {
      return connection.getMetaData().getDatabaseProductVersion();
    }
  }

  private static @Nullable Object show(TestDatabase postgreSql, String setting) {
    assumeEmbedded("postgresql");
    try (TestSchema schema = postgreSql.newSchema()) {
      return schema.query("show " + setting).get(0).get(setting);
    }
  }

  private static void assumeEmbedded(String kind) {
    assumeTrue(ServerAddress.given(kind).isEmpty());
  }
}
