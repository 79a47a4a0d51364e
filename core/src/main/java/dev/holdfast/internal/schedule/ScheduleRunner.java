package dev.holdfast.internal.schedule;

import dev.holdfast.Health.Issue;
import dev.holdfast.internal.RepeatingService;
import dev.holdfast.internal.Require;
import dev.holdfast.schedule.Schedules;
import dev.holdfast.transaction.DatabaseException;
import dev.holdfast.transaction.SqlError;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fires due schedules. Sleeps until the next fire, but no longer than the poll interval, so that it
 * sees schedules of other instances. Thread-safe.
 */
final class ScheduleRunner extends RepeatingService {
  static final Duration DEFAULT_POLL = Duration.ofSeconds(3);
  private static final Logger LOG = LoggerFactory.getLogger(Schedules.class);
  private static final Duration SHUTDOWN_TIMEOUT = Duration.ofSeconds(10);
  private static final Duration WITHOUT_TABLE = Duration.ofMinutes(1);
  private static final String CHECK_FAILED = "schedule-fire-failed";
  private static final String CHECK_STALLED = "schedule-check-stalled";
  private static final String OVERDUE = "schedule-overdue";
  private static final long SPREAD_MILLIS = 20;
  private static final long WHEN_OVERDUE_MILLIS = 500;

  private final DefaultSchedules schedules;
  private final Duration poll;
  private final OverdueWatch watch;
  private volatile @Nullable Long checkStarted;
  private volatile @Nullable Long lastCheck;
  private volatile boolean tableFound;
  private volatile boolean tableMissing;
  private @Nullable Class<?> lastFailure;

  ScheduleRunner(DefaultSchedules schedules, Duration poll) {
    super("schedule-runner", "holdfast-schedules", SHUTDOWN_TIMEOUT);
    this.schedules = schedules;
    this.poll = Require.between(poll, Duration.ofMillis(10), Duration.ofHours(1), "pollInterval");
    this.watch = new OverdueWatch(schedules.takeOverAfter().dividedBy(3));
  }

  @Override
  protected List<Issue> issues() {
    List<Issue> issues = new ArrayList<>(super.issues());
    Long started = checkStarted;
    if (started != null) {
      Duration taken = Duration.ofNanos(System.nanoTime() - started);
      if (taken.compareTo(schedules.takeOverAfter()) > 0) {
        issues.add(
            new Issue(
                CHECK_STALLED,
                "the check for due schedules has not ended for "
                    + taken.toSeconds()
                    + " s: the database does not respond, or the pool has no connection",
                taken));
      }
    }
    return issues;
  }

  @Override
  protected Map<String, String> details() {
    if (tableMissing) {
      return Map.of("table", "missing");
    }
    Long last = lastCheck;
    return last == null
        ? Map.of()
        : Map.of(
            "last-check", Duration.ofMillis((System.nanoTime() - last) / 1_000_000).toString());
  }

  @Override
  @SuppressWarnings("CatchingUnchecked") // the next check may succeed
  protected Duration repeat() {
    checkStarted = System.nanoTime();
    try {
      schedules.fireDue();
      DefaultSchedules.State state = schedules.state();
      lastCheck = System.nanoTime();
      tableFound = true;
      tableMissing = false;
      lastFailure = null;
      noteOverdue(watch.check(state.overdue(), System.nanoTime()).orElse(null));
      long untilNext = state.untilNext().map(Duration::toMillis).orElse(Long.MAX_VALUE / 2) + 1;
      long max = state.overdue().isEmpty() ? pollMillis() : Math.min(pollMillis(), overdueMillis());
      return Duration.ofMillis(Math.min(untilNext + jitter(SPREAD_MILLIS), max));
    } catch (Throwable failure) {
      return isTableMissing(failure) ? withoutTable() : afterFailure(failure);
    } finally {
      checkStarted = null;
    }
  }

  /** Only if the table never existed: a table that is gone later is a failure. */
  private boolean isTableMissing(Throwable failure) {
    return !tableFound
        && failure instanceof DatabaseException failed
        && failed.error() == SqlError.OBJECT_NOT_FOUND;
  }

  private Duration withoutTable() {
    if (!tableMissing) {
      LOG.info(
          "schedule-table-missing: the schema has no table of schedules; this instance fires none");
    }
    tableMissing = true;
    lastFailure = null;
    succeeded();
    return WITHOUT_TABLE;
  }

  private Duration afterFailure(Throwable failure) {
    failed(CHECK_FAILED, "due schedules could not be fired: " + failure);
    // not again for the same reason: an outage may take hours
    if (failure.getClass() != lastFailure) {
      LOG.warn(
          "schedule-fire-failed: could not fire due schedules; retrying in at most 1 s: {}",
          failure.toString());
    }
    lastFailure = failure.getClass();
    return Duration.ofMillis(Math.min(pollMillis(), 1000));
  }

  private void noteOverdue(@Nullable String overdue) {
    if (overdue == null) {
      succeeded();
    } else if (failed(OVERDUE, overdue)) {
      LOG.warn("schedule-overdue: {}", overdue);
    }
  }

  private static long overdueMillis() {
    return WHEN_OVERDUE_MILLIS + jitter(WHEN_OVERDUE_MILLIS);
  }

  /** With a jitter of a fifth, so that instances do not poll at the same moment. */
  private long pollMillis() {
    long millis = poll.toMillis();
    return millis - jitter(millis / 5);
  }

  private static long jitter(long below) {
    return ThreadLocalRandom.current().nextLong(below + 1);
  }
}
