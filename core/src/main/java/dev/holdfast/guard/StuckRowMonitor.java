package dev.holdfast.guard;

import dev.holdfast.internal.Require;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running stuck-row monitor: sweeps at once, then again and again, on a daemon thread of its own.
 *
 * <p>Between two sweeps it waits for the interval, a fifth more or less by chance, so that the
 * instances of a service do not sweep in step. A sweep that fails is logged and told to the
 * listener, and the next one comes all the same. Safe to run on every instance. Thread-safe.
 */
public final class StuckRowMonitor implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StuckRowMonitor.class);
  private static final Duration SHORTEST_INTERVAL = Duration.ofMillis(10);
  private static final Duration LONGEST_INTERVAL = Duration.ofDays(1);
  private static final Duration LONGEST_CLOSE = Duration.ofSeconds(10);
  private static final double JITTER = 0.2;

  private final String name;
  private final Duration interval;
  private final Function<BooleanSupplier, SweepResult> sweep;
  private final Listener listener;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Thread thread;
  private volatile @Nullable SweepResult lastResult;
  private volatile @Nullable Throwable lastFailure;

  /**
   * Hears how each sweep ended, on the thread of the monitor: the next sweep waits for it. What it
   * throws is logged.
   */
  public interface Listener {
    /** A listener that hears nothing. */
    Listener NONE = new Listener() {};

    /** A sweep has ended. */
    default void swept(SweepResult result) {}

    /** A sweep has failed; a {@link SweepStoppedException} carries what it did before. */
    default void failed(Throwable failure) {}
  }

  private StuckRowMonitor(
      String name,
      Duration interval,
      Function<BooleanSupplier, SweepResult> sweep,
      Listener listener) {
    this.name = name;
    this.interval = interval;
    this.sweep = sweep;
    this.listener = listener;
    this.thread = new Thread(this::run, "holdfast " + name);
    thread.setDaemon(true);
  }

  static StuckRowMonitor start(
      String name,
      Duration interval,
      Function<BooleanSupplier, SweepResult> sweep,
      Listener listener) {
    StuckRowMonitor monitor =
        new StuckRowMonitor(
            name,
            Require.between(interval, SHORTEST_INTERVAL, LONGEST_INTERVAL, "interval"),
            sweep,
            Require.notNull(listener, "listener"));
    monitor.thread.start();
    return monitor;
  }

  /** What the last sweep that ended has done, also where it was stopped; empty before the first. */
  public Optional<SweepResult> lastResult() {
    return Optional.ofNullable(lastResult);
  }

  /** Why the last sweep failed; empty if it did not. */
  public Optional<Throwable> lastFailure() {
    return Optional.ofNullable(lastFailure);
  }

  /** Whether sweeps still come. */
  public boolean running() {
    return closed.getCount() > 0;
  }

  /**
   * Begins no further sweep, and waits up to 10 s for the one that runs: it ends with the batch it
   * is at. If that takes longer it is left to end by itself; nothing is lost by it. May be called
   * again, and by the listener, which does not wait for itself.
   */
  @Override
  public void close() {
    closed.countDown();
    if (Thread.currentThread() == thread) {
      return;
    }
    try {
      // not interrupted: that would break the connections of some drivers
      thread.join(LONGEST_CLOSE.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (thread.isAlive()) {
      LOG.warn("the sweep '{}' still runs after its monitor was closed; it ends by itself", name);
    }
  }

  private void run() {
    try {
      do {
        sweepOnce();
      } while (!closed.await(pause().toNanos(), TimeUnit.NANOSECONDS));
    } catch (InterruptedException e) {
      // nobody of ours interrupts this thread: whoever did wants it to end
      closed.countDown();
    }
  }

  @SuppressWarnings("CatchingUnchecked") // whatever it is, the next sweep may fare better
  private void sweepOnce() {
    try {
      SweepResult result = sweep.apply(this::running);
      lastResult = result;
      lastFailure = null;
      log(result);
      tell(() -> listener.swept(result));
    } catch (Throwable failure) {
      if (failure instanceof SweepStoppedException stopped) {
        lastResult = stopped.result();
      }
      lastFailure = failure;
      LOG.error("the sweep '{}' failed; the next one comes after {}", name, interval, failure);
      tell(() -> listener.failed(failure));
    }
  }

  private void log(SweepResult result) {
    if (!result.poisoned().isEmpty()) {
      LOG.warn(
          "the sweep '{}' could not change {} rows, the first of them: {}",
          name,
          result.poisoned().size(),
          result.poisoned().get(0));
    }
    if (result.undated() > 0) {
      LOG.warn(
          "the sweep '{}' leaves {} rows in work alone, because their time is null; set it, and let a"
              + " CHECK or NOT NULL keep it from being null in that status",
          name,
          result.undated());
    }
    if (result.recovered() + result.failed() > 0) {
      LOG.info(
          "the sweep '{}' recovered {} rows and failed {}",
          name,
          result.recovered(),
          result.failed());
    }
  }

  @SuppressWarnings("CatchingUnchecked") // a listener must not end the monitor
  private void tell(Runnable listening) {
    try {
      listening.run();
    } catch (Throwable failure) {
      LOG.error("the listener of the sweep '{}' failed", name, failure);
    }
  }

  private Duration pause() {
    double factor = 1 - JITTER + 2 * JITTER * ThreadLocalRandom.current().nextDouble();
    return Duration.ofNanos((long) (interval.toNanos() * factor));
  }

  @Override
  public String toString() {
    return "StuckRowMonitor[" + name + ", every " + interval + (running() ? "]" : ", closed]");
  }
}
