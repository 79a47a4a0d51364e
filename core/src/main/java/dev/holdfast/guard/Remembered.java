package dev.holdfast.guard;

import dev.holdfast.sql.Dialect;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Facts about the tables of a database that need not be asked for each time. Asked again after a
 * minute, because tables change. Bounded. Thread-safe.
 */
final class Remembered<K, V> {
  /** Tests make many short-lived tables; a service has a few hundred. */
  private static final int MOST = 10_000;

  private static final long NANOS_REMEMBERED = TimeUnit.MINUTES.toNanos(1);

  private final Map<Place<K>, Fact<V>> facts = new ConcurrentHashMap<>();

  private record Fact<V>(V value, long since) {}

  /** A dialect is one per JDBC URL, and on H2, where databases are short-lived, per connection. */
  private record Place<K>(Dialect dialect, K key) {}

  Optional<V> get(Dialect dialect, K of) {
    Fact<V> fact = facts.get(new Place<>(dialect, of));
    return fact == null || System.nanoTime() - fact.since() > NANOS_REMEMBERED
        ? Optional.empty()
        : Optional.of(fact.value());
  }

  void put(Dialect dialect, K of, V fact) {
    if (facts.size() >= MOST) {
      facts.clear();
    }
    facts.put(new Place<>(dialect, of), new Fact<>(fact, System.nanoTime()));
  }
}
