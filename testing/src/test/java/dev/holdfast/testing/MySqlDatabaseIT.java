package dev.holdfast.testing;

/** Skipped unless a MySQL server is given. */
class MySqlDatabaseIT extends TestDatabaseContract {

  @Override
  TestDatabase database() {
    return TestDatabase.mySql();
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
