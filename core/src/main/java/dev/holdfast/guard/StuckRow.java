package dev.holdfast.guard;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A stuck row as a sweep has met it.
 *
 * @param time what the time column held, as the database writes it; together with the key it is the
 *     place in the order of the sweep. Of a batch that was recovered at once only the last row's is
 *     known
 * @param last whether it had no attempt left
 * @param changed whether the database has changed it
 */
record StuckRow(Object key, @Nullable String time, boolean last, boolean changed) {
  /** The key in a form that can be compared: arrays compare by identity. */
  Object comparableKey() {
    return key instanceof byte[] bytes ? ByteBuffer.wrap(bytes) : key;
  }
}
