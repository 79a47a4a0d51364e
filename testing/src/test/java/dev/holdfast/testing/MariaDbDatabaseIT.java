package dev.holdfast.testing;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MariaDbDatabaseIT extends TestDatabaseContract {

  @Override
  TestDatabase database() {
    return TestDatabase.mariaDb();
  }

  @Override
  String version() {
    return "11.4.5";
  }

  @Override
  boolean exists(TestSchema dropped) {
    try (TestSchema other = database().newSchema()) {
      return other.count(
              "select count(*) from information_schema.schemata where schema_name = '"
                  + dropped.name()
                  + "'")
          > 0;
    }
  }

  @Test
  void threeHundredConnectionsAreAllowed() {
    try (TestSchema schema = database().newSchema()) {
      assertThat(schema.count("select @@max_connections")).isEqualTo(300);
    }
  }
}
