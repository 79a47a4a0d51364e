package dev.holdfast.webhook;

import dev.holdfast.testing.TestDatabase;

class H2AttemptsIT extends AttemptTests {
  H2AttemptsIT() {
    super(TestDatabase.h2());
  }
}
