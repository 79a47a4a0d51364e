package dev.holdfast.torture.check;

import dev.holdfast.torture.history.Entry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The limited queue, seen in two ways: by samples of the table, and by the handlers that run at
 * once. A handler counts from its call to its return where its instance still owned the event when
 * it returned; one that was killed or has lost its event counts by the samples only.
 */
final class LimitCheck {
  private static final String QUEUE = "limited";

  private LimitCheck() {}

  private record Change(long nanos, int by, String key) {}

  static List<Violation> judge(List<Entry> entries, int limit) {
    List<Violation> violations = new ArrayList<>();
    Map<String, Entry> begun = new HashMap<>();
    List<Change> changes = new ArrayList<>();
    for (Entry entry : entries) {
      switch (entry.kind()) {
        case SAMPLE -> {
          if (entry.argument(0).equals(QUEUE) && entry.number(2) > limit) {
            violations.add(
                new Violation(
                    Property.LIMIT,
                    entry.nanos(),
                    entry.argument(2) + " events of the queue were in process, allowed " + limit));
          }
        }
        case HANDLER_BEGIN -> {
          if (entry.argument(0).equals(QUEUE)) {
            begun.put(run(entry), entry);
          }
        }
        case HANDLER_END -> {
          Entry begin = begun.remove(run(entry));
          if (begin != null && entry.argument(3).equals("owned")) {
            changes.add(new Change(begin.nanos(), 1, entry.argument(1)));
            changes.add(new Change(entry.nanos(), -1, entry.argument(1)));
          }
        }
        default -> {}
      }
    }
    // at the same time an end comes first
    changes.sort((a, b) -> a.nanos == b.nanos ? a.by - b.by : Long.compare(a.nanos, b.nanos));
    int running = 0;
    for (Change change : changes) {
      running += change.by;
      if (change.by > 0 && running > limit) {
        violations.add(
            new Violation(
                Property.LIMIT,
                change.nanos,
                change.key + " was the " + running + "th handler at once, allowed " + limit));
      }
    }
    return violations;
  }

  private static String run(Entry entry) {
    return entry.process() + ' ' + entry.argument(1) + ' ' + entry.argument(2);
  }
}
