package dev.holdfast.webhook;

import dev.holdfast.testing.TestDatabase;

class PostgreSqlAttemptsIT extends AttemptsTests {
  PostgreSqlAttemptsIT() {
    super(TestDatabase.postgreSql());
  }
}
