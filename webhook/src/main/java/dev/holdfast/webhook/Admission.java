package dev.holdfast.webhook;

import java.time.Duration;

/** Whether a call may go to its target now. */
public sealed interface Admission {

  /** It may; the permit must be given back with what happened. */
  record Go(Permit permit) implements Admission {}

  /**
   * It may not yet. It is not rejected: ask again then.
   *
   * @param delay how long to wait, different for each so that not all come at once
   * @param reason in words
   */
  record Wait(Duration delay, String reason) implements Admission {}
}
