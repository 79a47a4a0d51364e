package dev.holdfast.race.internal.model;

/**
 * Ends an actor whose run is over, or whose process has died: thrown by its gates, and by whatever
 * it asks of the database afterwards. Not an exception, so that the code does not take it for one.
 */
public final class RunCut extends Error {
  private static final long serialVersionUID = 1;

  public RunCut(String why) {
    super(why, /* cause= */ null, /* enableSuppression= */ false, /* writableStackTrace= */ false);
  }
}
