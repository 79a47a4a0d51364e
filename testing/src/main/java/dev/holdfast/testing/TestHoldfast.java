package dev.holdfast.testing;

import dev.holdfast.Holdfast;
import dev.holdfast.event.EventType;
import dev.holdfast.event.Worker;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;

/**
 * Holdfast whose time a test decides: it stands still until the test moves it.
 *
 * <pre>{@code
 * TestHoldfast test = TestHoldfast.on(dataSource, Instant.parse("2026-05-17T12:00:00Z"));
 * TestWorker worker = test.worker(w -> w.handle(BIRTHDAY, mails::send));
 * new Birthdays(test.holdfast()).register(ana);
 * test.assertScheduled(BIRTHDAY).withKey("birthday-42-2026").at(nineOClock).once();
 * worker.advance(Duration.ofDays(365));
 * }</pre>
 *
 * <p>Events, schedules, leases and guards of {@link #holdfast()} take the time of {@link #clock()}
 * for the database's; see {@link SettableClock#over} for what does not. Transactions in which
 * events are scheduled must therefore be on connections of {@link #dataSource()}. The database is
 * real, and Holdfast's tables must be there. Do not share its schema with workers that live by
 * another time: those who are ahead take the leases of the others for expired. Thread-safe.
 */
public final class TestHoldfast {
  private final SettableClock clock;
  private final DataSource dataSource;
  private final Holdfast holdfast;

  private TestHoldfast(SettableClock clock, DataSource dataSource, Holdfast holdfast) {
    this.clock = clock;
    this.dataSource = dataSource;
    this.holdfast = holdfast;
  }

  /** On this database, at the present second. */
  public static TestHoldfast on(DataSource dataSource) {
    return on(dataSource, Instant.now().truncatedTo(ChronoUnit.SECONDS));
  }

  /** On this database, at this time. */
  public static TestHoldfast on(DataSource dataSource, Instant start) {
    SettableClock clock = new SettableClock(start);
    DataSource clocked = clock.over(dataSource);
    return new TestHoldfast(clock, clocked, Holdfast.using(clocked));
  }

  /** With Holdfast's tables in the schema of this name, by the same clock. */
  public TestHoldfast schema(String name) {
    return new TestHoldfast(clock, dataSource, holdfast.schema(name));
  }

  /** What the code under test is given. */
  public Holdfast holdfast() {
    return holdfast;
  }

  /** The database, by this clock. */
  public DataSource dataSource() {
    return dataSource;
  }

  /** The clock; to move it and handle what becomes due on the way, see {@link TestWorker}. */
  public SettableClock clock() {
    return clock;
  }

  /** A worker that is driven by hand. */
  public TestWorker worker(UnaryOperator<Worker.Builder> handlers) {
    return new TestWorker(holdfast, clock, handlers.apply(holdfast.worker()).buildManual());
  }

  /**
   * Asserts that there is an event of this type that waits to be handled, as a retry too, and goes
   * on with those that there are.
   *
   * @throws AssertionError if there is none; it lists what there is
   */
  public <P> ScheduledEvents<P> assertScheduled(EventType<P> type) {
    return ScheduledEvents.of(holdfast.events(), clock, type);
  }

  /** Asserts that no event waits to be handled. */
  public void assertNothingScheduled() {
    PendingEvents.requireNone(PendingEvents.all(holdfast.events()), "no event must be scheduled");
  }

  /** Asserts that no event of this type waits to be handled. */
  public void assertNothingScheduled(EventType<?> type) {
    PendingEvents.requireNone(
        PendingEvents.of(holdfast.events(), type),
        "no event of the type '" + type + "' must be scheduled");
  }
}
