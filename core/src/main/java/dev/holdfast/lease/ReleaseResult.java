package dev.holdfast.lease;

/** What became of a release. */
public enum ReleaseResult {
  /** It was held until now, and is free. */
  RELEASED,
  /**
   * It had run out, or was taken away, before it was released: since then another may have held it.
   */
  WAS_LOST
}
