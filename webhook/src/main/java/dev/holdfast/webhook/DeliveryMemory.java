package dev.holdfast.webhook;

import dev.holdfast.InvalidArgumentException;
import org.jspecify.annotations.Nullable;

/**
 * The heap that webhooks in flight need, so that slow targets cannot exhaust it.
 *
 * <p>Measured on JDK 17: 15 KB per call by http, 45 KB and the certificates by https, without idle
 * connections; 25 MB for the idle service. The rest is for bodies, requests to the API and the
 * garbage collector.
 */
public final class DeliveryMemory {
  private static final long MIB = 1024 * 1024;
  private static final long PER_CALL = 64 * 1024;
  private static final long BASE = 48 * MIB;

  /** Part of the heap that the calls and the base may use. */
  private static final double SHARE = 0.75;

  private DeliveryMemory() {}

  /** Maximum number of calls in flight with this heap; at least one. */
  static int maxCalls(long heapBytes) {
    return (int) Math.max(1, Math.min(Integer.MAX_VALUE, (heapBytes * SHARE - BASE) / PER_CALL));
  }

  /**
   * The requested concurrency; by default 2,000, or less if the heap is small.
   *
   * @throws InvalidArgumentException if it does not fit into the heap; names both, and what to set
   */
  public static int concurrency(@Nullable Integer requested, long heapBytes) {
    int max = maxCalls(heapBytes);
    if (requested == null) {
      return Math.min(DeliveryOptions.DEFAULT_CONCURRENCY, max);
    }
    if (requested > max) {
      throw new InvalidArgumentException(
          ("a concurrency of %d webhooks does not fit into the heap of %d MiB, which is enough for"
                  + " %d: set a concurrency of at most %d, or a heap of at least -Xmx%dm"
                  + " (HOLDFAST_JAVA_OPTIONS for ./holdfast serve)")
              .formatted(requested, heapBytes / MIB, max, max, heapFor(requested)));
    }
    return requested;
  }

  /** In MiB; more than needed, because a collector does not count all of it as heap. */
  private static long heapFor(int concurrency) {
    double bytes = (concurrency * (double) PER_CALL + BASE) / SHARE;
    return (long) Math.ceil(bytes * 1.05 / MIB / 16) * 16;
  }
}
