package dev.holdfast.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a cached value in Redis: {@code prefix:cache:{17}{name}} for its state, of which the
 * scripts make the others by adding to its end, and that of the life by taking from it.
 *
 * <p>What Redis hashes is between the first { and the next }: a number below 1024 that is made of
 * the name. So all keys of a name are in one slot, together with a life that they share with few
 * enough other names for a cluster to be used evenly.
 */
final class CacheKeys {
  private static final int GROUPS = 1024;

  private final String prefix;

  CacheKeys(String prefix) {
    this.prefix = prefix + ":cache:";
  }

  byte[] state(String name) {
    byte[] bytes = name.getBytes(UTF_8);
    byte[] start = start(bytes);
    byte[] state = Arrays.copyOf(start, start.length + bytes.length + 1);
    System.arraycopy(bytes, 0, state, start.length, bytes.length);
    state[state.length - 1] = '}';
    return state;
  }

  private byte[] start(byte[] name) {
    return (prefix + "{" + checksum(name) % GROUPS + "}{").getBytes(UTF_8);
  }

  /** The same in every process and every version. */
  private static long checksum(byte[] name) {
    CRC32C checksum = new CRC32C();
    checksum.update(name);
    return checksum.getValue();
  }

  /** The scripts make it of the state, too. */
  byte[] channel() {
    return (prefix + "news").getBytes(UTF_8);
  }

  /** The name that has this state; null where it is none. */
  @Nullable String parse(byte[] key, int from) {
    String text = from > key.length ? "" : new String(key, from, key.length - from, UTF_8);
    int begin = text.indexOf("}{") + 2;
    if (!text.startsWith(prefix + "{") || begin < 2 || begin >= text.length() - 1) {
      return null;
    }
    return text.endsWith("}") ? text.substring(begin, text.length() - 1) : null;
  }
}
