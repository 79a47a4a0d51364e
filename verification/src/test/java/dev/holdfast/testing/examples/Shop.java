package dev.holdfast.testing.examples;

import dev.holdfast.Holdfast;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import dev.holdfast.transaction.Transactions;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;

/** A small shop on PostgreSQL that the examples happen in. */
abstract class Shop {
  protected final TestSchema schema = TestDatabase.postgreSql().newSchema();
  protected final Holdfast holdfast;
  protected final Transactions transactions;

  Shop() {
    DataSource dataSource = schema.dataSource(8);
    holdfast = Holdfast.create(dataSource);
    transactions = holdfast.transactions();
  }

  @AfterEach
  void closeTheShop() {
    schema.close();
  }
}
