package dev.holdfast.testing;

import dev.holdfast.Holdfast;
import dev.holdfast.event.ManualWorker;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A worker that a test drives by hand, in its own thread and by its own clock; made by {@link
 * TestHoldfast#worker}.
 *
 * <p>Events and schedules behave as in production, but for what {@link ManualWorker} says: they are
 * claimed, handled and ended one after the other in the test's thread, and all is stored when a
 * call returns. Handlers that throw follow their retry policy; the answer shows what they threw.
 * Delays of retries are random up to their limit, so advance by at least that. For one thread.
 */
public final class TestWorker {
  private static final int DEFAULT_LIMIT = 10_000;
  private static final int LISTED = 5;

  private final Holdfast holdfast;
  private final SettableClock clock;
  private final ManualWorker worker;
  private int limit = DEFAULT_LIMIT;
  private boolean failFast;

  TestWorker(Holdfast holdfast, SettableClock clock, ManualWorker worker) {
    this.holdfast = holdfast;
    this.clock = clock;
    this.worker = worker;
  }

  /**
   * From now on a handler that throws ends the call with an {@link AssertionError} whose cause that
   * is. Its event has followed the retry policy all the same.
   */
  public TestWorker failFast() {
    failFast = true;
    return this;
  }

  /** How many events one call may handle, or schedules make, before it fails; 10 000 by default. */
  public TestWorker limit(int most) {
    if (most < 1) {
      throw new IllegalArgumentException("limit must be at least 1, was " + most);
    }
    limit = most;
    return this;
  }

  /**
   * Fires every schedule and handles every event that is due now, with what handlers schedule for
   * now and retries that are due now, until nothing is due.
   *
   * @return what became of them, in the order in which they were handled
   * @throws AssertionError if there is no end to it
   */
  public List<ManualWorker.Result> runDue() {
    Run run = new Run();
    run.due();
    return run.handled();
  }

  /**
   * Moves the clock forward, and handles everything that is due on the way in the order of time:
   * the clock stops at each time at which an event is due or a schedule fires, so that handlers see
   * the time at which they would run. Ends at the new time, where nothing is due any more.
   *
   * @param step zero is {@link #runDue()}
   * @return what became of the events, in the order in which they were handled
   * @throws IllegalArgumentException if the step is negative, or leads behind the year 9999
   * @throws AssertionError if there is no end to it
   */
  public List<ManualWorker.Result> advance(Duration step) {
    if (step.isNegative()) {
      throw new IllegalArgumentException("step must not be negative, was " + step);
    }
    Instant now = clock.instant();
    if (step.compareTo(Duration.between(now, ClockWords.LAST)) > 0) {
      throw new IllegalArgumentException(
          "step must not lead behind " + ClockWords.LAST + ", was " + step + " from " + now);
    }
    return advanceTo(now.plus(step));
  }

  /** As {@link #advance}, up to this time, which must not be before now. */
  public List<ManualWorker.Result> advanceTo(Instant end) {
    Instant now = clock.instant();
    if (end.isBefore(now) || end.isAfter(ClockWords.LAST)) {
      throw new IllegalArgumentException(
          "end must be from " + now + " to " + ClockWords.LAST + ", was " + end);
    }
    Run run = new Run();
    run.due();
    Optional<Instant> next = next();
    while (next.isPresent() && !next.get().isAfter(end)) {
      clock.set(next.get());
      run.due();
      next = next();
    }
    // a handler may have moved it further
    if (clock.instant().isBefore(end)) {
      clock.set(end);
    }
    return run.handled();
  }

  private Optional<Instant> next() {
    Instant now = clock.instant();
    return Stream.of(worker.timeUntilNextDue(), holdfast.schedules().timeUntilNextFire())
        .flatMap(Optional::stream)
        .min(Duration::compareTo)
        .map(now::plus);
  }

  /** One call, with what it has handled and fired so far. */
  private final class Run {
    private final List<ManualWorker.Result> handled = new ArrayList<>();
    private int fired;

    List<ManualWorker.Result> handled() {
      return List.copyOf(handled);
    }

    void due() {
      fire();
      // while they were handled the clock may have come to a further fire
      while (handleAll() && fire()) {}
    }

    /** Answers whether there were any. */
    private boolean handleAll() {
      int before = handled.size();
      Optional<ManualWorker.Result> next = worker.handleNext();
      while (next.isPresent()) {
        handled.add(next.get());
        if (failFast && next.get().failure().isPresent()) {
          throw new AssertionError(
              "a handler has failed: " + next.get(), next.get().failure().get());
        }
        requireEnd();
        next = worker.handleNext();
      }
      return handled.size() > before;
    }

    /** Answers whether there were any. */
    private boolean fire() {
      int events = holdfast.schedules().fireDue().events();
      fired += events;
      requireEnd();
      return events > 0;
    }

    private void requireEnd() {
      if (Math.max(handled.size(), fired) <= limit) {
        return;
      }
      StringBuilder last = new StringBuilder();
      handled.stream()
          .skip(Math.max(0, handled.size() - LISTED))
          .forEach(event -> last.append("\n  ").append(event));
      throw new AssertionError(
          "one call must come to an end within "
              + limit
              + " events, was at "
              + clock.instant()
              + " after handling "
              + handled.size()
              + " and firing "
              + fired
              + "; if no handler schedules its own type again and again, raise limit(…). The last"
              + " were"
              + last);
    }
  }
}
