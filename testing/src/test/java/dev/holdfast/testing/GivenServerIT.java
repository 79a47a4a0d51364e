package dev.holdfast.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(120)
class GivenServerIT {

  /** What is given, and what the URL of a schema then begins with. */
  static Stream<Arguments> servers() {
    try (TestSchema postgreSql = TestDatabase.postgreSql().newSchema();
        TestSchema mariaDb = TestDatabase.mariaDb().newSchema()) {
      String mariaDbServer = mariaDb.url().replace(mariaDb.name(), "");
      return Stream.of(
          server("postgresql", postgreSql.url().replaceFirst("\\?.*", ""), "postgres"),
          server("mariadb", mariaDbServer, "root"),
          server("mysql", mariaDbServer, "root"),
          server("h2", "jdbc:h2:mem:given;DB_CLOSE_DELAY=-1", ""),
          server("redis", TestRedis.uri().toString(), ""));
    }
  }

  private static Arguments server(String kind, String url, String user) {
    return Arguments.of(kind, url, user);
  }

  @ParameterizedTest
  @MethodSource("servers")
  void aServerGivenBySystemPropertyIsUsed(String kind, String url, String user) throws IOException {
    String prefix = "holdfast.test." + kind;
    try (ForkedJvm jvm =
        ForkedJvm.start(
            SchemaMain.class, Map.of(prefix + ".url", url, prefix + ".user", user), kind)) {
      assertThat(jvm.line()).startsWith(url);
      assertThat(jvm.line()).as("processes started").isEqualTo("0");
    }
  }

  @ParameterizedTest
  @MethodSource("servers")
  void aServerGivenByEnvironmentIsUsed(String kind, String url, String user) throws IOException {
    String prefix = "HOLDFAST_TEST_" + kind.toUpperCase(Locale.ROOT);
    try (ForkedJvm jvm =
        ForkedJvm.start(
            SchemaMain.class,
            Map.of(),
            Map.of(prefix + "_URL", url, prefix + "_USER", user),
            kind)) {
      assertThat(jvm.line()).startsWith(url);
      assertThat(jvm.line()).as("processes started").isEqualTo("0");
    }
  }

  @Test
  void theSchemaOfAGivenServerIsReallyMadeThere() throws IOException {
    try (TestSchema here = TestDatabase.postgreSql().newSchema();
        ForkedJvm jvm =
            ForkedJvm.start(
                SchemaMain.class,
                Map.of(
                    "holdfast.test.postgresql.url", here.url().replaceFirst("\\?.*", ""),
                    "holdfast.test.postgresql.user", here.user()),
                "postgresql")) {
      String schema = jvm.line().replaceFirst(".*currentSchema=", "");

      assertThat(here.count("select count(*) from pg_namespace where nspname = '" + schema + "'"))
          .isEqualTo(1);
      here.execute("drop schema " + schema);
    }
  }

  @Test
  void withoutAMySqlItsTestsAreSkippedAndSaySo() {
    assumeTrue(ServerAddress.given("mysql").isEmpty());

    assertThatThrownBy(TestDatabase::mySql)
        .satisfies(e -> assertThat(e.getClass().getSimpleName()).isEqualTo("TestAbortedException"))
        .hasMessageContaining("-Dholdfast.test.mysql.url")
        .hasMessageContaining("HOLDFAST_TEST_MYSQL_URL");
  }
}
