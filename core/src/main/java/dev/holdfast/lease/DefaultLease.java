package dev.holdfast.lease;

import dev.holdfast.internal.Require;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** A lease over its store. What keeps it alive and watches over it is its {@link Watch}. */
final class DefaultLease implements Lease {
  private static final Logger LOG = LoggerFactory.getLogger(Leases.class);

  private enum State {
    HELD,
    LOST,
    RELEASED
  }

  private final LeaseEngine engine;
  private final Grant grant;
  private final boolean insideTransactions;
  private final ReentrantLock releasing = new ReentrantLock();
  private volatile long deadline;
  private volatile State state = State.HELD;
  private volatile @Nullable Watch watch;
  private volatile boolean quiet;

  /** Whether the store has prolonged it after its loss, so that it is released at the old end. */
  private volatile boolean renewedLate;

  private @Nullable LeaseLostException loss;
  private @Nullable List<Consumer<LeaseLostException>> lossActions;
  private @Nullable ReleaseResult result;

  DefaultLease(LeaseEngine engine, Grant grant, boolean insideTransactions) {
    this.engine = engine;
    this.grant = grant;
    this.insideTransactions = insideTransactions;
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

  LeaseTarget target() {
    return grant.target();
  }

  LeaseStore.Hold hold() {
    return grant.hold();
  }

  Duration duration() {
    return grant.lease();
  }

  /** Until when, by {@link System#nanoTime()}. */
  long deadline() {
    return deadline;
  }

  boolean isHeld() {
    return state == State.HELD;
  }

  /** Also where the store did not answer, so that it just runs out. */
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
      throw lostNow(state == State.LOST ? "it is lost" : "it was released");
    }
    long left = deadline - System.nanoTime();
    if (left <= 0 || Duration.ofNanos(left).compareTo(margin) < 0) {
      throw lostNow("only " + remaining() + " of it are left, less than " + margin);
    }
  }

  private LeaseLostException lostNow(String why) {
    LeaseLostException known;
    synchronized (this) {
      known = loss;
    }
    return new LeaseLostException(key(), token(), why, known);
  }

  @Override
  public void onLost(Consumer<LeaseLostException> action) {
    Require.notNull(action, "action");
    LeaseLostException told;
    synchronized (this) {
      told = loss;
      if (told == null && state == State.HELD) {
        if (lossActions == null) {
          lossActions = new ArrayList<>(1);
        }
        lossActions.add(action);
      }
    }
    if (told != null) {
      tell(action, told);
    } else {
      watch(false);
    }
  }

  private void tell(Consumer<LeaseLostException> action, LeaseLostException told) {
    engine.keeper().apart(() -> action.accept(told), "the onLost action of the lease " + key());
  }

  /** Its loss is logged by whoever acquired it. */
  void loseQuietly() {
    quiet = true;
  }

  /** From now on somebody looks after it; with {@code renewing} it is kept alive. */
  void watch(boolean renewing) {
    Watch mine;
    synchronized (this) {
      if (state != State.HELD) {
        return;
      }
      mine = watch;
      if (mine == null) {
        mine = new Watch(engine, this);
        watch = mine;
      }
    }
    mine.start(renewing);
  }

  /** From now on nobody keeps it alive. */
  void stopRenewing() {
    Watch mine = watch;
    if (mine != null) {
      mine.stopRenewing();
    }
  }

  @Override
  public RenewResult renew() {
    return isValid() ? renewInTime() : lose("it had run out before it was renewed", null);
  }

  private RenewResult renewInTime() {
    long sent = System.nanoTime();
    if (engine.store().renew(hold(), duration()) == RenewResult.LOST) {
      return lose("the store says that it is not held any more", null);
    }
    long renewed = sent + duration().toNanos();
    synchronized (this) {
      if (isValid()) {
        if (renewed - deadline > 0) {
          deadline = renewed;
        }
        return RenewResult.RENEWED;
      }
    }
    // also where the statement waited for a row lock, and the store had prolonged an expired lease
    RenewResult late = lose("the answer to its renewal came after its end", null);
    if (state == State.LOST) {
      // the store keeps it for longer, but nobody has it; until its old end its holder may go on
      renewedLate = true;
      engine.orphans().releaseAt(deadline, hold(), renewed);
    }
    return late;
  }

  /** It is lost, unless it was released before; whoever wants to know is told. */
  RenewResult lose(String why, @Nullable Throwable cause) {
    List<Consumer<LeaseLostException>> actions;
    LeaseLostException told;
    synchronized (this) {
      if (state != State.HELD) {
        return RenewResult.LOST;
      }
      state = State.LOST;
      told = new LeaseLostException(key(), token(), why, cause);
      loss = told;
      actions = lossActions == null ? List.of() : lossActions;
    }
    LOG.atLevel(quiet ? Level.DEBUG : Level.WARN).log(told.getMessage());
    unwatch();
    actions.forEach(action -> tell(action, told));
    return RenewResult.LOST;
  }

  private void unwatch() {
    Watch mine = watch;
    if (mine != null) {
      mine.stop();
    }
  }

  @Override
  public ReleaseResult release() {
    releasing.lock();
    try {
      ReleaseResult known = result;
      if (known != null) {
        return known;
      }
      if (!insideTransactions && engine.isTransactionOpen()) {
        throw LeaseInTransactionException.releasing(key());
      }
      boolean valid = isValid();
      synchronized (this) {
        if (state == State.HELD) {
          state = State.RELEASED;
        }
      }
      unwatch();
      boolean releasedAlready = renewedLate && deadline - System.nanoTime() <= 0;
      ReleaseResult answer = releasedAlready ? ReleaseResult.WAS_LOST : released(valid);
      result = answer;
      return answer;
    } finally {
      releasing.unlock();
    }
  }

  /** Also on a thread that is interrupted, and later where it fails now. */
  private ReleaseResult released(boolean valid) {
    boolean interrupted = Thread.interrupted();
    try {
      return engine.releasing().release(hold());
    } catch (RuntimeException | Error e) {
      if (valid) {
        engine.orphans().release(hold(), deadline);
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
    if (result == null && release() == ReleaseResult.WAS_LOST) {
      throw lostBeforeItsEnd();
    }
  }

  LeaseLostException lostBeforeItsEnd() {
    return lostNow(
        "it was lost before it was released: its work may have met that of another holder; guard"
            + " the writes by Fence");
  }

  @Override
  public String toString() {
    return "lease " + grant.target() + " with the token " + token();
  }
}
