package dev.holdfast.transaction;

/**
 * Hears of every attempt that a named guard or retry runner makes, and how it ended.
 *
 * <p>Called on the thread that does the work, inside its transaction: be quick and do not throw.
 * Must be thread-safe.
 */
public interface ConflictListener {
  /** A listener that hears nothing. */
  ConflictListener NONE = new ConflictListener() {};

  /** The guard was tried once; {@code conflict} tells whether somebody else was in its way. */
  default void attempted(GuardKind kind, String guard, boolean conflict) {}

  /** The work around the guard is about to be tried once more. */
  default void retrying(GuardKind kind, String guard) {}
}
