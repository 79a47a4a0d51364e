package dev.holdfast.schedule;

import dev.holdfast.HoldfastException;

/** A schedule that somebody else has changed in the meantime. Retryable in a fresh transaction. */
public final class ScheduleChangedException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  ScheduleChangedException(String name, int version) {
    super(
        "schedule-changed",
        "the schedule '" + name + "' must be at version " + version + ", is not any more",
        null);
  }

  @Override
  public boolean retryable() {
    return true;
  }
}
