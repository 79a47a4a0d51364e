package dev.holdfast.schedule;

import dev.holdfast.internal.Require;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fires what is due, again and again, on a daemon thread of its own; for every instance.
 *
 * <p>Sleeps until the next fire, but no longer than the poll, so that a schedule of another
 * instance is seen. A database that is away is waited for: nothing but closing ends it. Uses one
 * connection at a time. Thread-safe.
 */
public final class ScheduleRunner implements AutoCloseable {
  static final Duration DEFAULT_POLL = Duration.ofSeconds(3);
  private static final Logger LOG = LoggerFactory.getLogger(ScheduleRunner.class);
  private static final Duration LONGEST_CLOSE = Duration.ofSeconds(10);
  private static final long SPREAD_MILLIS = 20;

  private final Schedules schedules;
  private final Duration poll;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Thread thread;
  private volatile @Nullable Throwable lastFailure;

  private ScheduleRunner(Schedules schedules, Duration poll) {
    this.schedules = schedules;
    this.poll = Require.between(poll, Duration.ofMillis(10), Duration.ofHours(1), "poll");
    this.thread = new Thread(this::run, "holdfast-schedules");
    thread.setDaemon(true);
  }

  static ScheduleRunner start(Schedules schedules, Duration poll) {
    ScheduleRunner runner = new ScheduleRunner(schedules, poll);
    runner.thread.start();
    return runner;
  }

  /** Whether it fires, and the last time did so without a failure. */
  public boolean isHealthy() {
    return closed.getCount() > 0 && lastFailure == null;
  }

  /** Why the last look failed; empty if it did not. */
  public Optional<Throwable> lastFailure() {
    return Optional.ofNullable(lastFailure);
  }

  /** Fires no more, and waits up to 10 s for what is under way. May be called again. */
  @Override
  public void close() {
    closed.countDown();
    try {
      // not interrupted: that would break the connections of some drivers
      thread.join(LONGEST_CLOSE.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    try {
      while (!closed.await(fireOnce(), TimeUnit.MILLISECONDS)) {
        LOG.trace("looking for due schedules");
      }
    } catch (InterruptedException e) {
      // nobody of ours interrupts this thread: whoever did wants it to end
      closed.countDown();
    }
  }

  /** Answers how many milliseconds to wait for the next. */
  @SuppressWarnings("CatchingUnchecked") // whatever it is, the next look may fare better
  private long fireOnce() {
    try {
      schedules.fireDue();
      long untilNext =
          schedules.untilNextFire().map(Duration::toMillis).orElse(Long.MAX_VALUE / 2) + 1;
      lastFailure = null;
      return Math.min(untilNext + chance(SPREAD_MILLIS), pollMillis());
    } catch (Throwable failure) {
      lastFailure = failure;
      LOG.warn("due schedules could not be fired, trying again: {}", failure.toString());
      return Math.min(pollMillis(), 1000);
    }
  }

  /** A fifth less by chance, so that instances do not look in step. */
  private long pollMillis() {
    long millis = poll.toMillis();
    return millis - chance(millis / 5);
  }

  private static long chance(long below) {
    return ThreadLocalRandom.current().nextLong(below + 1);
  }
}
