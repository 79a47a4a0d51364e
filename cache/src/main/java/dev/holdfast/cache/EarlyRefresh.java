package dev.holdfast.cache;

import java.util.concurrent.ThreadLocalRandom;

/**
 * When a value is loaded anew before it is over: with the probability {@code exp(-left / (β ·
 * load))}, the nearer its end and the longer its load, the likelier. That is optimal for many
 * independent callers: XFetch, by Vattani, Chierichetti and Lowenstein (VLDB 2015).
 */
final class EarlyRefresh {
  /** In multiples of β · load; before that it is less likely than once in 400 million calls. */
  private static final double WINDOW = 20;

  private EarlyRefresh() {}

  /** How long before its end it begins to be worth asking. */
  static long window(double beta, long loadNanos) {
    return (long) Math.min(beta * loadNanos * WINDOW, Long.MAX_VALUE / 4.0);
  }

  static boolean isDue(double beta, long loadNanos, long leftNanos) {
    // from 0 exclusive to 1 inclusive, since there is no logarithm of 0
    return isDue(1 - ThreadLocalRandom.current().nextDouble(), beta, loadNanos, leftNanos);
  }

  static boolean isDue(double random, double beta, long loadNanos, long leftNanos) {
    return beta > 0 && -beta * loadNanos * Math.log(random) >= leftNanos;
  }
}
