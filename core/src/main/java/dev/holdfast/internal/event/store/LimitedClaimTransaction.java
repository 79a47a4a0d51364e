package dev.holdfast.internal.event.store;

import dev.holdfast.event.QueueLimit;
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
public final class LimitedClaimTransaction {
  /** How often to look again while a limit is used up: nobody says when others end something. */
  private static final Duration LOOK = Duration.ofMillis(200);

  private final EventStore store;
  private final Connection connection;
  private final Wanted wanted;
  private final ShardRoundRobin shards;
  private final List<LimitBudget> uses = new ArrayList<>();
  private @Nullable Duration heldBack;

  private LimitedClaimTransaction(
      EventStore store, Connection connection, Wanted wanted, ShardRoundRobin shards) {
    this.store = store;
    this.connection = connection;
    this.wanted = wanted;
    this.shards = shards;
  }

  /**
   * What is wanted, from any shard.
   *
   * @param idle how many could be begun at once
   * @param bytes how large the payloads of each shard may be together
   */
  public record Wanted(
      String queue, List<String> types, int most, int idle, long owner, long bytes) {}

  /**
   * What was claimed.
   *
   * @param heldBack where a limit leaves nothing more, when to look again
   */
  public record Result(List<ClaimedEvent> claimed, boolean more, Optional<Duration> heldBack) {}

  /**
   * Claims in the transaction of the connection, which must be READ COMMITTED, and should wait no
   * longer than {@link LimitStatements#MAX_WAIT} for a lock; the limits are in the order of their
   * names.
   */
  public static Result run(
      EventStore store,
      Connection connection,
      List<QueueLimit> known,
      Wanted wanted,
      ShardRoundRobin shards)
      throws SQLException {
    return new LimitedClaimTransaction(store, connection, wanted, shards).run(known);
  }

  private Result run(List<QueueLimit> known) throws SQLException {
    for (QueueLimit limit : known) {
      store.limits().lock(connection, limit).map(LimitBudget::new).ifPresent(uses::add);
    }
    int most = leftOfQueue();
    ClaimLimits caps = caps();
    List<String> types = caps == null ? wanted.types() : caps.open(wanted.types());
    List<ClaimedEvent> claimed = new ArrayList<>();
    boolean more = most > 0 && !types.isEmpty() && claim(most, types, caps, claimed);
    boolean bound = caps != null && caps.bind();
    if (bound) {
      holdBack(LOOK);
      shards.reset();
    }
    for (LimitBudget use : uses) {
      use.claimed(count(claimed, use.limit()), store.limits(), connection);
      use.untilRate().ifPresent(this::holdBack);
    }
    return new Result(
        claimed,
        more && most == wanted.most(),
        bound || claimed.size() == most ? Optional.ofNullable(heldBack) : Optional.empty());
  }

  private boolean claim(
      int most, List<String> types, @Nullable ClaimLimits caps, List<ClaimedEvent> claimed)
      throws SQLException {
    return shards.claim(
        most,
        wanted.bytes(),
        (shard, part, from) -> {
          ClaimRequest claim =
              new ClaimRequest(
                  shard, wanted.queue(), types, part, wanted.owner(), caps, wanted.bytes());
          List<ClaimedEvent> some = store.claim(connection, claim, from);
          claimed.addAll(some);
          return some;
        });
  }

  private static int count(List<ClaimedEvent> claimed, QueueLimit limit) {
    return limit.target().kind() != QueueLimit.Kind.TYPE
        ? claimed.size()
        : (int)
            claimed.stream().filter(event -> event.type().equals(limit.target().name())).count();
  }

  private void holdBack(Duration until) {
    heldBack = heldBack == null || until.compareTo(heldBack) < 0 ? until : heldBack;
  }

  private int leftOfQueue() throws SQLException {
    int most = wanted.most();
    for (LimitBudget use : uses) {
      if (use.limit().target().kind() == QueueLimit.Kind.QUEUE) {
        int left = use.left(wanted.most(), wanted.idle(), this::claimedOfQueue);
        if (left < wanted.most()) {
          holdBack(LOOK);
        }
        most = Math.min(most, use.leftOfRate(left));
      }
    }
    return most;
  }

  private int claimedOfQueue() throws SQLException {
    int claimed = 0;
    for (int shard = 0; shard < shards.count(); shard++) {
      claimed += store.limits().claimedOf(connection, shard, wanted.queue());
    }
    return claimed;
  }

  private int claimedOfType(String type) throws SQLException {
    int claimed = 0;
    for (int shard = 0; shard < shards.count(); shard++) {
      claimed += store.limits().claimedOfType(connection, shard, type);
    }
    return claimed;
  }

  /** Null where no type and no key can reach its limit in this claim. */
  private @Nullable ClaimLimits caps() throws SQLException {
    Map<String, Integer> types = new HashMap<>();
    Map<String, Integer> keys = new HashMap<>();
    Integer perKey = null;
    for (LimitBudget use : uses) {
      String name = use.limit().target().name();
      if (use.limit().target().kind() == QueueLimit.Kind.TYPE) {
        int left = use.left(wanted.most(), wanted.idle(), () -> claimedOfType(name));
        if (left < wanted.most()) {
          types.put(name, left);
        }
      } else if (use.limit().target().kind() == QueueLimit.Kind.KEY) {
        perKey = use.limit().maxConcurrency().orElseThrow();
        for (int shard = 0; shard < shards.count(); shard++) {
          store.limits().claimedByKey(connection, shard, name, keys);
        }
      }
    }
    return types.isEmpty() && perKey == null ? null : new ClaimLimits(types, perKey, keys);
  }
}
