package dev.holdfast.redis;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * In which life of Redis this process has looked at names without an invalidation. After a flush
 * Redis has another one, and an invalidation may have been lost with the first: what was loaded
 * since a look before it must not be stored.
 *
 * <p>Of several looks at a name the first one counts, until something was stored: it may be that of
 * the load. Those of 10,000 names are remembered. Thread-safe.
 */
final class CacheLives {
  private static final int MAX = 10_000;

  /** Any will do. */
  static final byte[] ANY = {};

  private final Map<String, byte[]> lives =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, byte[]> eldest) {
          return size() > MAX;
        }
      };

  synchronized void looked(String name, byte[] life) {
    lives.putIfAbsent(name, life);
  }

  /** The one to store it in, which is forgotten. */
  synchronized byte[] take(String name) {
    byte @Nullable [] life = lives.remove(name);
    return life == null ? ANY : life;
  }
}
