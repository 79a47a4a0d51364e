package dev.holdfast.testing;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;

/**
 * A clock that stands still until a test moves it.
 *
 * <p>It shows UTC. A clock made by {@link #withZone} shows the same time in another zone and moves
 * with this one. Thread-safe: a moved clock is seen moved by all threads.
 */
public final class SettableClock extends Clock {

  private final AtomicReference<Instant> time;
  private final ZoneId zone;

  /** A clock that shows the given time. */
  public SettableClock(Instant start) {
    this(new AtomicReference<>(start), ZoneOffset.UTC);
  }

  private SettableClock(AtomicReference<Instant> time, ZoneId zone) {
    this.time = time;
    this.zone = zone;
  }

  /**
   * Moves the clock forward.
   *
   * @throws IllegalArgumentException if the step is negative; {@link #set} moves backwards
   */
  public void advance(Duration step) {
    if (step.isNegative()) {
      throw new IllegalArgumentException(
          "step must not be negative, was " + step + "; use set(Instant) to move backwards");
    }
    time.updateAndGet(now -> now.plus(step));
  }

  /** Moves the clock to the given time, which may be earlier. */
  public void set(Instant now) {
    time.set(now);
  }

  /**
   * A data source whose connections take this clock for the database's own: wherever a prepared
   * statement asks for the time as Holdfast does, it is given the time of this clock at the moment
   * when it is prepared.
   *
   * <p>That is {@code statement_timestamp()} on PostgreSQL, {@code UTC_TIMESTAMP(6)} and {@code
   * CURRENT_TIMESTAMP(6)} on MariaDB and MySQL, {@code CURRENT_TIMESTAMP} on H2. Other words for
   * the time, such as {@code now()}, defaults of columns, statements that are not prepared, and
   * text in quotes or comments stay as they are. As thread-safe as {@code dataSource}.
   */
  public DataSource over(DataSource dataSource) {
    return ClockedDataSource.of(dataSource, this);
  }

  @Override
  public Instant instant() {
    return time.get();
  }

  @Override
  public ZoneId getZone() {
    return zone;
  }

  @Override
  public SettableClock withZone(ZoneId other) {
    return new SettableClock(time, other);
  }

  @Override
  public String toString() {
    return "SettableClock[" + time.get() + ", " + zone + "]";
  }
}
