package dev.holdfast.cache;

import dev.holdfast.lease.Lease;
import org.jspecify.annotations.Nullable;

/** How this process continues after it has read the store. */
sealed interface LoadDecision<V> {
  /** Nothing: there is a value. */
  record Found<V>(LocalEntry<V> copy) implements LoadDecision<V> {}

  /** Load it. */
  record Lead<V>(Lease lease, long generation, Epochs.Moment moment, @Nullable LocalEntry<V> old)
      implements LoadDecision<V> {}

  /** Wait for the process that loads it, and ask again after this time at the latest. */
  record Follow<V>(long pauseNanos, @Nullable LocalEntry<V> old) implements LoadDecision<V> {}
}
