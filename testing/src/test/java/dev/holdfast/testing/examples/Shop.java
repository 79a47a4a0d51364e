package dev.holdfast.testing.examples;

import dev.holdfast.Holdfast;
import dev.holdfast.sql.Transactions;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import org.junit.jupiter.api.AfterEach;

/** A small shop on PostgreSQL that the examples happen in. */
abstract class Shop {
  protected final TestSchema schema = TestDatabase.postgreSql().newSchema();
  protected final Holdfast holdfast = Holdfast.using(schema.dataSource(8));
  protected final Transactions transactions = holdfast.transactions();

  @AfterEach
  void closeTheShop() {
    schema.close();
  }
}
