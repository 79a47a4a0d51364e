package dev.holdfast.webhook;

import dev.holdfast.testing.TestDatabase;

class MariaDbAttemptsIT extends AttemptTests {
  MariaDbAttemptsIT() {
    super(TestDatabase.mariaDb());
  }
}
