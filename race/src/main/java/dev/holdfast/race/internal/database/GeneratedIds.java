package dev.holdfast.race.internal.database;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Lets each counter go on in a range of its own, where no number of a test is: an id that one run
 * was given and another was not is then known as one wherever it turns up. Counters never go back,
 * so that no id is given twice.
 */
final class GeneratedIds {
  private static final long FIRST = 1_100_000_000L;

  /** Of an int. */
  private static final long LAST = Integer.MAX_VALUE - 10_000_000L;

  private static final long WIDEST = 10_000_000L;

  /** Hibernate takes numbers in blocks, and counts up to the one it was given. */
  private static final long BLOCK = 1_000;

  private record Range(long from, long to) {}

  private final List<Range> ranges = new ArrayList<>();

  void spread(List<Counter> counters) {
    ranges.clear();
    raise(counters, Long.MAX_VALUE);
  }

  /** Lets those go on again that were set back: their tables may have later ids in them. */
  void keepUp(List<Counter> counters) {
    raise(counters, FIRST);
  }

  private void raise(List<Counter> counters, long below) {
    long width = Math.min(WIDEST, (LAST - FIRST) / Math.max(1, counters.size()));
    for (int i = 0; i < counters.size(); i++) {
      Counter counter = counters.get(i);
      long first = FIRST + i * width;
      long next = Math.max(first, counter.last()) + BLOCK;
      // a counter that was in another range, when there were other tables, stays there
      long last = next < first + width ? first + width - 1 : next + width;
      if (counter.last() < below && last <= Math.min(counter.max(), Integer.MAX_VALUE)) {
        go(counter, new Range(next - BLOCK + 1, last));
      }
    }
  }

  private void go(Counter counter, Range range) {
    try {
      counter.restart().with(range.from() + BLOCK - 1);
      ranges.add(range);
    } catch (SQLException e) {
      // not allowed to: its ids are then ordinary numbers
    }
  }

  boolean contains(long number) {
    return ranges.stream().anyMatch(range -> range.from() <= number && number <= range.to());
  }
}
