package dev.holdfast.internal.event.store;

import dev.holdfast.event.EventStats;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** How much there is to do in each queue, while it is counted, and as it is stored. */
public final class QueueDepthFormat {
  private static final String NONE = "-";

  private final Map<String, Depth> byQueue = new TreeMap<>();

  private record Depth(long pending, long due, long processing, @Nullable Instant oldestDue) {
    Depth plus(Depth other) {
      return new Depth(
          pending + other.pending,
          due + other.due,
          processing + other.processing,
          earlier(oldestDue, other.oldestDue));
    }
  }

  private static @Nullable Instant earlier(@Nullable Instant one, @Nullable Instant other) {
    return one == null || (other != null && other.isBefore(one)) ? other : one;
  }

  void add(String queue, long pending, long due, long processing, @Nullable Instant oldestDue) {
    byQueue.merge(queue, new Depth(pending, due, processing, oldestDue), Depth::plus);
  }

  /** A line for each queue; a name has no spaces. */
  public String text() {
    List<String> lines = new ArrayList<>();
    byQueue.forEach(
        (queue, depth) ->
            lines.add(
                String.join(
                    " ",
                    queue,
                    Long.toString(depth.pending),
                    Long.toString(depth.due),
                    Long.toString(depth.processing),
                    depth.oldestDue == null ? NONE : depth.oldestDue.toString())));
    return String.join("\n", lines);
  }

  /** Reads what {@link #text} wrote, counted at this time. */
  public static List<EventStats.QueueDepth> parse(String text, Instant at) {
    return text.lines().map(line -> parseLine(line, at)).toList();
  }

  private static EventStats.QueueDepth parseLine(String line, Instant at) {
    List<String> words = List.of(line.split(" "));
    String oldest = words.get(4);
    return new EventStats.QueueDepth(
        words.get(0),
        Long.parseLong(words.get(1)),
        Long.parseLong(words.get(2)),
        Long.parseLong(words.get(3)),
        oldest.equals(NONE) ? Duration.ZERO : age(Instant.parse(oldest), at));
  }

  private static Duration age(Instant oldest, Instant at) {
    Duration age = Duration.between(oldest, at).truncatedTo(ChronoUnit.MILLIS);
    return age.isNegative() ? Duration.ZERO : age;
  }
}
