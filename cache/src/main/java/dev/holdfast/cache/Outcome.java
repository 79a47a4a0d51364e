package dev.holdfast.cache;

/** How a {@link Load} has ended. */
sealed interface Outcome<V> {
  /** With a value, or with what the store knows of a failure. */
  record Ended<V>(Copy<V> copy) implements Outcome<V> {}

  /** Its own loader has failed. */
  record Failed<V>(Throwable why) implements Outcome<V> {}

  /** Nobody waited any longer. */
  record GaveUp<V>() implements Outcome<V> {}
}
