package dev.holdfast.testing.contract;

import dev.holdfast.Holdfast;
import dev.holdfast.internal.lease.store.SqlLeaseStore;
import dev.holdfast.internal.sql.Dialect;
import dev.holdfast.lease.spi.LeaseStore;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.sql.Connection;
import java.sql.SQLException;

/** An empty place for leases, for one test. */
public interface LeaseStoreFixture extends AutoCloseable {
  /** A store on it; each call stands for another process. */
  LeaseStore open();

  /** Whether releases are told to those who subscribe. */
  boolean tells();

  /** Forgets everything that the store keeps about leases, as a restored or flushed one would. */
  void loseEverything();

  @Override
  void close();

  /** In the tables of a database. */
  static LeaseStoreFixture on(TestDatabase database) {
    return new LeaseStoreFixture() {
      private final TestSchema schema = migrated(database.newSchema());

      @Override
      public LeaseStore open() {
        try (Connection connection = schema.dataSource().getConnection()) {
          return SqlLeaseStore.create(schema.dataSource(), Dialect.of(connection), null, 1);
        } catch (SQLException e) {
          throw new IllegalStateException(e);
        }
      }

      @Override
      public boolean tells() {
        return database.name().equals("PostgreSQL");
      }

      @Override
      public void loseEverything() {
        schema.execute("delete from holdfast_lease_entry", "delete from holdfast_lease");
      }

      @Override
      public void close() {
        schema.close();
      }
    };
  }

  private static TestSchema migrated(TestSchema schema) {
    Holdfast.create(schema.dataSource()).migrations().migrate();
    return schema;
  }
}
