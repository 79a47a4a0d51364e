package dev.holdfast.guard;

import dev.holdfast.HoldfastException;

/**
 * A sweep over stuck rows that could not go on, and not because of a row: the database is gone or
 * read-only, does not answer in time how many rows have no time, or does not allow the change, or a
 * name is wrong. What it had done by then stays done; {@link #result()} tells.
 */
public final class SweepException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  private final transient SweepResult result;

  SweepException(String name, SweepResult result, RuntimeException cause) {
    super(
        "sweep-stopped",
        "the sweep '%s' was stopped after %d rows were recovered and %d failed: %s"
            .formatted(name, result.recovered(), result.failed(), cause.getMessage()),
        cause);
    this.result = result;
  }

  /** What was done before, and is committed. */
  public SweepResult result() {
    return result;
  }
}
