package dev.holdfast.internal.lease.engine;

import dev.holdfast.lease.Lease;
import org.jspecify.annotations.Nullable;

/**
 * Renews one lease and detects its loss. Automatic renewal runs five times per duration, and more
 * often while the store fails. The lease is lost with a quarter of the duration left if renewal has
 * failed until then, and at its end if it is not renewed. Thread-safe.
 */
final class LeaseRenewal {
  private static final int RENEWALS_PER_DURATION = 5;
  private static final int RETRIES_PER_DURATION = 20;

  private final LeaseEngine engine;
  private final DefaultLease lease;
  private boolean renewing;
  private boolean stopped;
  private boolean inProgress;
  private LeaseExecutors.@Nullable Alarm nextRenewal;
  private LeaseExecutors.@Nullable Alarm nextCheck;
  private @Nullable Throwable failure;

  LeaseRenewal(LeaseEngine engine, DefaultLease lease) {
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
      renewAt(lease.deadline() - nanos() + nanos() / RENEWALS_PER_DURATION);
    }
    if (nextCheck == null) {
      engine.watched(lease);
      checkAt(lease.deadline() - margin());
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
    cancel(nextCheck);
    engine.unwatched(lease);
  }

  private static void cancel(LeaseExecutors.@Nullable Alarm task) {
    if (task != null) {
      task.cancel();
    }
  }

  /** How long before its end a lease counts as lost, so that the work can end in time. */
  private long margin() {
    return renewing ? nanos() / 4 : 0;
  }

  private void checkAt(long moment) {
    nextCheck = engine.executors().at(moment, this::check);
  }

  private void check() {
    Throwable why;
    boolean wasRenewing;
    synchronized (this) {
      long end = lease.deadline() - margin();
      if (stopped) {
        return;
      }
      if (end - System.nanoTime() > 0) {
        checkAt(end);
        return;
      }
      why = failure;
      wasRenewing = renewing;
    }
    lease.lose(wasRenewing ? "it could not be renewed in time" : "it has expired", why);
  }

  private void renewAt(long moment) {
    nextRenewal = engine.executors().at(moment, this::startRenewal);
  }

  private synchronized void startRenewal() {
    if (renewing && !stopped && !inProgress) {
      inProgress = true;
      engine.executors().renew(lease.key(), this::renew, failure != null);
    }
  }

  private void renew() {
    try {
      if (isStopped() || lease.renew() == Lease.RenewResult.LOST) {
        return;
      }
      renewed(null, nanos() / RENEWALS_PER_DURATION);
    } catch (RuntimeException | Error e) {
      renewed(e, nanos() / RETRIES_PER_DURATION);
    }
  }

  private synchronized boolean isStopped() {
    return stopped || !renewing;
  }

  private synchronized void renewed(@Nullable Throwable failed, long delay) {
    inProgress = false;
    failure = failed;
    if (!stopped && renewing) {
      renewAt(System.nanoTime() + delay);
    }
  }
}
