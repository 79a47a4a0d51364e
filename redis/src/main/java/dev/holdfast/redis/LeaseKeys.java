package dev.holdfast.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.LeaseKind;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a lease in Redis, all in one slot: {@code prefix:lease:{e:name}} and the like.
 *
 * <p>What Redis hashes is between the first { and the next }, and everything where nothing is
 * between. The letter of the kind makes sure that something is, also for a name that begins with }.
 */
final class LeaseKeys {
  private static final char[] LETTERS = {'e', 'r', 's'};
  private static final LeaseKind[] KINDS = {
    LeaseKind.EXCLUSIVE, LeaseKind.READ_WRITE, LeaseKind.SEMAPHORE
  };

  private final String prefix;
  private final byte[][] states = new byte[KINDS.length][];
  private final byte[][] queues = new byte[KINDS.length][];
  private final byte[][] thirds = new byte[KINDS.length][];

  LeaseKeys(String prefix) {
    this.prefix = prefix;
    for (LeaseKind kind : KINDS) {
      int i = index(kind);
      String tag = ":{" + LETTERS[i] + ":";
      states[i] = (prefix + ":lease" + tag).getBytes(UTF_8);
      queues[i] = (prefix + ":lease-queue" + tag).getBytes(UTF_8);
      String third = kind == LeaseKind.EXCLUSIVE ? ":lease-waiters" : ":lease-ends";
      thirds[i] = (prefix + third + tag).getBytes(UTF_8);
    }
  }

  /** The keys of one lease. */
  static final class Of {
    final byte[] state;
    final byte[] queue;

    /** Those who wait, or the ends where it is shared. */
    final byte[] third;

    private Of(byte[] state, byte[] queue, byte[] third) {
      this.state = state;
      this.queue = queue;
      this.third = third;
    }
  }

  Of of(LeaseKey key) {
    int i = index(key.kind());
    byte[] name = key.name().getBytes(UTF_8);
    return new Of(join(states[i], name), join(queues[i], name), join(thirds[i], name));
  }

  byte[] channel() {
    return (prefix + ":lease-news").getBytes(UTF_8);
  }

  /** A pattern of the states of a kind whose names begin with this. */
  byte[] pattern(LeaseKind kind, String namePrefix) {
    String quoted = namePrefix.replaceAll("([\\\\*?\\[\\]])", "\\\\$1");
    return (new String(states[index(kind)], UTF_8) + quoted + "*").getBytes(UTF_8);
  }

  /** The lease that has this state; null where it is none. */
  @Nullable LeaseKey parse(byte[] key, int from) {
    for (int i = 0; i < KINDS.length; i++) {
      int start = from + states[i].length;
      int end = key.length - 1;
      if (end > start
          && key[end] == '}'
          && Arrays.equals(key, from, start, states[i], 0, states[i].length)) {
        return new LeaseKey(KINDS[i], new String(key, start, end - start, UTF_8));
      }
    }
    return null;
  }

  private static int index(LeaseKind kind) {
    return switch (kind) {
      case EXCLUSIVE -> 0;
      case READ_WRITE -> 1;
      case SEMAPHORE -> 2;
    };
  }

  private static byte[] join(byte[] start, byte[] name) {
    byte[] key = Arrays.copyOf(start, start.length + name.length + 1);
    System.arraycopy(name, 0, key, start.length, name.length);
    key[key.length - 1] = '}';
    return key;
  }
}
