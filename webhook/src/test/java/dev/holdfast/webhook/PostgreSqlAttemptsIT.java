package dev.holdfast.webhook;

import dev.holdfast.testing.TestDatabase;

class PostgreSqlAttemptsIT extends AttemptTests {
  PostgreSqlAttemptsIT() {
    super(TestDatabase.postgreSql());
  }
}
