package dev.holdfast.schedule;

import dev.holdfast.HoldfastException;
import java.time.Duration;
import java.time.Instant;

/** A schedule that is due and that a {@link ScheduleRunner} cannot fire at present. Retryable. */
public final class ScheduleOverdueException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  private final String name;

  ScheduleOverdueException(String name, Instant due, Duration seenFor) {
    super(
        "schedule-overdue",
        "the schedule '"
            + name
            + "' was due at "
            + due
            + " and could not be fired for "
            + seenFor.toSeconds()
            + " s: another session holds the lock of its row, or its definition cannot be read (see"
            + " the log); it is tried again",
        null);
    this.name = name;
  }

  /** The name of the schedule. */
  public String name() {
    return name;
  }

  @Override
  public boolean retryable() {
    return true;
  }
}
