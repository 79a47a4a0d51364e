package dev.holdfast.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.holdfast.lease.LeaseKey;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a lease in Redis: {@code prefix:lease:{e:name}} for its state, of which the scripts
 * make the others by adding to its end. So all are in one slot, and a call sends one key only,
 * which is the faster.
 *
 * <p>What Redis hashes is between the first { and the next }, and everything where nothing is
 * between. The letter of the kind makes sure that something is, also for a name that begins with }.
 */
final class LeaseKeys {
  private static final char[] LETTERS = {'e', 'r', 's'};
  private static final LeaseKey.Kind[] KINDS = {
    LeaseKey.Kind.EXCLUSIVE, LeaseKey.Kind.READ_WRITE, LeaseKey.Kind.SEMAPHORE
  };

  private final String prefix;
  private final byte[][] states = new byte[KINDS.length][];

  LeaseKeys(String prefix) {
    this.prefix = prefix + ":lease:";
    for (int i = 0; i < KINDS.length; i++) {
      states[i] = (this.prefix + "{" + LETTERS[i] + ":").getBytes(UTF_8);
    }
  }

  byte[] state(LeaseKey key) {
    byte[] start = states[index(key.kind())];
    byte[] name = key.name().getBytes(UTF_8);
    byte[] state = Arrays.copyOf(start, start.length + name.length + 1);
    System.arraycopy(name, 0, state, start.length, name.length);
    state[state.length - 1] = '}';
    return state;
  }

  /** The scripts make it of the state, too. */
  byte[] channel() {
    return (prefix + "news").getBytes(UTF_8);
  }

  /** A pattern of the states of a kind whose names begin with this. */
  byte[] pattern(LeaseKey.Kind kind, String namePrefix) {
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

  private static int index(LeaseKey.Kind kind) {
    return switch (kind) {
      case EXCLUSIVE -> 0;
      case READ_WRITE -> 1;
      case SEMAPHORE -> 2;
    };
  }
}
