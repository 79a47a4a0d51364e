package dev.holdfast.event;

import dev.holdfast.event.internal.Claim;
import dev.holdfast.event.internal.ClaimBounds;
import dev.holdfast.event.internal.Claimed;
import dev.holdfast.event.internal.PutBack;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Claims events of one queue, and finds out about claims whose answer was lost. For one thread. */
final class Claimer {
  private static final Logger LOG = LoggerFactory.getLogger(Worker.class);
  private static final long BOUNDS_KEPT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final String queue;
  private final EventHome home;
  private final WorkerSettings settings;
  private final InstanceLease lease;
  private final Hands hands;
  private final Supplier<Pauses> pauses;
  private final List<ClaimBounds> bounds = new ArrayList<>();
  private long boundsSince = System.nanoTime();
  private long certainSince = System.nanoTime();
  private long claimBegan = System.nanoTime();
  private boolean inDoubt;

  Claimer(
      String queue,
      EventHome home,
      WorkerSettings settings,
      InstanceLease lease,
      Hands hands,
      Supplier<Pauses> pauses) {
    this.queue = queue;
    this.home = home;
    this.settings = settings;
    this.lease = lease;
    this.hands = hands;
    this.pauses = pauses;
    for (int shard = 0; shard < home.shards(); shard++) {
      bounds.add(new ClaimBounds());
    }
  }

  /** Claims up to this many; answers whether there may be more to claim at once. */
  boolean claim(int most) {
    long owner = lease.instance();
    Pauses now = pauses.get();
    List<String> types = now.without(settings.types());
    if (owner == 0 || types.isEmpty() || now.queues().contains(queue)) {
      return false;
    }
    long time = System.nanoTime();
    claimBegan = time;
    if (inDoubt || time - certainSince > settings.lease().toNanos()) {
      giveBackUnknown(owner);
      certainSince = time;
      inDoubt = false;
    }
    if (time - boundsSince > BOUNDS_KEPT_NANOS) {
      bounds.forEach(ClaimBounds::reset);
      boundsSince = time;
    }
    // until it is answered, nobody knows what it has claimed
    inDoubt = true;
    boolean more = false;
    for (int shard = 0; shard < bounds.size(); shard++) {
      more |= claim(new Claim(shard, queue, types, most, owner), bounds.get(shard));
    }
    inDoubt = false;
    return more;
  }

  /** Looks from the beginning of the queue with the next claim. */
  void goToStart() {
    bounds.forEach(ClaimBounds::reset);
  }

  /**
   * How long it is until the next event is due, but not longer than {@code most}. Not positive for
   * one that came due after the last claim began, which may have missed it.
   */
  Duration untilNextDueSinceClaim(Duration most) {
    return untilNextDue(most, Duration.ofNanos(System.nanoTime() - claimBegan));
  }

  /** How long it is until the next event is due that is not due yet. */
  Duration untilNextDue(Duration most) {
    return untilNextDue(most, Duration.ZERO);
  }

  private Duration untilNextDue(Duration most, Duration lookBack) {
    Duration shortest = most;
    for (int shard = 0; shard < bounds.size(); shard++) {
      int of = shard;
      Duration next =
          home.step(
                  () -> "looking for the next event of the queue '" + queue + "'",
                  connection -> home.store().nextDue(connection, of, queue, lookBack))
              .orElse(most);
      shortest = next.compareTo(shortest) < 0 ? next : shortest;
    }
    return shortest;
  }

  private boolean claim(Claim wanted, ClaimBounds from) {
    List<Claimed> claimed =
        home.step(
            () -> "claiming events of the queue '" + queue + "'",
            connection -> home.store().claim(connection, wanted, from));
    hands.take(claimed, wanted.owner());
    if (claimed.size() == wanted.most()) {
      from.moveBehind(claimed);
      return true;
    }
    // there may be others before the place where this claim began
    return from.reset();
  }

  /**
   * Gives back what this instance has in the database and does not know of: the answer to its claim
   * was lost. Also from time to time, because such a claim may take effect late.
   */
  private void giveBackUnknown(long owner) {
    for (int shard = 0; shard < bounds.size(); shard++) {
      int of = shard;
      // before the look: what ends meanwhile is not unknown
      Map<Long, Integer> known = hands.versions(shard);
      List<PutBack> unknown = new ArrayList<>();
      home.step(
              () -> "looking for lost claims in the queue '" + queue + "'",
              connection -> home.store().owned(connection, of, queue, owner))
          .forEach(
              (id, version) -> {
                if (!version.equals(known.get(id))) {
                  unknown.add(new PutBack(id, version, null, null, false, null));
                }
              });
      if (!unknown.isEmpty()) {
        LOG.warn(
            "giving back {} events of the queue '{}' that were claimed without an answer",
            unknown.size(),
            queue);
        home.step(
            () -> "giving back events of the queue '" + queue + "'",
            connection -> home.store().putBack(connection, of, unknown));
      }
    }
  }
}
