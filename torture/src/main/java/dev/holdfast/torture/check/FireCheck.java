package dev.holdfast.torture.check;

import dev.holdfast.torture.history.Entry;
import dev.holdfast.torture.history.Kind;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/**
 * A schedule that fires each second and catches up with what it missed makes one event for each
 * second from its first fire to its last. The event key ends with the time of the fire.
 */
final class FireCheck {
  private FireCheck() {}

  static List<Violation> judge(List<Entry> entries) {
    TreeMap<Long, Integer> fires = new TreeMap<>();
    for (Entry entry : entries) {
      if (entry.kind() == Kind.FINAL_EVENT && entry.argument(2).equals("ticks")) {
        fires.merge(fire(entry).getEpochSecond(), 1, Integer::sum);
      }
    }
    List<Violation> violations = new ArrayList<>();
    if (fires.isEmpty()) {
      return violations;
    }
    for (long second = fires.firstKey(); second <= fires.lastKey(); second++) {
      int count = fires.getOrDefault(second, 0);
      if (count != 1) {
        violations.add(
            new Violation(
                Property.FIRES,
                0,
                "the fire of " + Instant.ofEpochSecond(second) + " made " + count + " events"));
      }
    }
    return violations;
  }

  private static Instant fire(Entry entry) {
    String key = entry.argument(4);
    return Instant.parse(key.substring(key.lastIndexOf('/') + 1));
  }
}
