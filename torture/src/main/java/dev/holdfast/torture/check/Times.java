package dev.holdfast.torture.check;

import java.util.List;

/** Times for readers. */
public final class Times {
  private static final double NANOS = 1e9;

  private Times() {}

  public static double seconds(long nanos) {
    return nanos / NANOS;
  }

  /** The value that this part of the values does not exceed; 0 of none. */
  static long percentile(List<Long> values, double part) {
    if (values.isEmpty()) {
      return 0;
    }
    List<Long> sorted = values.stream().sorted().toList();
    int index = (int) Math.ceil(part * sorted.size()) - 1;
    return sorted.get(Math.max(0, index));
  }
}
