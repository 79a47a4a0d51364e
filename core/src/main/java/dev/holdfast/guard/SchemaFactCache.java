package dev.holdfast.guard;

import dev.holdfast.internal.sql.Dialect;
import dev.holdfast.internal.sql.SqlBuilder;
import dev.holdfast.transaction.Transaction;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Facts about the tables of a database that need not be asked for each time. Asked again after a
 * minute, because tables change, and for each schema that names without one mean. On PostgreSQL
 * that schema is not known without asking: there, one JDBC URL must stand for one {@code
 * search_path}. Bounded. Thread-safe.
 */
final class SchemaFactCache<K, V> {
  /** Tests make many short-lived tables; a service has a few hundred. */
  private static final int MAX = 10_000;

  private static final long NANOS_REMEMBERED = TimeUnit.MINUTES.toNanos(1);

  private final Map<Place<K>, Fact<V>> facts = new ConcurrentHashMap<>();

  private record Fact<V>(V value, long since) {}

  private final LongSupplier nanoTime;

  SchemaFactCache() {
    this(System::nanoTime);
  }

  SchemaFactCache(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** A dialect is one per JDBC URL, and on H2, where databases are short-lived, per connection. */
  private record Place<K>(Dialect dialect, @Nullable String schema, K key) {}

  Optional<V> get(Transaction tx, K of) {
    Fact<V> fact = facts.get(place(tx, of));
    return fact == null || nanoTime.getAsLong() - fact.since() > NANOS_REMEMBERED
        ? Optional.empty()
        : Optional.of(fact.value());
  }

  void put(Transaction tx, K of, V fact) {
    if (facts.size() >= MAX) {
      facts.clear();
    }
    facts.put(place(tx, of), new Fact<>(fact, nanoTime.getAsLong()));
  }

  private static <K> Place<K> place(Transaction tx, K of) {
    return new Place<>(tx.dialect(), schema(tx), of);
  }

  /** The schema that names without one mean; where that takes a statement to tell, none. */
  static @Nullable String schema(Transaction tx) {
    if (tx.dialect().insertsUnlessConflict()) {
      return null;
    }
    try {
      // what H2 calls a schema is a catalog to MariaDB and MySQL
      return tx.connection().getMetaData().supportsSchemasInDataManipulation()
          ? tx.connection().getSchema()
          : tx.connection().getCatalog();
    } catch (SQLException e) {
      throw SqlBuilder.failed(tx, "reading the current schema", e);
    }
  }
}
