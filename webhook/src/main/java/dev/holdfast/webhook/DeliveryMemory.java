package dev.holdfast.webhook;

import dev.holdfast.InvalidArgumentException;
import org.jspecify.annotations.Nullable;

/**
 * How much heap the webhooks in flight need, so that slow targets cannot exhaust it.
 *
 * <p>Measured on JDK 17: 15 KB for a call by http, 45 KB and its certificates by https, idle
 * connections not counted; 25 MB for the service at rest. What remains is for the bodies, the
 * requests to the API, and the garbage collector.
 */
public final class DeliveryMemory {
  private static final long MIB = 1024 * 1024;
  private static final long PER_CALL = 64 * 1024;
  private static final long BASE = 48 * MIB;

  /** Of the heap, what the calls and the base may use together. */
  private static final double SHARE = 0.75;

  private DeliveryMemory() {}

  /** How many calls may be in flight with this heap; at least one. */
  static int maxCalls(long heapBytes) {
    return (int) Math.max(1, Math.min(Integer.MAX_VALUE, (heapBytes * SHARE - BASE) / PER_CALL));
  }

  /**
   * The concurrency that was asked for; where none was, the standard, or what fits into the heap.
   *
   * @throws InvalidArgumentException where it does not fit; it names both, and what to set
   */
  public static int concurrency(@Nullable Integer wanted, long heapBytes) {
    int most = maxCalls(heapBytes);
    if (wanted == null) {
      return Math.min(DeliverySettings.STANDARD_CONCURRENCY, most);
    }
    if (wanted > most) {
      throw new InvalidArgumentException(
          ("a concurrency of %d webhooks does not fit into the heap of %d MiB, which is enough for"
                  + " %d: set a concurrency of at most %d, or a heap of at least -Xmx%dm"
                  + " (HOLDFAST_JAVA_OPTIONS for ./holdfast serve)")
              .formatted(wanted, heapBytes / MIB, most, most, heapFor(wanted)));
    }
    return wanted;
  }

  /** In MiB; more than is needed by the part that a collector does not count as heap. */
  private static long heapFor(int concurrency) {
    double bytes = (concurrency * (double) PER_CALL + BASE) / SHARE;
    return (long) Math.ceil(bytes * 1.05 / MIB / 16) * 16;
  }
}
