package dev.holdfast.redis;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The epoch of Redis in which this process has read each name. A flush starts a new epoch and may
 * lose an invalidation, so a value that was loaded after a read in an older epoch must not be
 * stored.
 *
 * <p>Of several reads of a name the first one counts until a value is stored, because the load may
 * have started then. The epochs of 10,000 names are remembered. Thread-safe.
 */
final class CacheEpochs {
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
