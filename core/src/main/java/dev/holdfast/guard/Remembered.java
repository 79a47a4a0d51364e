package dev.holdfast.guard;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Facts about the tables behind a JDBC URL that need not be asked for each time. Bounded.
 * Thread-safe.
 */
final class Remembered<K, V> {
  /** Tests make many short-lived tables; a service has a few hundred. */
  private static final int MOST = 10_000;

  private final Map<Place<K>, V> facts = new ConcurrentHashMap<>();

  private record Place<K>(String url, K key) {}

  Optional<V> get(Connection connection, K of) throws SQLException {
    String url = url(connection);
    return url == null ? Optional.empty() : Optional.ofNullable(facts.get(new Place<>(url, of)));
  }

  void put(Connection connection, K of, V fact) throws SQLException {
    String url = url(connection);
    if (url != null) {
      if (facts.size() >= MOST) {
        facts.clear();
      }
      facts.put(new Place<>(url, of), fact);
    }
  }

  private static @Nullable String url(Connection connection) throws SQLException {
    String url = connection.getMetaData().getURL();
    // in memory the same URL may lead to another database a moment later
    return url == null || url.startsWith("jdbc:h2:mem:") ? null : url;
  }
}
