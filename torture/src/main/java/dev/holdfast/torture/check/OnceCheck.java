package dev.holdfast.torture.check;

import dev.holdfast.torture.history.Entry;
import dev.holdfast.torture.history.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** An idempotent request took effect at most once, and every answer is the one that was stored. */
final class OnceCheck {
  private OnceCheck() {}

  static List<Violation> judge(List<Entry> entries) {
    List<Violation> violations = new ArrayList<>();
    Map<String, String> stored = new HashMap<>();
    for (Entry entry : entries) {
      if (entry.kind() == Kind.FINAL_ONCE
          && stored.put(entry.argument(0), entry.argument(1)) != null) {
        violations.add(
            new Violation(
                Property.ONCE_TWICE, entry.nanos(), entry.argument(0) + " was executed twice"));
      }
    }
    for (Entry entry : entries) {
      if (entry.kind() != Kind.ONCE_REPLY) {
        continue;
      }
      String effect = stored.get(key(entry));
      if (effect == null) {
        violations.add(
            new Violation(
                Property.ONCE_DIFFERS,
                entry.nanos(),
                entry.argument(0) + " was answered and took no effect"));
      } else if (!effect.equals(entry.argument(1))) {
        violations.add(
            new Violation(
                Property.ONCE_DIFFERS,
                entry.nanos(),
                entry.argument(0) + " was answered " + entry.argument(1) + ", stored " + effect));
      }
    }
    return violations;
  }

  /** The thread that asked follows the key. */
  private static String key(Entry entry) {
    return entry.argument(0).split(" ", 2)[0];
  }
}
