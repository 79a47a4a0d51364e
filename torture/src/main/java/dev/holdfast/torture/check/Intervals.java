package dev.holdfast.torture.check;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** A set of times, as disjoint intervals in order. Immutable. */
record Intervals(List<Interval> list) {
  static final Intervals NONE = new Intervals(List.of());

  /** From one time to another, in nanoseconds. */
  record Interval(long from, long to) {
    long length() {
      return to - from;
    }

    boolean contains(long nanos) {
      return from <= nanos && nanos <= to;
    }
  }

  static Intervals of(long from, long to) {
    return from < to ? new Intervals(List.of(new Interval(from, to))) : NONE;
  }

  /** The union of intervals in any order. */
  static Intervals union(List<Interval> any) {
    List<Interval> sorted =
        any.stream()
            .filter(interval -> interval.length() > 0)
            .sorted(Comparator.comparingLong(Interval::from))
            .toList();
    List<Interval> merged = new ArrayList<>();
    for (Interval next : sorted) {
      Interval last = merged.isEmpty() ? null : merged.get(merged.size() - 1);
      if (last != null && next.from() <= last.to()) {
        merged.set(merged.size() - 1, new Interval(last.from(), Math.max(last.to(), next.to())));
      } else {
        merged.add(next);
      }
    }
    return new Intervals(List.copyOf(merged));
  }

  Intervals minus(Intervals other) {
    List<Interval> rest = list;
    for (Interval hole : other.list) {
      List<Interval> next = new ArrayList<>();
      for (Interval piece : rest) {
        if (hole.to() <= piece.from() || hole.from() >= piece.to()) {
          next.add(piece);
          continue;
        }
        if (piece.from() < hole.from()) {
          next.add(new Interval(piece.from(), hole.from()));
        }
        if (hole.to() < piece.to()) {
          next.add(new Interval(hole.to(), piece.to()));
        }
      }
      rest = next;
    }
    return new Intervals(List.copyOf(rest));
  }

  Intervals and(Intervals other) {
    List<Interval> both = new ArrayList<>();
    for (Interval one : list) {
      for (Interval two : other.list) {
        long from = Math.max(one.from(), two.from());
        long to = Math.min(one.to(), two.to());
        if (from < to) {
          both.add(new Interval(from, to));
        }
      }
    }
    return union(both);
  }

  long longest() {
    return list.stream().mapToLong(Interval::length).max().orElse(0);
  }
}
