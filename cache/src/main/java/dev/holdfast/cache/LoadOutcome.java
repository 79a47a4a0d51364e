package dev.holdfast.cache;

/** The outcome of a {@link Load}. */
sealed interface LoadOutcome<V> {
  /** With a value, or with what the store knows of a failure. */
  record Ended<V>(LocalEntry<V> copy) implements LoadOutcome<V> {}

  /** Its own loader has failed. */
  record Failed<V>(Throwable why) implements LoadOutcome<V> {}

  /** Nobody waited any longer. */
  record GaveUp<V>() implements LoadOutcome<V> {}
}
