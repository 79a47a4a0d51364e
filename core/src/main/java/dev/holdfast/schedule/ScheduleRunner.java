package dev.holdfast.schedule;

import dev.holdfast.internal.Require;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
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
  private static final long WHEN_OVERDUE_MILLIS = 500;

  private final Schedules schedules;
  private final Duration poll;
  private final OverdueWatch watch;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Thread thread;
  private volatile @Nullable Throwable lastFailure;
  private volatile @Nullable Long lookBegan;

  private ScheduleRunner(Schedules schedules, Duration poll) {
    this.schedules = schedules;
    this.poll = Require.between(poll, Duration.ofMillis(10), Duration.ofHours(1), "poll");
    this.watch = new OverdueWatch(schedules.takeOverAfter().dividedBy(3));
    this.thread = new Thread(this::run, "holdfast-schedules");
    thread.setDaemon(true);
  }

  static ScheduleRunner start(Schedules schedules, Duration poll) {
    ScheduleRunner runner = new ScheduleRunner(schedules, poll);
    runner.thread.start();
    return runner;
  }

  /**
   * Whether it fires: it is not closed, its last look at what is due did not fail and left nothing
   * overdue, and the one under way does not take longer than {@link Schedules#takeOverAfter}.
   */
  public boolean isHealthy() {
    return closed.getCount() > 0 && lastFailure().isEmpty();
  }

  /**
   * Why due schedules could not be looked at or fired the last time; empty if they could. A {@link
   * ScheduleOverdueException} where one is due and another session holds its row; a {@link
   * TimeoutException} where the database does not answer.
   */
  public Optional<Throwable> lastFailure() {
    Throwable failure = lastFailure;
    Long began = lookBegan;
    if (failure == null && began != null) {
      Duration taken = Duration.ofNanos(System.nanoTime() - began);
      if (taken.compareTo(schedules.takeOverAfter()) > 0) {
        failure =
            new TimeoutException(
                "the look at the due schedules has not ended for "
                    + taken.toSeconds()
                    + " s: the database does not answer, or the pool has no connection");
      }
    }
    return Optional.ofNullable(failure);
  }

  /** Fires no more, and waits up to 10 s for what is under way. May be called again. */
  @Override
  public void close() {
    close(LONGEST_CLOSE);
  }

  /**
   * Fires no more, and waits up to {@code limit} for what is under way. May be called again.
   *
   * @return whether it has ended; where the database does not answer it may not have, and then its
   *     thread ends by itself when the look under way does
   */
  public boolean close(Duration limit) {
    Require.between(limit, Duration.ZERO, Duration.ofHours(1), "limit");
    closed.countDown();
    try {
      // not interrupted: that would break the connections of some drivers
      thread.join(Math.max(1, limit.toMillis()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    boolean ended = !thread.isAlive();
    if (!ended) {
      LOG.warn(
          "the schedule runner was closed and a look at the due schedules has not ended within {}:"
              + " the database does not answer; its thread ends when the look does",
          limit);
    }
    return ended;
  }

  private void run() {
    try {
      while (!closed.await(fireOnce(), TimeUnit.MILLISECONDS)) {
        LOG.trace("looking for due schedules");
      }
    } catch (InterruptedException e) {
      // nothing of ours interrupts this thread: it is asked to end
      closed.countDown();
    }
  }

  /** Answers how many milliseconds to wait for the next. */
  @SuppressWarnings("CatchingUnchecked") // whatever it is, the next look may fare better
  private long fireOnce() {
    lookBegan = System.nanoTime();
    try {
      schedules.fireDue();
      Schedules.Rest rest = schedules.rest();
      overdue(watch.left(rest.overdue(), System.nanoTime()).orElse(null));
      long untilNext = rest.untilNext().map(Duration::toMillis).orElse(Long.MAX_VALUE / 2) + 1;
      long most = rest.overdue().isEmpty() ? pollMillis() : Math.min(pollMillis(), overdueMillis());
      return Math.min(untilNext + chance(SPREAD_MILLIS), most);
    } catch (Throwable failure) {
      if (isNews(failure)) {
        LOG.warn(
            "due schedules could not be fired, trying again until they are: {}",
            failure.toString());
      }
      lastFailure = failure;
      return Math.min(pollMillis(), 1000);
    } finally {
      lookBegan = null;
    }
  }

  /** Not where the look before this one has failed, too: an outage may take hours. */
  private boolean isNews(Throwable failure) {
    Throwable before = lastFailure;
    return before == null || before.getClass() != failure.getClass();
  }

  private void overdue(@Nullable ScheduleOverdueException overdue) {
    if (overdue != null && !(lastFailure instanceof ScheduleOverdueException)) {
      LOG.warn("{}", overdue.getMessage());
    }
    lastFailure = overdue;
  }

  private static long overdueMillis() {
    return WHEN_OVERDUE_MILLIS + chance(WHEN_OVERDUE_MILLIS);
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
