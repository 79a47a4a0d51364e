package dev.holdfast.race.internal.model;

/**
 * Ends an actor whose run has ended or whose process has died: thrown by its gates, and by every
 * later call to the database. An error and not an exception, so that the code under test does not
 * handle it.
 */
public final class RunAborted extends Error {
  private static final long serialVersionUID = 1;

  public RunAborted(String why) {
    super(why, /* cause= */ null, /* enableSuppression= */ false, /* writableStackTrace= */ false);
  }
}
