package dev.holdfast.webhook;

import dev.holdfast.testing.TestDatabase;

class PostgreSqlDeliveryIT extends DeliveryTests {
  PostgreSqlDeliveryIT() {
    super(TestDatabase.postgreSql());
  }
}
