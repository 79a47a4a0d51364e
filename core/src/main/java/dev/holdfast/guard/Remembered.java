package dev.holdfast.guard;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Facts about the tables behind a JDBC URL that need not be asked for each time. Asked again after
 * a minute, because tables change. Bounded. Thread-safe.
 */
final class Remembered<K, V> {
  /** Tests make many short-lived tables; a service has a few hundred. */
  private static final int MOST = 10_000;

  private static final long NANOS_REMEMBERED = TimeUnit.MINUTES.toNanos(1);

  private final Map<Place<K>, Fact<V>> facts = new ConcurrentHashMap<>();

  private record Fact<V>(V value, long since) {}

  private record Place<K>(String url, K key) {}

  Optional<V> get(Connection connection, K of) throws SQLException {
    String url = url(connection);
    Fact<V> fact = url == null ? null : facts.get(new Place<>(url, of));
    return fact == null || System.nanoTime() - fact.since() > NANOS_REMEMBERED
        ? Optional.empty()
        : Optional.of(fact.value());
  }

  void put(Connection connection, K of, V fact) throws SQLException {
    String url = url(connection);
    if (url != null) {
      if (facts.size() >= MOST) {
        facts.clear();
      }
      facts.put(new Place<>(url, of), new Fact<>(fact, System.nanoTime()));
    }
  }

  private static @Nullable String url(Connection connection) throws SQLException {
    String url = connection.getMetaData().getURL();
    // in memory the same URL may lead to another database a moment later
    return url == null || url.startsWith("jdbc:h2:mem:") ? null : url;
  }
}
