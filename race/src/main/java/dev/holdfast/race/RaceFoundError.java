package dev.holdfast.race;

/** A race was found: the test fails, with the whole report as its message. */
public final class RaceFoundError extends AssertionError {
  private static final long serialVersionUID = 1;

  private final transient RaceReport report;

  RaceFoundError(RaceReport report, String message) {
    super(message);
    this.report = report;
  }

  public RaceReport report() {
    return report;
  }
}
