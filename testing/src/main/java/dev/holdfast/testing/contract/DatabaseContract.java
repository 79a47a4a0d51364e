package dev.holdfast.testing.contract;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import dev.holdfast.transaction.Transactions;
import java.util.function.Function;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** What every contract stands on: a database, and an empty schema on it for each test. */
public abstract class DatabaseContract {
  private final TestDatabase database;
  private final Function<TestSchema, DataSource> pool;

  /** The schema of the running test. */
  protected TestSchema schema;

  /** Transactions on the pool of that schema. */
  protected Transactions transactions;

  DatabaseContract(TestDatabase database) {
    this(database, TestSchema::dataSource);
  }

  @SuppressWarnings("NullAway.Init")
  DatabaseContract(TestDatabase database, Function<TestSchema, DataSource> pool) {
    this.database = database;
    this.pool = pool;
  }

  @BeforeEach
  final void openSchema() {
    schema = database.newSchema();
    transactions = Transactions.on(pool.apply(schema));
  }

  @AfterEach
  final void dropSchema() {
    schema.close();
  }

  protected final TestDatabase database() {
    return database;
  }
}
