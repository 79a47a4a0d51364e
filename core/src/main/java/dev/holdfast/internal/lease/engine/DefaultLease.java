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

/** A lease in a store; its {@link LeaseRenewal} renews it and detects its loss. */
public final class DefaultLease implements Lease {
  private static final Logger LOG = LoggerFactory.getLogger(Leases.class);

  private enum State {
    HELD,
    LOST,
    RELEASED
  }

  private final LeaseEngine engine;
  private final Grant grant;
  private final boolean allowedInTransaction;
  private final ReentrantLock releasing = new ReentrantLock();
  private volatile long deadline;
  private volatile State state = State.HELD;
  private volatile @Nullable LeaseRenewal renewal;
  private volatile boolean logsAtDebug;

  /** Whether the store has extended the lease after its loss; it is released at its old end. */
  private volatile boolean renewedLate;

  private @Nullable LeaseLostException loss;
  private @Nullable List<Consumer<LeaseLostException>> lossActions;
  private Lease.@Nullable ReleaseResult result;

  DefaultLease(LeaseEngine engine, Grant grant, boolean allowedInTransaction) {
    this.engine = engine;
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

  /** The end of the lease by {@link System#nanoTime()}. */
  long deadline() {
    return deadline;
  }

  boolean isHeld() {
    return state == State.HELD;
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
    engine.executors().runLostAction(key(), () -> action.accept(lost));
  }

  /** Logs the loss of this lease at DEBUG instead of WARN: its holder logs it. */
  public void logLossAtDebug() {
    logsAtDebug = true;
  }

  /** Detects the loss of the lease from now on; with {@code autoRenew} also renews it. */
  void watch(boolean autoRenew) {
    LeaseRenewal current;
    synchronized (this) {
      if (state != State.HELD) {
        return;
      }
      current = renewal;
      if (current == null) {
        current = new LeaseRenewal(engine, this);
        renewal = current;
      }
    }
    current.start(autoRenew);
  }

  /** Ends automatic renewal; the loss is still detected. */
  void stopRenewing() {
    LeaseRenewal current = renewal;
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
    if (engine.store().renew(ownership(), duration()) == Lease.RenewResult.LOST) {
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
      engine.orphans().releaseAt(deadline, ownership(), renewed);
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
    LeaseRenewal current = renewal;
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
      if (!allowedInTransaction && engine.isTransactionOpen()) {
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
      Lease.ReleaseResult answer = releasedAlready ? Lease.ReleaseResult.LOST : released(valid);
      result = answer;
      return answer;
    } finally {
      releasing.unlock();
    }
  }

  /** Also on an interrupted thread; in the background if it fails now. */
  private Lease.ReleaseResult released(boolean valid) {
    boolean interrupted = Thread.interrupted();
    try {
      return engine.releaser().release(ownership());
    } catch (RuntimeException | Error e) {
      if (valid) {
        engine.orphans().release(ownership(), deadline);
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
}
