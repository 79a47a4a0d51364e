package dev.holdfast.race.internal.model;

/** What a step is. */
public enum StepKind {
  /** One statement, or several that were sent as one text. */
  STATEMENT,
  /** A JDBC batch, which is sent as one. */
  BATCH,
  COMMIT,
  ROLLBACK,
  /** {@code ROLLBACK TO SAVEPOINT}. */
  ROLLBACK_TO,
  /** A place that the test has named: something happens outside of the database. */
  POINT,
  /** Likewise, and it is counted. */
  EFFECT
}
