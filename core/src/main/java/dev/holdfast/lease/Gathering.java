package dev.holdfast.lease;

import dev.holdfast.internal.Require;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Acquires several leases, all or none: in the order of their keys, keeping those alive that it has
 * while it waits for the next.
 */
final class Gathering {
  private final LeaseEngine engine;
  private final LeaseSettings settings;

  Gathering(LeaseEngine engine, LeaseSettings settings) {
    this.engine = engine;
    this.settings = settings;
  }

  /** What could not be had is given to {@code missing}; then the answer is null. */
  @Nullable LeaseGroup gather(
      Collection<LeaseTarget> targets,
      Duration lease,
      Duration wait,
      java.util.function.Consumer<LeaseTarget> missing) {
    List<Lease> got = new ArrayList<>();
    long end = System.nanoTime() + wait.toNanos();
    try {
      for (LeaseTarget target : ordered(targets)) {
        long left = Math.max(0, end - System.nanoTime());
        Duration rest = wait.isZero() ? Duration.ZERO : Duration.ofNanos(left);
        Lease next = engine.acquire(target, lease, rest, settings.withRenewing(true));
        if (next == null) {
          missing.accept(target);
          giveBack(got, null);
          return null;
        }
        got.add(next);
      }
      settle(got, lease);
      return new LeaseGroup(got);
    } catch (RuntimeException | Error e) {
      giveBack(got, e);
      throw e;
    }
  }

  private static Collection<LeaseTarget> ordered(Collection<LeaseTarget> targets) {
    TreeMap<LeaseKey, LeaseTarget> ordered = new TreeMap<>();
    for (LeaseTarget target : Require.notNull(targets, "the leases of a group")) {
      LeaseTarget other = ordered.put(Require.notNull(target, "a lease of a group").key(), target);
      Require.that(
          other == null || other.equals(target),
          () -> "a group must ask for " + target.key() + " in one way only, asked in two");
    }
    Require.that(!ordered.isEmpty(), "a group must have at least one lease, had none");
    return ordered.values();
  }

  /** All are to last as long as was asked for, from the moment that the last one was granted. */
  private void settle(List<Lease> got, Duration lease) {
    for (Lease one : got) {
      DefaultLease own = Reentry.own(one);
      if (!settings.renewing() && own != null) {
        own.stopRenewing();
      }
      if (one.remaining().compareTo(lease.dividedBy(2)) < 0) {
        one.renew();
      }
      one.ensureValid(Duration.ZERO);
    }
  }

  private static void giveBack(List<Lease> got, @Nullable Throwable reason) {
    for (Lease lease : got) {
      try {
        lease.release();
      } catch (RuntimeException | Error e) {
        if (reason != null) {
          reason.addSuppressed(e);
        }
      }
    }
  }
}
