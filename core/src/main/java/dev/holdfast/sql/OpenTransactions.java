package dev.holdfast.sql;

/** Counts the transactions whose work runs on a thread. */
final class OpenTransactions {
  private static final ThreadLocal<int[]> DEPTH = ThreadLocal.withInitial(() -> new int[1]);

  private OpenTransactions() {}

  static void begin() {
    DEPTH.get()[0]++;
  }

  static void end() {
    DEPTH.get()[0]--;
  }

  static boolean any() {
    return DEPTH.get()[0] > 0;
  }
}
