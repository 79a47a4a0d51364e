package dev.holdfast.torture.check;

import dev.holdfast.torture.history.Entry;
import dev.holdfast.torture.history.Kind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Effects of one ordering key are numbered in the order in which they were written, and their keys
 * end with a number in the order in which they were scheduled: both orders must be the same.
 */
final class OrderCheck {
  private OrderCheck() {}

  static List<Violation> judge(List<Entry> entries) {
    List<Violation> violations = new ArrayList<>();
    Map<String, Long> newest = new HashMap<>();
    entries.stream()
        .filter(entry -> entry.kind() == Kind.FINAL_EFFECT && !entry.argument(2).equals("-"))
        .sorted(Comparator.comparingLong(entry -> entry.number(0)))
        .forEach(
            entry -> {
              String key = entry.argument(1);
              long number = Long.parseLong(key.substring(key.lastIndexOf('-') + 1));
              long before = newest.getOrDefault(entry.argument(2), -1L);
              if (number < before) {
                violations.add(
                    new Violation(
                        Property.ORDER,
                        entry.nanos(),
                        key + " took effect after number " + before + " of its ordering key"));
              }
              newest.put(entry.argument(2), Math.max(before, number));
            });
    return violations;
  }
}
