package dev.holdfast.lease;

/** What became of a renewal. */
public enum RenewResult {
  /** It is held for its whole duration again. */
  RENEWED,
  /** It had run out, or was taken away; it does not come back. */
  LOST
}
