package dev.holdfast.testing.contract;

import dev.holdfast.Holdfast;
import dev.holdfast.idempotency.spi.IdempotencyStore;
import dev.holdfast.internal.idempotency.store.SqlIdempotencyStore;
import dev.holdfast.internal.sql.Dialect;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.sql.Connection;
import java.sql.SQLException;

/** An empty place for idempotency records, for one test. */
public interface IdempotencyStoreFixture extends AutoCloseable {
  /** A store on it; each call stands for another process. */
  IdempotencyStore open();

  /**
   * Whether its records can be written in the transactions of a database: then {@link #open}
   * answers a {@link dev.holdfast.internal.idempotency.store.SqlIdempotencyStore}.
   */
  boolean transactional();

  /** Whether records whose retention is over vanish by themselves, and need no clean-up. */
  default boolean deletesByItself() {
    return false;
  }

  @Override
  void close();

  /** In the tables of a database, in a schema of its own. */
  static IdempotencyStoreFixture on(TestDatabase database) {
    return in(database.newSchema());
  }

  /** In the tables of a schema, which are made now. Closing it closes the schema. */
  static IdempotencyStoreFixture in(TestSchema schema) {
    Holdfast.create(schema.dataSource()).migrations().migrate();
    return new IdempotencyStoreFixture() {
      @Override
      public IdempotencyStore open() {
        try (Connection connection = schema.dataSource().getConnection()) {
          return SqlIdempotencyStore.create(schema.dataSource(), Dialect.of(connection), null, 1);
        } catch (SQLException e) {
          throw new IllegalStateException(e);
        }
      }

      @Override
      public boolean transactional() {
        return true;
      }

      @Override
      public void close() {
        schema.close();
      }
    };
  }
}
