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

  static Stream<Arguments> servers() {
    try (TestSchema postgreSql = TestDatabase.postgreSql().newSchema();
        TestSchema mariaDb = TestDatabase.mariaDb().newSchema()) {
      ServerAddress mariaDbServer =
          new ServerAddress(
              mariaDb.url().replaceFirst(mariaDb.name() + ".*", ""),
              mariaDb.user(),
              mariaDb.password());
      return Stream.of(
          Arguments.of("postgresql", server(postgreSql)),
          Arguments.of("mariadb", mariaDbServer),
          Arguments.of("mysql", mariaDbServer),
          Arguments.of("h2", new ServerAddress("jdbc:h2:mem:given;DB_CLOSE_DELAY=-1", "", "")),
          Arguments.of("redis", new ServerAddress(TestRedis.uri().toString(), "", "")));
    }
  }

  @ParameterizedTest
  @MethodSource("servers")
  void aServerGivenBySystemPropertyIsUsed(String kind, ServerAddress server) throws IOException {
    try (ForkedJvm jvm = ForkedJvm.start(SchemaMain.class, properties(kind, server), kind)) {
      assertThat(jvm.line()).startsWith(server.url());
      assertThat(jvm.line()).as("processes started").isEqualTo("0");
    }
  }

  @ParameterizedTest
  @MethodSource("servers")
  void aServerGivenByEnvironmentIsUsed(String kind, ServerAddress server) throws IOException {
    String prefix = "HOLDFAST_TEST_" + kind.toUpperCase(Locale.ROOT);
    Map<String, String> environment =
        Map.of(
            prefix + "_URL", server.url(),
            prefix + "_USER", server.user(),
            prefix + "_PASSWORD", server.password());
    try (ForkedJvm jvm = ForkedJvm.start(SchemaMain.class, Map.of(), environment, kind)) {
      assertThat(jvm.line()).startsWith(server.url());
      assertThat(jvm.line()).as("processes started").isEqualTo("0");
    }
  }

  @Test
  void createsSchemaOnGivenServer() throws IOException {
    try (TestSchema here = TestDatabase.postgreSql().newSchema();
        ForkedJvm jvm =
            ForkedJvm.start(
                SchemaMain.class, properties("postgresql", server(here)), "postgresql")) {
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

  private static ServerAddress server(TestSchema postgreSql) {
    return new ServerAddress(
        postgreSql.url().replaceFirst("[?&]currentSchema=.*", ""),
        postgreSql.user(),
        postgreSql.password());
  }

  private static Map<String, String> properties(String kind, ServerAddress server) {
    String prefix = "holdfast.test." + kind;
    return Map.of(
        prefix + ".url", server.url(),
        prefix + ".user", server.user(),
        prefix + ".password", server.password());
  }
}
