package dev.holdfast.webhook;

import dev.holdfast.testing.TestDatabase;

class MariaDbAttemptsIT extends AttemptsTests {
  MariaDbAttemptsIT() {
    super(TestDatabase.mariaDb());
  }
}
