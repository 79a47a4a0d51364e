package dev.holdfast.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a cached value in Redis: {@code prefix:cache:{c:name}} for its state, of which the
 * scripts make the others by adding to its end, so that all are in one slot.
 *
 * <p>What Redis hashes is between the first { and the next }, and everything where nothing is
 * between. The c makes sure that something is, also for a name that begins with }.
 */
final class CacheKeys {
  private final byte[] channel;
  private final byte[] start;

  CacheKeys(String prefix) {
    channel = (prefix + ":cache:news").getBytes(UTF_8);
    start = (prefix + ":cache:{c:").getBytes(UTF_8);
  }

  byte[] state(String name) {
    byte[] bytes = name.getBytes(UTF_8);
    byte[] state = Arrays.copyOf(start, start.length + bytes.length + 1);
    System.arraycopy(bytes, 0, state, start.length, bytes.length);
    state[state.length - 1] = '}';
    return state;
  }

  /** The scripts make it of the state, too. */
  byte[] channel() {
    return channel;
  }

  /** The name that has this state; null where it is none. */
  @Nullable String parse(byte[] key, int from) {
    int begin = from + start.length;
    int end = key.length - 1;
    return end > begin
            && key[end] == '}'
            && Arrays.equals(key, from, begin, start, 0, start.length)
        ? new String(key, begin, end - begin, UTF_8)
        : null;
  }
}
