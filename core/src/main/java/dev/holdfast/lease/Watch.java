package dev.holdfast.lease;

import org.jspecify.annotations.Nullable;

/**
 * Looks after one lease: renews it five times per lease where asked to, tries again at short
 * intervals while the store fails, and tells its loss: at a quarter of the lease before the end
 * where renewing has failed until then, at the end where nobody renews. Thread-safe.
 */
final class Watch {
  private static final int RENEWALS_PER_LEASE = 5;
  private static final int TRIES_PER_LEASE = 20;

  private final LeaseEngine engine;
  private final DefaultLease lease;
  private boolean renewing;
  private boolean stopped;
  private boolean asking;
  private Keeper.@Nullable Alarm nextRenewal;
  private Keeper.@Nullable Alarm nextLook;
  private @Nullable Throwable failure;

  Watch(LeaseEngine engine, DefaultLease lease) {
    this.engine = engine;
    this.lease = lease;
  }

  private long nanos() {
    return lease.duration().toNanos();
  }

  synchronized void start(boolean renew) {
    if (stopped) {
      return;
    }
    if (renew && !renewing) {
      renewing = true;
      renewAt(lease.deadline() - nanos() + nanos() / RENEWALS_PER_LEASE);
    }
    if (nextLook == null) {
      engine.watched(lease);
      lookAt(lease.deadline() - margin());
    }
  }

  synchronized void stopRenewing() {
    renewing = false;
    cancel(nextRenewal);
    nextRenewal = null;
  }

  synchronized void stop() {
    stopped = true;
    cancel(nextRenewal);
    cancel(nextLook);
    engine.unwatched(lease);
  }

  private static void cancel(Keeper.@Nullable Alarm task) {
    if (task != null) {
      task.cancel();
    }
  }

  /** Before the end where it should have been renewed by then, so that the work can end in time. */
  private long margin() {
    return renewing ? nanos() / 4 : 0;
  }

  private void lookAt(long moment) {
    nextLook = engine.keeper().at(moment, this::look);
  }

  private void look() {
    Throwable why;
    boolean wasRenewing;
    synchronized (this) {
      long end = lease.deadline() - margin();
      if (stopped) {
        return;
      }
      if (end - System.nanoTime() > 0) {
        lookAt(end);
        return;
      }
      why = failure;
      wasRenewing = renewing;
    }
    lease.lose(
        wasRenewing ? "it could not be renewed in time" : "it has run out, and was not renewed",
        why);
  }

  private void renewAt(long moment) {
    nextRenewal = engine.keeper().at(moment, this::renewSoon);
  }

  private synchronized void renewSoon() {
    if (renewing && !stopped && !asking) {
      asking = true;
      engine.keeper().renew(this::renew, failure != null);
    }
  }

  private void renew() {
    try {
      if (isOver() || lease.renew() == RenewResult.LOST) {
        return;
      }
      renewed(null, nanos() / RENEWALS_PER_LEASE);
    } catch (RuntimeException | Error e) {
      renewed(e, nanos() / TRIES_PER_LEASE);
    }
  }

  private synchronized boolean isOver() {
    return stopped || !renewing;
  }

  private synchronized void renewed(@Nullable Throwable failed, long pause) {
    asking = false;
    failure = failed;
    if (!stopped && renewing) {
      renewAt(System.nanoTime() + pause);
    }
  }
}
