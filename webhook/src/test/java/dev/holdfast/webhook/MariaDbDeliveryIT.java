package dev.holdfast.webhook;

import dev.holdfast.testing.TestDatabase;

class MariaDbDeliveryIT extends DeliveryTests {
  MariaDbDeliveryIT() {
    super(TestDatabase.mariaDb());
  }
}
