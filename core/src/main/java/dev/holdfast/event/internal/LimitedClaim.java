package dev.holdfast.event.internal;

import dev.holdfast.event.Limit;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One claim that keeps limits, in one transaction.
 *
 * <ol>
 *   <li>The rows of the limits are locked, in the order of their names: whoever claims under the
 *       same limit waits here.
 *   <li>What is claimed is counted, in further statements, because only these see what the one
 *       before has committed.
 *   <li>As many are claimed as are left, and the rate is used up by them.
 * </ol>
 *
 * For one use.
 */
public final class LimitedClaim {
  /** How often to look again while a limit is used up: nobody says when others end something. */
  private static final Duration LOOK = Duration.ofMillis(200);

  /** With less than so many times of what is wanted, only what is begun at once is claimed. */
  private static final int PLENTY = 4;

  private final EventStore store;
  private final Connection connection;
  private final List<LockedLimit> limits = new ArrayList<>();
  private @Nullable Duration heldBack;

  private LimitedClaim(EventStore store, Connection connection) {
    this.store = store;
    this.connection = connection;
  }

  /**
   * What is wanted, from any shard.
   *
   * @param idle how many could be begun at once
   */
  public record Wanted(String queue, List<String> types, int most, int idle, long owner) {}

  /**
   * What was claimed.
   *
   * @param heldBack where a limit leaves nothing more, when to look again
   */
  public record Result(List<Claimed> claimed, boolean more, Optional<Duration> heldBack) {}

  /** Claims in the transaction of the connection; the limits are in the order of their names. */
  public static Result run(
      EventStore store, Connection connection, List<Limit> known, Wanted wanted, ShardTurns shards)
      throws SQLException {
    return new LimitedClaim(store, connection).run(known, wanted, shards);
  }

  private Result run(List<Limit> known, Wanted wanted, ShardTurns shards) throws SQLException {
    for (Limit limit : known) {
      store.limits().lock(connection, limit, limit.equals(known.get(0))).ifPresent(limits::add);
    }
    RateUse rate = RateUse.of(limits, store.limits(), connection);
    int ofQueue = leftOfQueue(wanted, shards.count());
    int most = Math.min(wanted.most(), rate == null ? ofQueue : Math.min(ofQueue, rate.left()));
    Caps caps = caps(wanted, shards.count());
    List<String> types = caps == null ? wanted.types() : caps.open(wanted.types());
    List<Claimed> claimed = new ArrayList<>();
    boolean more = false;
    if (most > 0 && !types.isEmpty()) {
      more =
          shards.claim(
              most,
              (shard, part, from) -> {
                List<Claimed> some =
                    store.claim(
                        connection,
                        new Claim(shard, wanted.queue(), types, part, wanted.owner(), caps),
                        from);
                claimed.addAll(some);
                return some;
              });
    }
    if (caps != null && caps.bind()) {
      holdBack(LOOK);
      shards.reset();
    }
    if (rate != null) {
      rate.use(claimed.size());
      rate.untilOne().ifPresent(this::holdBack);
    }
    boolean all = claimed.size() == most;
    boolean limited = all || (caps != null && caps.bind());
    return new Result(
        claimed,
        more && most == wanted.most(),
        limited ? Optional.ofNullable(heldBack) : Optional.empty());
  }

  private void holdBack(Duration until) {
    heldBack = heldBack == null || until.compareTo(heldBack) < 0 ? until : heldBack;
  }

  private @Nullable Integer concurrent(Limit.Kind kind) {
    for (LockedLimit locked : limits) {
      if (locked.limit().kind() == kind && locked.limit().concurrent() != null) {
        return locked.limit().concurrent();
      }
    }
    return null;
  }

  private int leftOfQueue(Wanted wanted, int shards) throws SQLException {
    Integer concurrent = concurrent(Limit.Kind.QUEUE);
    if (concurrent == null) {
      return wanted.most();
    }
    int claimed = 0;
    for (int shard = 0; shard < shards; shard++) {
      claimed += store.limits().claimedOf(connection, shard, wanted.queue());
    }
    int left = left(concurrent - claimed, wanted);
    if (left < wanted.most()) {
      holdBack(LOOK);
    }
    return left;
  }

  /** An instance must not keep from others what it cannot begin. */
  private static int left(int free, Wanted wanted) {
    int left = free < (long) PLENTY * wanted.most() ? Math.min(free, wanted.idle()) : free;
    return Math.max(0, left);
  }

  /** Null where no type and no key can reach its limit in this claim. */
  private @Nullable Caps caps(Wanted wanted, int shards) throws SQLException {
    Map<String, Integer> types = new HashMap<>();
    for (LockedLimit locked : limits) {
      Integer concurrent = locked.limit().concurrent();
      if (locked.limit().kind() == Limit.Kind.TYPE && concurrent != null) {
        types.put(locked.limit().name(), concurrent);
      }
    }
    if (!types.isEmpty()) {
      Map<String, Integer> claimed = new HashMap<>();
      for (int shard = 0; shard < shards; shard++) {
        store.limits().claimedByType(connection, shard, types.keySet(), claimed);
      }
      types.replaceAll(
          (type, concurrent) -> left(concurrent - claimed.getOrDefault(type, 0), wanted));
      types.values().removeIf(left -> left >= wanted.most());
    }
    Integer perKey = concurrent(Limit.Kind.KEYS);
    Map<String, Integer> keys = new HashMap<>();
    for (int shard = 0; shard < shards && perKey != null; shard++) {
      store.limits().claimedByKey(connection, shard, wanted.queue(), keys);
    }
    return types.isEmpty() && perKey == null ? null : new Caps(types, perKey, keys);
  }
}
