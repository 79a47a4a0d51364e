package dev.holdfast.web.stats;

import dev.holdfast.event.EventStats;
import dev.holdfast.internal.Excerpt;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Puts failures of like errors together: numbers and ids in their texts do not count. */
final class ErrorGroups {
  private static final int MAX_GROUPS = 20;
  private static final int MAX = 200;

  /** Ids, and numbers but for those of HTTP statuses. */
  private static final Pattern PARTICULAR =
      Pattern.compile(
          "[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|\\b(?=[0-9a-fA-F]*\\d)[0-9a-fA-F]{8,}\\b|(?<!HTTP"
              + " |responded with )(?<!\\d)\\d+(?:[.:-]\\d+)*");

  private ErrorGroups() {}

  /** Worst first; of each the newest is the example. */
  static List<StatsView.Failures> of(List<EventStats.Failure> newestFirst) {
    Map<String, List<EventStats.Failure>> groups = new LinkedHashMap<>();
    for (EventStats.Failure event : newestFirst) {
      groups.computeIfAbsent(like(event.error()), ignored -> new ArrayList<>()).add(event);
    }
    List<StatsView.Failures> all = new ArrayList<>();
    groups.forEach(
        (error, events) -> {
          EventStats.Failure newest = events.get(0);
          Instant last = newest.endedAt();
          all.add(new StatsView.Failures(error, events.size(), last, newest.id().toString()));
        });
    all.sort(Comparator.comparingInt(StatsView.Failures::count).reversed());
    return List.copyOf(all.subList(0, Math.min(MAX_GROUPS, all.size())));
  }

  /** What a text has in common with those like it. */
  static String like(String error) {
    String first = error.lines().findFirst().orElse("");
    String kept = Excerpt.of(first, MAX);
    return kept.isBlank() ? "unknown error" : PARTICULAR.matcher(kept).replaceAll("…");
  }
}
