package dev.holdfast.webhook;

import dev.holdfast.testing.TestDatabase;

class H2DeliveryIT extends DeliveryTests {
  H2DeliveryIT() {
    super(TestDatabase.h2());
  }
}
