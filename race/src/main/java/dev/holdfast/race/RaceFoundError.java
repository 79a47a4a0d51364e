package dev.holdfast.race;

/** Fails a test because of a finding. The message contains the report. */
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
