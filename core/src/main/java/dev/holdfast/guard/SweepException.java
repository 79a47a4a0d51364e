package dev.holdfast.guard;

/**
 * A sweep cannot continue, for a reason that affects all rows: the database does not respond, is
 * read-only or rejects the change. Rows that were swept before stay swept; see {@link #result()}.
 */
public final class SweepException extends GuardException {
  private static final long serialVersionUID = 1L;

  private final transient SweepResult result;

  SweepException(String name, SweepResult result, RuntimeException cause) {
    super(
        "sweep-failed",
        "The sweep '%s' stopped after %d rows were recovered and %d failed: %s"
            .formatted(name, result.recovered(), result.failed(), cause.getMessage()),
        cause);
    this.result = result;
  }

  /** The result of the rows that are committed. */
  public SweepResult result() {
    return result;
  }
}
