package dev.holdfast.cache;

import dev.holdfast.lease.Lease;
import org.jspecify.annotations.Nullable;

/** What this process is to do about a name, after it has asked the store. */
sealed interface LoadTurn<V> {
  /** Nothing: there is a value. */
  record Found<V>(Copy<V> copy) implements LoadTurn<V> {}

  /** Load it. */
  record Lead<V>(Lease lease, long generation, Epochs.Moment moment, @Nullable Copy<V> old)
      implements LoadTurn<V> {}

  /** Wait for the process that loads it, and ask again after this time at the latest. */
  record Follow<V>(long pauseNanos, @Nullable Copy<V> old) implements LoadTurn<V> {}
}
