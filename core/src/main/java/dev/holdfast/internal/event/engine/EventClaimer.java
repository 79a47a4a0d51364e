package dev.holdfast.internal.event.engine;

import dev.holdfast.event.QueueLimit;
import dev.holdfast.event.Worker;
import dev.holdfast.internal.event.store.ClaimCursor;
import dev.holdfast.internal.event.store.ClaimRequest;
import dev.holdfast.internal.event.store.ClaimedEvent;
import dev.holdfast.internal.event.store.LimitLockedException;
import dev.holdfast.internal.event.store.LimitStatements;
import dev.holdfast.internal.event.store.LimitedClaimTransaction;
import dev.holdfast.internal.event.store.Requeue;
import dev.holdfast.internal.event.store.ShardRoundRobin;
import dev.holdfast.transaction.Isolation;
import dev.holdfast.transaction.Transactions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Claims events of one queue, and finds out about claims whose answer was lost. For one thread. */
final class EventClaimer {
  private static final Logger LOG = LoggerFactory.getLogger(Worker.class);

  /** How long the bounds are kept at least and at most before a look from the beginning. */
  private static final long BOUNDS_KEPT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private static final long BOUNDS_KEPT_AT_MOST_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** A claim without a response may take effect late: how soon after it to check once more. */
  private static final long FIRST_CHECK_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Such a look may take a fiftieth of the time: behind an open snapshot it is a long one. */
  private static final int SHARE_OF_LOOKS = 50;

  private final String queue;
  private final EventBackend home;

  /** For claims under limits, which lock the rows of these first. */
  private final EventBackend limited;

  private final WorkerOptions settings;
  private final InstanceLease lease;
  private final InFlightEvents hands;
  private final Supplier<Pauses> pauses;
  private final Supplier<Limits> limits;
  private final ShardRoundRobin shards;
  private final ReleasedOrderingKeys freed = new ReleasedOrderingKeys();
  private long boundsSince = System.nanoTime();
  private long boundsKeptNanos = BOUNDS_KEPT_NANOS;
  private long checkedNanos = System.nanoTime();
  private long nextCheckNanos;
  private long claimBegan = System.nanoTime();
  private boolean inDoubt;
  private long claimedAs;
  private volatile boolean startOver;
  private boolean plenty;
  private Optional<Duration> heldBack = Optional.empty();
  private boolean drained;
  private volatile boolean waitsForOthers;

  EventClaimer(
      String queue,
      EventBackend home,
      WorkerOptions settings,
      InstanceLease lease,
      InFlightEvents hands,
      Supplier<Pauses> pauses,
      Supplier<Limits> limits) {
    this.queue = queue;
    // whoever is cut off while it claims holds the rows for a lease
    Transactions bounded = home.transactions().idleTimeout(settings.lease());
    this.home = home.with(bounded);
    this.limited =
        home.with(
            bounded.isolation(Isolation.READ_COMMITTED).lockTimeout(LimitStatements.MAX_WAIT));
    this.settings = settings;
    this.lease = lease;
    this.hands = hands;
    this.pauses = pauses;
    this.limits = limits;
    this.shards = new ShardRoundRobin(home.shards());
    this.nextCheckNanos = settings.lease().toNanos();
  }

  /**
   * Claims up to this many; answers whether there may be more to claim at once.
   *
   * @param idle how many could be begun at once
   * @throws LimitLockedException where another session holds the row of a limit
   */
  boolean claim(int most, int idle) {
    long time = System.nanoTime();
    // also where it may claim nothing: what comes due meanwhile is no reason to look again at once
    claimBegan = time;
    long owner = lease.instance();
    Pauses now = pauses.get();
    List<String> types = now.without(settings.types());
    if (owner == 0 || types.isEmpty() || now.queues().contains(queue)) {
      return false;
    }
    if (claimedAs != 0 && claimedAs != owner) {
      // claims without an answer of the instance that this was before its lease was lost
      giveBackUnknown(claimedAs);
    }
    claimedAs = owner;
    if (inDoubt || time - checkedNanos > nextCheckNanos) {
      giveBackUnknown(owner);
      nextCheckNanos =
          inDoubt ? FIRST_CHECK_NANOS : Math.min(2 * nextCheckNanos, settings.lease().toNanos());
      checkedNanos = time;
      inDoubt = false;
    }
    if (startOver || time - boundsSince > boundsKeptNanos) {
      startOver = false;
      shards.reset();
      boundsSince = time;
    }
    boolean fromStart = shards.atStart();
    if (fromStart) {
      freed.clear();
    }
    // until it is answered, nobody knows what it has claimed
    inDoubt = true;
    List<QueueLimit> keep = limits.get().of(queue, types);
    boolean more;
    try {
      more =
          keep.isEmpty()
              ? claim(types, most, owner)
              : claim(
                  new LimitedClaimTransaction.Wanted(queue, types, most, idle, owner, bytes()),
                  keep);
    } catch (LimitLockedException e) {
      // nothing was claimed that it does not know of
      inDoubt = false;
      throw e;
    }
    inDoubt = false;
    drained = !more;
    if (fromStart) {
      long took = System.nanoTime() - time;
      boundsKeptNanos =
          Math.min(BOUNDS_KEPT_AT_MOST_NANOS, Math.max(BOUNDS_KEPT_NANOS, took * SHARE_OF_LOOKS));
    }
    return more;
  }

  /**
   * An event of this ordering key has ended; answers whether {@link #claimFreed} looks for the
   * next. For any thread.
   */
  boolean freed(int shard, String orderingKey) {
    return freed.add(shard, orderingKey) && limits.get().all().isEmpty();
  }

  /**
   * Claims up to this many that are next of their ordering key, as far as it is their turn in the
   * queue; answers whether it has claimed some, or there are more to look at.
   */
  boolean claimFreed(int most) {
    long owner = lease.instance();
    Pauses now = pauses.get();
    List<String> types = now.without(settings.types());
    boolean limited = !limits.get().all().isEmpty();
    if (inDoubt || limited || owner == 0 || types.isEmpty() || now.queues().contains(queue)) {
      return false;
    }
    int left = most;
    for (int shard = 0; shard < shards.count() && left > 0; shard++) {
      List<String> keys = freed.take(shard, left);
      if (!keys.isEmpty()) {
        ClaimRequest wanted = new ClaimRequest(shard, queue, types, left, owner, null, bytes());
        ClaimCursor before = drained ? ClaimCursor.end() : shards.of(shard);
        inDoubt = true;
        List<ClaimedEvent> claimed =
            home.step(
                this::doing,
                connection -> home.store().claimFirst(connection, wanted, keys, before));
        inDoubt = false;
        hands.take(claimed, owner);
        left -= claimed.size();
        if (claimed.size() < keys.size()) {
          addLeftOut(shard, keys, claimed, wanted.bytes());
        }
      }
    }
    return left < most || freed.any();
  }

  /** There was no room for their payloads: they are looked for again. */
  private void addLeftOut(int shard, List<String> keys, List<ClaimedEvent> claimed, long bytes) {
    if (ShardRoundRobin.isCut(claimed, bytes)) {
      Set<String> taken =
          claimed.stream().map(ClaimedEvent::orderingKey).collect(Collectors.toUnmodifiableSet());
      keys.stream().filter(key -> !taken.contains(key)).forEach(key -> freed.add(shard, key));
    }
  }

  private long bytes() {
    return hands.room().forOneClaim(shards.count());
  }

  /** Where a limit leaves nothing more after the last claim, when to look again. */
  Optional<Duration> heldBack() {
    return heldBack;
  }

  /** Whether it may be a limit that keeps this from claiming, so that an event that ends helps. */
  boolean waitsForOthers() {
    return waitsForOthers;
  }

  /** The next claim looks from the beginning of the queue. For any thread. */
  void startOver() {
    startOver = true;
  }

  /** Looks from the beginning of the queue with the next claim. */
  void goToStart() {
    shards.reset();
  }

  /**
   * How long it is until the next event is due, but not longer than {@code most}. Not positive for
   * one that came due after the last claim began, which may have missed it.
   */
  Duration untilNextDueSinceClaim(Duration most) {
    // as late as possible: it may have to wait for a connection
    return untilNextDue(most, () -> Duration.ofNanos(System.nanoTime() - claimBegan));
  }

  /** How long it is until the next event is due that is not due yet. */
  Duration untilNextDue(Duration most) {
    return untilNextDue(most, () -> Duration.ZERO);
  }

  private Duration untilNextDue(Duration most, Supplier<Duration> lookBack) {
    Duration shortest = most;
    for (int shard = 0; shard < shards.count(); shard++) {
      int of = shard;
      Duration next =
          home.step(
                  () -> "looking for the next event of the queue '" + queue + "'",
                  connection -> home.store().nextDue(connection, of, queue, lookBack.get()))
              .orElse(most);
      shortest = next.compareTo(shortest) < 0 ? next : shortest;
    }
    return shortest;
  }

  private boolean claim(List<String> types, int most, long owner) {
    heldBack = Optional.empty();
    waitsForOthers = false;
    long bytes = bytes();
    return shards.claim(
        most,
        bytes,
        (shard, part, from) -> {
          ClaimRequest wanted = new ClaimRequest(shard, queue, types, part, owner, null, bytes);
          List<ClaimedEvent> claimed =
              home.step(this::doing, connection -> home.store().claim(connection, wanted, from));
          hands.take(claimed, owner);
          return claimed;
        });
  }

  private boolean claim(LimitedClaimTransaction.Wanted wanted, List<QueueLimit> keep) {
    if (plenty && keep.size() == 1 && shards.count() == 1 && claimUnder(wanted, keep.get(0))) {
      return true;
    }
    // before it is counted, so that nothing that ends from then on is missed
    waitsForOthers = true;
    LimitedClaimTransaction.Result result =
        limited.call(
            this::doing,
            connection ->
                LimitedClaimTransaction.run(home.store(), connection, keep, wanted, shards));
    hands.take(result.claimed(), wanted.owner());
    heldBack = result.heldBack();
    waitsForOthers = heldBack.isPresent();
    plenty = result.more() && result.claimed().size() == wanted.most() && heldBack.isEmpty();
    return result.more();
  }

  /** Claims without a transaction while a single limit is far away; answers whether it got all. */
  private boolean claimUnder(LimitedClaimTransaction.Wanted wanted, QueueLimit limit) {
    plenty =
        limit.target().kind() != QueueLimit.Kind.KEY
            && shards.claim(
                wanted.most(),
                wanted.bytes(),
                (shard, part, from) -> {
                  ClaimRequest claim =
                      new ClaimRequest(
                          shard, queue, wanted.types(), part, wanted.owner(), null, wanted.bytes());
                  List<ClaimedEvent> claimed =
                      home.step(
                              this::doing,
                              connection -> home.store().claimUnder(connection, claim, from, limit))
                          .orElse(List.of());
                  hands.take(claimed, wanted.owner());
                  if (!claimed.isEmpty() && claimed.size() < part) {
                    giveBack(limit, part - claimed.size());
                  }
                  return claimed;
                });
    return plenty;
  }

  private void giveBack(QueueLimit limit, int unused) {
    home.step(
        () -> "giving back " + unused + " of " + limit,
        connection -> {
          home.store().limits().giveBack(connection, limit, unused);
          return true;
        });
  }

  private String doing() {
    return "claiming events of the queue '" + queue + "'";
  }

  /**
   * Gives back what this instance has in the database and does not know of: the answer to its claim
   * was lost. Such a claim may take effect late, on a server that is behind with its work: so this
   * is repeated, soon after a lost response and then ever less often, down to once per lease.
   */
  private void giveBackUnknown(long owner) {
    for (int shard = 0; shard < shards.count(); shard++) {
      int of = shard;
      // before the look: what ends meanwhile is not unknown
      Map<Long, Integer> known = hands.versions(shard);
      List<Requeue> unknown = new ArrayList<>();
      home.step(
              () -> "looking for lost claims in the queue '" + queue + "'",
              connection -> home.store().owned(connection, of, queue, owner))
          .forEach(
              (id, version) -> {
                if (!version.equals(known.get(id))) {
                  unknown.add(new Requeue(id, version, null, null, false, null));
                }
              });
      if (!unknown.isEmpty()) {
        LOG.warn(
            "event-claim-requeued: response to a claim was lost; requeued {} events of queue '{}'",
            unknown.size(),
            queue);
        home.step(
            () -> "giving back events of the queue '" + queue + "'",
            connection -> home.store().putBack(connection, of, unknown));
      }
    }
  }
}
