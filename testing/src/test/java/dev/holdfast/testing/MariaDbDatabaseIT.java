package dev.holdfast.testing;

class MariaDbDatabaseIT extends TestDatabaseContract {

  @Override
  TestDatabase database() {
    return TestDatabase.mariaDb();
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
}
