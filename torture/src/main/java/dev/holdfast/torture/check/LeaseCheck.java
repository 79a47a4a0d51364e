package dev.holdfast.torture.check;

import dev.holdfast.torture.history.Entry;
import dev.holdfast.torture.history.Kind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Leases, by two rules:
 *
 * <ol>
 *   <li>a holder has a lease from {@code LEASE_HELD} to its last {@code LEASE_VALID}: at no time
 *       more than the capacity have it;
 *   <li>writes behind a fence are committed in the order of their numbers, so their tokens never
 *       fall.
 * </ol>
 */
final class LeaseCheck {
  private LeaseCheck() {}

  private record Change(long nanos, int by, String who) {}

  static List<Violation> judge(List<Entry> entries, Setting setting) {
    List<Violation> violations = new ArrayList<>();
    holders(entries, setting, violations);
    writes(entries, violations);
    return violations;
  }

  private static void holders(List<Entry> entries, Setting setting, List<Violation> violations) {
    Map<String, Map<String, Intervals.Interval>> held = new HashMap<>();
    for (Entry entry : entries) {
      if (entry.kind() == Kind.LEASE_HELD) {
        held.computeIfAbsent(entry.argument(0), name -> new HashMap<>())
            .put(who(entry), new Intervals.Interval(entry.nanos(), entry.nanos()));
      } else if (entry.kind() == Kind.LEASE_VALID) {
        held.getOrDefault(entry.argument(0), new HashMap<>())
            .computeIfPresent(
                who(entry), (who, was) -> new Intervals.Interval(was.from(), entry.nanos()));
      }
    }
    held.forEach(
        (name, byHolder) -> {
          List<Change> changes = new ArrayList<>();
          byHolder.forEach(
              (who, interval) -> {
                if (interval.length() > 0) {
                  changes.add(new Change(interval.from(), 1, who));
                  changes.add(new Change(interval.to(), -1, who));
                }
              });
          changes.sort(Comparator.comparingLong(Change::nanos).thenComparingInt(Change::by));
          int holders = 0;
          for (Change change : changes) {
            holders += change.by;
            if (change.by > 0 && holders > setting.capacity(name)) {
              violations.add(
                  new Violation(
                      Property.TWO_HOLDERS,
                      change.nanos,
                      "lease "
                          + name
                          + " had "
                          + holders
                          + " valid holders, the last "
                          + change.who));
            }
          }
        });
  }

  private static String who(Entry entry) {
    return entry.process() + " with token " + entry.argument(1);
  }

  private static void writes(List<Entry> entries, List<Violation> violations) {
    Map<String, Long> newest = new HashMap<>();
    entries.stream()
        .filter(entry -> entry.kind() == Kind.FINAL_WRITE)
        .sorted(Comparator.comparingLong(entry -> entry.number(0)))
        .forEach(
            entry -> {
              long before = newest.getOrDefault(entry.argument(1), 0L);
              if (entry.number(2) < before) {
                violations.add(
                    new Violation(
                        Property.STALE_WRITE,
                        entry.nanos(),
                        "token "
                            + entry.number(2)
                            + " of "
                            + entry.argument(1)
                            + " was written after "
                            + before));
              }
              newest.merge(entry.argument(1), entry.number(2), Math::max);
            });
  }
}
