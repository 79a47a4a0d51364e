package dev.holdfast.webhook;

import dev.holdfast.testing.TestDatabase;

class H2AttemptsIT extends AttemptsTests {
  H2AttemptsIT() {
    super(TestDatabase.h2());
  }
}
