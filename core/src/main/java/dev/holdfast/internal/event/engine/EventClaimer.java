package dev.holdfast.internal.event.engine;

import dev.holdfast.event.QueueLimit;
import dev.holdfast.event.Worker;
import dev.holdfast.internal.event.store.ClaimCursor;
import dev.holdfast.internal.event.store.ClaimRequest;
import dev.holdfast.internal.event.store.ClaimedEvent;
import dev.holdfast.internal.event.store.LimitLockedException;
import dev.holdfast.internal.event.store.LimitStatements;
import dev.holdfast.internal.event.store.LimitedClaimTransaction;
import dev.holdfast.internal.event.store.QueueControls;
import dev.holdfast.internal.event.store.Requeue;
import dev.holdfast.internal.event.store.ShardRoundRobin;
import dev.holdfast.transaction.Isolation;
import dev.holdfast.transaction.Transactions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims events of one queue, and requeues those of claims whose response was lost. For one thread.
 */
final class EventClaimer {
  private static final Logger LOG = LoggerFactory.getLogger(Worker.class);

  /** How long the cursors are kept at least and at most before a poll from the beginning. */
  private static final long MIN_CURSOR_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private static final long MAX_CURSOR_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** A claim without a response may take effect late: how soon after it to check once more. */
  private static final long FIRST_CHECK_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Such a poll may take a fiftieth of the time: behind an open snapshot it is a long one. */
  private static final int SHARE_OF_POLLS = 50;

  private final String queue;
  private final EventBackend home;

  /** For claims under limits, which lock the rows of these first. */
  private final EventBackend limited;

  private final WorkerOptions settings;
  private final InstanceLease lease;
  private final InFlightEvents inFlight;
  private final Supplier<QueueControls> controls;
  private final ShardRoundRobin shards;
  private final ReleasedOrderingKeys released = new ReleasedOrderingKeys();
  private long cursorSince = System.nanoTime();
  private long cursorNanos = MIN_CURSOR_NANOS;
  private long checkedNanos = System.nanoTime();
  private long nextCheckNanos;
  private long claimStarted = System.nanoTime();
  private boolean inDoubt;
  private long claimedAs;
  private volatile boolean startOver;
  private boolean plenty;
  private Optional<Duration> limitedFor = Optional.empty();
  private boolean drained;
  private volatile boolean mayBeLimited;

  EventClaimer(
      String queue,
      EventBackend home,
      WorkerOptions settings,
      InstanceLease lease,
      InFlightEvents inFlight,
      Supplier<QueueControls> controls) {
    this.queue = queue;
    // a worker that is cut off while it claims holds the rows for a lease
    Transactions bounded = home.transactions().idleTimeout(settings.lease());
    this.home = home.with(bounded);
    this.limited =
        home.with(
            bounded.isolation(Isolation.READ_COMMITTED).lockTimeout(LimitStatements.MAX_WAIT));
    this.settings = settings;
    this.lease = lease;
    this.inFlight = inFlight;
    this.controls = controls;
    this.shards = new ShardRoundRobin(home.shards());
    this.nextCheckNanos = settings.lease().toNanos();
  }

  /**
   * Claims up to this many; returns whether there may be more to claim at once.
   *
   * @param idle how many could be started at once
   * @throws LimitLockedException if another session holds the row of a limit
   */
  boolean claim(int most, int idle) {
    long time = System.nanoTime();
    // also if it may claim nothing: what comes due since then is no reason to poll again at once
    claimStarted = time;
    long owner = lease.instance();
    QueueControls now = controls.get();
    List<String> types = now.notPaused(settings.types());
    if (owner == 0 || types.isEmpty() || now.pausedQueues().contains(queue)) {
      return false;
    }
    if (claimedAs != 0 && claimedAs != owner) {
      // claims without a response of the instance that this was before its lease was lost
      requeueUnknown(claimedAs);
    }
    claimedAs = owner;
    if (inDoubt || time - checkedNanos > nextCheckNanos) {
      requeueUnknown(owner);
      nextCheckNanos =
          inDoubt ? FIRST_CHECK_NANOS : Math.min(2 * nextCheckNanos, settings.lease().toNanos());
      checkedNanos = time;
      inDoubt = false;
    }
    if (startOver || time - cursorSince > cursorNanos) {
      startOver = false;
      shards.reset();
      cursorSince = time;
    }
    boolean fromStart = shards.atStart();
    if (fromStart) {
      released.clear();
    }
    // until there is a response, it is not known what it has claimed
    inDoubt = true;
    List<QueueLimit> keep = controls.get().limitsOf(queue, types);
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
      cursorNanos = Math.min(MAX_CURSOR_NANOS, Math.max(MIN_CURSOR_NANOS, took * SHARE_OF_POLLS));
    }
    return more;
  }

  /**
   * An event of this ordering key has ended; returns whether {@link #claimReleased} looks for the
   * next. For any thread.
   */
  boolean released(int shard, String orderingKey) {
    return released.add(shard, orderingKey) && controls.get().limits().isEmpty();
  }

  /**
   * Claims up to this many that are next of their ordering key, as far as it is their turn in the
   * queue; returns whether it has claimed some, or there are more to look at.
   */
  boolean claimReleased(int most) {
    long owner = lease.instance();
    QueueControls now = controls.get();
    List<String> types = now.notPaused(settings.types());
    boolean limited = !controls.get().limits().isEmpty();
    if (inDoubt || limited || owner == 0 || types.isEmpty() || now.pausedQueues().contains(queue)) {
      return false;
    }
    int left = most;
    for (int shard = 0; shard < shards.count() && left > 0; shard++) {
      List<String> keys = released.take(shard, left);
      if (!keys.isEmpty()) {
        ClaimRequest wanted = new ClaimRequest(shard, queue, types, left, owner, null, bytes());
        ClaimCursor before = drained ? ClaimCursor.end() : shards.of(shard);
        inDoubt = true;
        List<ClaimedEvent> claimed =
            home.step(
                this::doing,
                connection -> home.store().claimFirst(connection, wanted, keys, before));
        inDoubt = false;
        inFlight.add(claimed, owner);
        left -= claimed.size();
        if (claimed.size() < keys.size()) {
          addLeftOut(shard, keys, claimed, wanted.bytes());
        }
      }
    }
    return left < most || released.any();
  }

  /** There was no memory for their payloads: they are looked for again. */
  private void addLeftOut(int shard, List<String> keys, List<ClaimedEvent> claimed, long bytes) {
    if (ShardRoundRobin.isCut(claimed, bytes)) {
      Set<String> taken =
          claimed.stream().map(ClaimedEvent::orderingKey).collect(Collectors.toUnmodifiableSet());
      keys.stream().filter(key -> !taken.contains(key)).forEach(key -> released.add(shard, key));
    }
  }

  private long bytes() {
    return inFlight.memory().perClaim(shards.count());
  }

  /** When to poll again, if a limit permits nothing more after the last claim. */
  Optional<Duration> limitedFor() {
    return limitedFor;
  }

  /** Whether it may be a limit that keeps this from claiming, so that an event that ends helps. */
  boolean mayBeLimited() {
    return mayBeLimited;
  }

  /** The next claim starts at the beginning of the queue. For any thread. */
  void startOver() {
    startOver = true;
  }

  /** As {@link #startOver}, for the claiming thread. */
  void goToStart() {
    shards.reset();
  }

  /**
   * How long it is until the next event is due, but not longer than {@code most}. Not positive for
   * one that came due after the last claim began, which may have missed it.
   */
  Duration untilNextDueSinceClaim(Duration most) {
    // as late as possible: it may have to wait for a connection
    return untilNextDue(most, () -> Duration.ofNanos(System.nanoTime() - claimStarted));
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
    limitedFor = Optional.empty();
    mayBeLimited = false;
    long bytes = bytes();
    return shards.claim(
        most,
        bytes,
        (shard, part, from) -> {
          ClaimRequest wanted = new ClaimRequest(shard, queue, types, part, owner, null, bytes);
          List<ClaimedEvent> claimed =
              home.step(this::doing, connection -> home.store().claim(connection, wanted, from));
          inFlight.add(claimed, owner);
          return claimed;
        });
  }

  private boolean claim(LimitedClaimTransaction.Wanted wanted, List<QueueLimit> keep) {
    if (plenty && keep.size() == 1 && shards.count() == 1 && claimUnder(wanted, keep.get(0))) {
      return true;
    }
    // before it is counted, so that nothing that ends from then on is missed
    mayBeLimited = true;
    LimitedClaimTransaction.Result result =
        limited.call(
            this::doing,
            connection ->
                LimitedClaimTransaction.run(home.store(), connection, keep, wanted, shards));
    inFlight.add(result.claimed(), wanted.owner());
    limitedFor = result.heldBack();
    mayBeLimited = limitedFor.isPresent();
    plenty = result.more() && result.claimed().size() == wanted.most() && limitedFor.isEmpty();
    return result.more();
  }

  /** Claims without a transaction while a single limit is far away; returns whether it got all. */
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
                  inFlight.add(claimed, wanted.owner());
                  if (!claimed.isEmpty() && claimed.size() < part) {
                    returnUnused(limit, part - claimed.size());
                  }
                  return claimed;
                });
    return plenty;
  }

  private void returnUnused(QueueLimit limit, int unused) {
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
   * Requeues what this instance has in the database and does not know of: the response to its claim
   * was lost. Such a claim may take effect late, on a server that is behind with its work: so this
   * is repeated, soon after a lost response and then ever less often, down to once per lease.
   */
  private void requeueUnknown(long owner) {
    for (int shard = 0; shard < shards.count(); shard++) {
      int of = shard;
      // read before: what ends in between is not unknown
      Map<Long, Integer> known = inFlight.versions(shard);
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

  /**
   * Ordering keys of which an event has ended, so that it is the turn of the next one. Only a hint,
   * which saves looking through all that wait: what is dropped is found by the next poll from the
   * beginning. Thread-safe.
   */
  private static final class ReleasedOrderingKeys {
    private static final int MAX = 1000;
    private static final int MAX_AT_ONCE = 100;

    private final Set<ReleasedKey> keys = ConcurrentHashMap.newKeySet();

    private record ReleasedKey(int shard, String orderingKey) {}

    /** Returns whether it is remembered. */
    boolean add(int shard, String orderingKey) {
      if (keys.size() >= MAX) {
        return false;
      }
      keys.add(new ReleasedKey(shard, orderingKey));
      return true;
    }

    boolean any() {
      return !keys.isEmpty();
    }

    void clear() {
      keys.clear();
    }

    /** Takes some of a shard, at most this many. */
    List<String> take(int shard, int max) {
      List<String> taken = new ArrayList<>();
      Iterator<ReleasedKey> each = keys.iterator();
      while (each.hasNext() && taken.size() < Math.min(max, MAX_AT_ONCE)) {
        ReleasedKey key = each.next();
        if (key.shard() == shard) {
          each.remove();
          taken.add(key.orderingKey());
        }
      }
      return taken;
    }
  }
}
