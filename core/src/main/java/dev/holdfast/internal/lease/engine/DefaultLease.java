package dev.holdfast.internal.lease.engine;

import dev.holdfast.LeaseLostException;
import dev.holdfast.internal.Require;
import dev.holdfast.lease.Lease;
import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.LeaseRequest;
import dev.holdfast.lease.Leases;
import dev.holdfast.lease.spi.LeaseStore;
import dev.holdfast.transaction.TransactionStateException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** A lease in a store: from its grant to its release or loss. Thread-safe. */
public final class DefaultLease implements Lease {
  private static final Logger LOG = LoggerFactory.getLogger(Leases.class);

  private enum State {
    HELD,
    LOST,
    RELEASED
  }

  private final DefaultLeases leases;
  private final Grant grant;
  private final boolean allowedInTransaction;
  private final ReentrantLock releasing = new ReentrantLock();

  /** The end of the lease by {@link System#nanoTime()}. */
  private volatile long deadline;

  private volatile State state = State.HELD;
  private volatile @Nullable Renewal renewal;
  private volatile boolean logsAtDebug;

  /** Whether the store has extended the lease after its loss; it is released at its old end. */
  private volatile boolean renewedLate;

  private @Nullable LeaseLostException loss;
  private @Nullable List<Consumer<LeaseLostException>> lossActions;
  private Lease.@Nullable ReleaseResult result;

  DefaultLease(DefaultLeases leases, Grant grant, boolean allowedInTransaction) {
    this.leases = leases;
    this.grant = grant;
    this.allowedInTransaction = allowedInTransaction;
    this.deadline = grant.deadline();
  }

  @Override
  public LeaseKey key() {
    return grant.target().key();
  }

  @Override
  public long token() {
    return grant.token();
  }

  LeaseRequest.Target target() {
    return grant.target();
  }

  LeaseStore.Ownership ownership() {
    return grant.ownership();
  }

  Duration duration() {
    return grant.duration();
  }

  private long durationNanos() {
    return grant.duration().toNanos();
  }

  /** Also if the store did not respond to the release and the lease just expires. */
  boolean isReleased() {
    return state == State.RELEASED;
  }

  @Override
  public Duration remaining() {
    long left = state == State.HELD ? deadline - System.nanoTime() : 0;
    return left <= 0 ? Duration.ZERO : Duration.ofNanos(left);
  }

  @Override
  public boolean isValid() {
    return state == State.HELD && deadline - System.nanoTime() > 0;
  }

  @Override
  public void ensureValid(Duration margin) {
    Require.notNull(margin, "margin");
    Require.that(
        !margin.isNegative(), () -> "the margin must not be negative, was %s".formatted(margin));
    if (state != State.HELD) {
      throw lostNow(state == State.LOST ? "it was lost before" : "it was released");
    }
    long left = deadline - System.nanoTime();
    if (left <= 0 || Duration.ofNanos(left).compareTo(margin) < 0) {
      throw lostNow("only " + remaining() + " is left, less than the margin of " + margin);
    }
  }

  private LeaseLostException lostNow(String why) {
    LeaseLostException known;
    synchronized (this) {
      known = loss;
    }
    return lost(why, known);
  }

  private LeaseLostException lost(String why, @Nullable Throwable cause) {
    return new LeaseLostException(
        "lease-lost",
        "lease " + key(),
        OptionalLong.of(token()),
        "The lease " + key() + " with the token " + token() + " is not held: " + why + ".",
        cause);
  }

  @Override
  public void onLost(Consumer<LeaseLostException> action) {
    Require.notNull(action, "action");
    LeaseLostException known;
    synchronized (this) {
      known = loss;
      if (known == null && state == State.HELD) {
        if (lossActions == null) {
          lossActions = new ArrayList<>(1);
        }
        lossActions.add(action);
      }
    }
    if (known != null) {
      runLostAction(action, known);
    } else {
      watch(false);
    }
  }

  private void runLostAction(Consumer<LeaseLostException> action, LeaseLostException lost) {
    leases.executors().runLostAction(key(), () -> action.accept(lost));
  }

  /** Logs the loss of this lease at DEBUG instead of WARN: its holder logs it. */
  public void logLossAtDebug() {
    logsAtDebug = true;
  }

  /** Detects the loss of the lease from now on; with {@code autoRenew} also renews it. */
  void watch(boolean autoRenew) {
    Renewal current;
    synchronized (this) {
      if (state != State.HELD) {
        return;
      }
      current = renewal;
      if (current == null) {
        current = new Renewal();
        renewal = current;
      }
    }
    current.start(autoRenew);
  }

  /** Ends automatic renewal; the loss is still detected. */
  void stopRenewing() {
    Renewal current = renewal;
    if (current != null) {
      current.stopRenewing();
    }
  }

  @Override
  public Lease.RenewResult renew() {
    return isValid() ? renewInTime() : lose("it expired before it was renewed", null);
  }

  private Lease.RenewResult renewInTime() {
    long sent = System.nanoTime();
    if (leases.store().renew(ownership(), duration()) == Lease.RenewResult.LOST) {
      return lose("the store has no such lease any more", null);
    }
    long renewed = sent + duration().toNanos();
    synchronized (this) {
      if (isValid()) {
        if (renewed - deadline > 0) {
          deadline = renewed;
        }
        return Lease.RenewResult.RENEWED;
      }
    }
    // also if the statement waited for a row lock and the store extended an expired lease
    Lease.RenewResult late = lose("the response to its renewal came after its end", null);
    if (state == State.LOST) {
      // the store keeps it for longer, but it has no holder; work may go on until its old end
      renewedLate = true;
      leases.releaser().releaseOrphanAt(deadline, ownership(), renewed);
    }
    return late;
  }

  /** Marks the lease as lost, unless it was released before, and runs the onLost actions. */
  Lease.RenewResult lose(String why, @Nullable Throwable cause) {
    List<Consumer<LeaseLostException>> actions;
    LeaseLostException lost;
    synchronized (this) {
      if (state != State.HELD) {
        return Lease.RenewResult.LOST;
      }
      state = State.LOST;
      lost = lost(why, cause);
      loss = lost;
      actions = lossActions == null ? List.of() : lossActions;
    }
    LOG.atLevel(logsAtDebug ? Level.DEBUG : Level.WARN)
        .log(
            "lease-lost: lost the lease {} (token {}); its onLost actions run now: {}",
            key(),
            token(),
            why);
    unwatch();
    actions.forEach(action -> runLostAction(action, lost));
    return Lease.RenewResult.LOST;
  }

  private void unwatch() {
    Renewal current = renewal;
    if (current != null) {
      current.stop();
    }
  }

  @Override
  public Lease.ReleaseResult release() {
    releasing.lock();
    try {
      Lease.ReleaseResult known = result;
      if (known != null) {
        return known;
      }
      if (!allowedInTransaction && leases.isTransactionOpen()) {
        throw new TransactionStateException(
            TransactionStateException.Reason.ACTIVE,
            "Cannot release the lease "
                + key()
                + ": a transaction is open on this thread, and the next holder would not see what"
                + " it writes; the lease is kept. End the transaction before the lease. If the"
                + " lease does not protect this transaction, use"
                + " LeaseRequest.allowInTransaction().");
      }
      boolean valid = isValid();
      synchronized (this) {
        if (state == State.HELD) {
          state = State.RELEASED;
        }
      }
      unwatch();
      boolean releasedAlready = renewedLate && deadline - System.nanoTime() <= 0;
      Lease.ReleaseResult outcome = releasedAlready ? Lease.ReleaseResult.LOST : released(valid);
      result = outcome;
      return outcome;
    } finally {
      releasing.unlock();
    }
  }

  /** Also on an interrupted thread; in the background if it fails now. */
  private Lease.ReleaseResult released(boolean valid) {
    boolean interrupted = Thread.interrupted();
    try {
      return leases.releaser().release(ownership());
    } catch (RuntimeException | Error e) {
      if (valid) {
        leases.releaser().releaseOrphan(ownership(), deadline);
      }
      throw e;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Override
  public void close() {
    if (result == null && release() == Lease.ReleaseResult.LOST) {
      throw lostBeforeRelease();
    }
  }

  LeaseLostException lostBeforeRelease() {
    return lostNow(
        "it was lost before it was released, and the work may have overlapped with the work of"
            + " another holder; guard writes with Fence");
  }

  @Override
  public String toString() {
    return "lease " + grant.target() + " with the token " + token();
  }

  /**
   * Renews the lease and detects its loss. Automatic renewal runs five times per duration, and more
   * often while the store fails. The lease is lost with a quarter of the duration left if renewal
   * has failed until then, and at its end if it is not renewed. Thread-safe.
   */
  private final class Renewal {
    private static final int RENEWALS_PER_DURATION = 5;
    private static final int RETRIES_PER_DURATION = 20;

    private boolean renewing;
    private boolean stopped;
    private boolean inProgress;
    private LeaseExecutors.@Nullable Alarm nextRenewal;
    private LeaseExecutors.@Nullable Alarm nextCheck;
    private @Nullable Throwable failure;

    synchronized void start(boolean renew) {
      if (stopped) {
        return;
      }
      if (renew && !renewing) {
        renewing = true;
        renewAt(deadline - durationNanos() + durationNanos() / RENEWALS_PER_DURATION);
      }
      if (nextCheck == null) {
        leases.watched(DefaultLease.this);
        checkAt(deadline - margin());
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
      leases.unwatched(DefaultLease.this);
    }

    private static void cancel(LeaseExecutors.@Nullable Alarm task) {
      if (task != null) {
        task.cancel();
      }
    }

    /** How long before its end a lease counts as lost, so that the work can end in time. */
    private long margin() {
      return renewing ? durationNanos() / 4 : 0;
    }

    private void checkAt(long moment) {
      nextCheck = leases.executors().at(moment, this::check);
    }

    private void check() {
      Throwable why;
      boolean wasRenewing;
      synchronized (this) {
        long end = deadline - margin();
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
      lose(wasRenewing ? "it could not be renewed in time" : "it has expired", why);
    }

    private void renewAt(long moment) {
      nextRenewal = leases.executors().at(moment, this::startRenewal);
    }

    private synchronized void startRenewal() {
      if (renewing && !stopped && !inProgress) {
        inProgress = true;
        leases.executors().renew(key(), this::renewInBackground, failure != null);
      }
    }

    private void renewInBackground() {
      try {
        if (isStopped() || DefaultLease.this.renew() == Lease.RenewResult.LOST) {
          return;
        }
        renewed(null, durationNanos() / RENEWALS_PER_DURATION);
      } catch (RuntimeException | Error e) {
        renewed(e, durationNanos() / RETRIES_PER_DURATION);
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
}
