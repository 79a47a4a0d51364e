package dev.holdfast.testing.contract;

import dev.holdfast.sql.Transactions;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** What every contract stands on: a database, and an empty schema on it for each test. */
abstract class DatabaseContract {
  private final TestDatabase database;

  /** The schema of the running test. */
  protected TestSchema schema;

  /** Transactions on the pool of that schema. */
  protected Transactions transactions;

  @SuppressWarnings("NullAway.Init")
  DatabaseContract(TestDatabase database) {
    this.database = database;
  }

  @BeforeEach
  final void openSchema() {
    schema = database.newSchema();
    transactions = Transactions.on(schema.dataSource());
  }

  @AfterEach
  final void dropSchema() {
    schema.close();
  }

  protected final TestDatabase database() {
    return database;
  }
}
