package dev.holdfast.testing.contract;

import dev.holdfast.Holdfast;
import dev.holdfast.cache.CacheStore;
import dev.holdfast.internal.lease.store.SqlLeaseStore;
import dev.holdfast.internal.sql.Dialect;
import dev.holdfast.lease.spi.LeaseStore;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.sql.Connection;
import java.sql.SQLException;

/** An empty place for cached values and the leases of those who load them, for one test. */
public interface CacheStoreFixture extends AutoCloseable {
  /** A store on it; each call stands for another process. */
  CacheStore open();

  /** Leases beside it; each call stands for another process. */
  LeaseStore openLeases();

  /** Whether changes are told to those who subscribe. */
  boolean tells();

  /** Forgets everything that the store keeps of values, as a restored or flushed one would. */
  void loseEverything();

  @Override
  void close();

  /** In the tables of a database. */
  static CacheStoreFixture on(TestDatabase database) {
    return new CacheStoreFixture() {
      private final TestSchema schema = migrated(database.newSchema());

      private Dialect dialect() {
        try (Connection connection = schema.dataSource().getConnection()) {
          return Dialect.of(connection);
        } catch (SQLException e) {
          throw new IllegalStateException(e);
        }
      }

      @Override
      public CacheStore open() {
        return CacheStore.in(schema.dataSource(), dialect(), null, 1);
      }

      @Override
      public LeaseStore openLeases() {
        return SqlLeaseStore.create(schema.dataSource(), dialect(), null, 1);
      }

      @Override
      public boolean tells() {
        return database.name().equals("PostgreSQL");
      }

      @Override
      public void loseEverything() {
        schema.execute("delete from holdfast_cache");
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
