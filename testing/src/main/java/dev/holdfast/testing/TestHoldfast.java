package dev.holdfast.testing;

import dev.holdfast.Holdfast;
import dev.holdfast.event.EventType;
import dev.holdfast.event.Worker;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Holdfast with a clock that the test sets: the time stands still until the test moves it.
 *
 * <pre>{@code
 * TestHoldfast test =
 *     TestHoldfast.builder(dataSource).startTime(Instant.parse("2026-05-17T12:00:00Z")).build();
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

  /** On this database, with the default settings. */
  public static TestHoldfast create(DataSource dataSource) {
    return builder(dataSource).build();
  }

  /** The settings of a TestHoldfast on this database. */
  public static Builder builder(DataSource dataSource) {
    return new Builder(dataSource);
  }

  /** The settings of a {@link TestHoldfast}. Not thread-safe. */
  public static final class Builder {
    private final DataSource dataSource;
    private Instant startTime = Instant.now().truncatedTo(ChronoUnit.SECONDS);
    private @Nullable String schema;

    private Builder(DataSource dataSource) {
      this.dataSource = Objects.requireNonNull(dataSource, "dataSource");
    }

    /** The time at which the clock starts; by default the present second. */
    public Builder startTime(Instant time) {
      this.startTime = Objects.requireNonNull(time, "time");
      return this;
    }

    /** The schema of Holdfast's tables; see {@link Holdfast.Builder#schema}. */
    public Builder schema(String name) {
      this.schema = Objects.requireNonNull(name, "name");
      return this;
    }

    /** Connects once, to detect the database. */
    public TestHoldfast build() {
      SettableClock clock = new SettableClock(startTime);
      DataSource clocked = clock.over(dataSource);
      Holdfast.Builder holdfast = Holdfast.builder(clocked);
      if (schema != null) {
        holdfast.schema(schema);
      }
      return new TestHoldfast(clock, clocked, holdfast.build());
    }
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
  public <P> EventAssert<P> assertScheduled(EventType<P> type) {
    return EventAssert.of(holdfast.events(), clock, type);
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
