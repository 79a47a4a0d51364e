package dev.holdfast.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PostgreSqlDatabaseIT extends TestDatabaseContract {

  @Override
  TestDatabase database() {
    return TestDatabase.postgreSql();
  }

  @Override
  String version() {
    return "18.6";
  }

  @Override
  boolean exists(TestSchema dropped) {
    try (TestSchema other = database().newSchema()) {
      return other.count(
              "select count(*) from pg_namespace where nspname = '" + dropped.name() + "'")
          > 0;
    }
  }

  @Test
  void threeHundredConnectionsAreAllowed() {
    try (TestSchema schema = database().newSchema()) {
      assertThat(show(schema, "max_connections")).isEqualTo("300");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"fsync", "synchronous_commit", "full_page_writes"})
  void durabilityIsOffForTestsAndOnForMeasuring(String setting) {
    try (TestSchema fast = TestDatabase.postgreSql().newSchema();
        TestSchema durable = TestDatabase.durablePostgreSql().newSchema()) {
      assertThat(show(fast, setting)).isEqualTo("off");
      assertThat(show(durable, setting)).isEqualTo("on");
    }
  }

  @Test
  void theDurableServerHasRoomForMeasuring() {
    try (TestSchema durable = TestDatabase.durablePostgreSql().newSchema()) {
      assertThat(show(durable, "shared_buffers")).isEqualTo("128MB");
      assertThat(show(durable, "max_wal_size")).isEqualTo("4GB");
      assertThat(show(durable, "max_connections")).isEqualTo("300");
    }
  }

  private static Object show(TestSchema schema, String setting) {
    List<Map<String, Object>> rows = schema.query("show " + setting);
    return rows.get(0).values().iterator().next();
  }
}
