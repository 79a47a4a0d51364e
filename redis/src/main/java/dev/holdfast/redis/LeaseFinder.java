package dev.holdfast.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.LeaseRecord;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.RedisException;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Lists leases for operators. */
final class LeaseFinder {
  private static final int AT_ONCE = 1000;

  private final RedisConnections link;
  private final LeaseKeys keys;
  private final Duration timeout;

  LeaseFinder(RedisConnections link, LeaseKeys keys, Duration timeout) {
    this.link = link;
    this.keys = keys;
    this.timeout = timeout;
  }

  /** One lease; null where nothing is known of it. */
  @Nullable LeaseRecord at(LeaseKey key) {
    Script script = key.kind() == LeaseKey.Kind.EXCLUSIVE ? Script.LOOK : Script.LOOK_SHARED;
    ScriptCall call =
        new ScriptCall(
            script,
            "looking for the lease",
            key,
            keys.state(key),
            args -> {},
            RedisErrors.OF_LEASES);
    List<Object> answer = call.list(link.shared(), timeout);
    // nothing comes as no list, or as one with nothing in it
    return answer == null || answer.size() < 2 ? null : leaseRecord(key, answer);
  }

  List<LeaseRecord> list(String prefix, @Nullable LeaseKey after, int most) {
    List<LeaseRecord> found = new ArrayList<>();
    for (LeaseKey key : scan(prefix)) {
      if (found.size() >= most) {
        break;
      }
      if (after == null || key.compareTo(after) > 0) {
        LeaseRecord lease = at(key);
        if (lease != null && !(lease.holders().isEmpty() && lease.waiters().isEmpty())) {
          found.add(lease);
        }
      }
    }
    return found;
  }

  private SortedSet<LeaseKey> scan(String prefix) {
    SortedSet<LeaseKey> found = new TreeSet<>();
    try {
      for (StatefulRedisConnection<byte[], byte[]> master : link.masters()) {
        for (LeaseKey.Kind kind : LeaseKey.Kind.values()) {
          scan(master, ScanArgs.Builder.matches(keys.pattern(kind, prefix)).limit(AT_ONCE), found);
        }
      }
    } catch (RedisException e) {
      throw RedisErrors.OF_LEASES.failure("listing leases", e);
    }
    // the pattern goes by bytes, which may end inside a character
    found.removeIf(key -> !key.name().startsWith(prefix));
    return found;
  }

  private void scan(
      StatefulRedisConnection<byte[], byte[]> master,
      ScanArgs matching,
      SortedSet<LeaseKey> found) {
    master.setTimeout(timeout);
    ScanCursor cursor = ScanCursor.INITIAL;
    do {
      KeyScanCursor<byte[]> page = master.sync().scan(cursor, matching);
      for (byte[] state : page.getKeys()) {
        LeaseKey key = keys.parse(state, 0);
        if (key != null) {
          found.add(key);
        }
      }
      cursor = page;
    } while (!cursor.isFinished());
  }

  /** Reads what look.lua answers. */
  private static LeaseRecord leaseRecord(LeaseKey key, List<Object> answer) {
    List<LeaseRecord.Holder> holders = new ArrayList<>();
    List<LeaseRecord.Waiter> waiters = new ArrayList<>();
    int at = 2;
    for (long left = number(answer.get(1)); left > 0; left--) {
      holders.add(
          new LeaseRecord.Holder(
              text(answer.get(at)),
              number(answer.get(at + 1)),
              (int) number(answer.get(at + 2)),
              micros(answer.get(at + 3))));
      at += 4;
    }
    for (; at + 1 < answer.size(); at += 2) {
      waiters.add(new LeaseRecord.Waiter(text(answer.get(at)), micros(answer.get(at + 1))));
    }
    return new LeaseRecord(key, number(answer.get(0)), holders, waiters);
  }

  private static String text(Object bytes) {
    return new String((byte[]) bytes, UTF_8);
  }

  private static long number(Object number) {
    return (Long) number;
  }

  private static Duration micros(Object number) {
    return Duration.ofNanos(number(number) * 1000);
  }
}
