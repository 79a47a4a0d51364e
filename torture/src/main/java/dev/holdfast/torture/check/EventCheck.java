package dev.holdfast.torture.check;

import dev.holdfast.torture.history.Entry;
import dev.holdfast.torture.history.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Judges events, by key:
 *
 * <ol>
 *   <li>one that was acknowledged is there at the end, once, as completed, and a handler returned;
 *   <li>one that was rolled back is not there; of one that is unknown both is right;
 *   <li>its effect in the database is there exactly as often as it has completed, for those that
 *       are handled in a transaction;
 *   <li>the business row of its transaction is there if and only if it is.
 * </ol>
 */
final class EventCheck {
  /** Queues whose handlers write their effect in the transaction in which the event ends. */
  private static final Set<String> IN_TRANSACTION = Set.of("tx", "ordered", "ticks");

  private static final String COMPLETED = "COMPLETED";
  private static final String FAILED = "FAILED";

  private final List<Violation> violations = new ArrayList<>();
  private final Map<String, List<Entry>> finals = new HashMap<>();
  private final Map<String, Integer> effects = new HashMap<>();
  private final Set<String> handled = new HashSet<>();
  private final Set<String> business = new HashSet<>();

  static List<Violation> judge(List<Entry> entries) {
    EventCheck check = new EventCheck();
    check.read(entries);
    for (Entry entry : entries) {
      switch (entry.kind()) {
        case SCHEDULE_OK -> check.acknowledged(entry);
        case SCHEDULE_ROLLED_BACK -> check.rolledBack(entry);
        default -> {}
      }
    }
    check.atTheEnd();
    return check.violations;
  }

  private void read(List<Entry> entries) {
    for (Entry entry : entries) {
      switch (entry.kind()) {
        case FINAL_EVENT -> finals.computeIfAbsent(key(entry), key -> new ArrayList<>()).add(entry);
        case FINAL_EFFECT -> effects.merge(entry.argument(1), 1, Integer::sum);
        case FINAL_BUSINESS -> business.add(entry.argument(0));
        case HANDLER_END -> handled.add(entry.argument(1));
        default -> {}
      }
    }
  }

  /** Events of schedules have the same payload all: they are known by the key of their fire. */
  private static String key(Entry entry) {
    return entry.argument(2).equals("ticks") ? entry.argument(4) : entry.argument(1);
  }

  private void acknowledged(Entry entry) {
    String key = entry.argument(0);
    List<Entry> found = finals.getOrDefault(key, List.of());
    if (found.isEmpty()) {
      add(Property.LOST, entry, key + " was acknowledged and is not there");
      return;
    }
    for (Entry event : found) {
      String status = event.argument(3);
      if (status.equals(FAILED)) {
        add(Property.FAILED, entry, key + " ended as FAILED: " + event.argument(5));
      } else if (!status.equals(COMPLETED)) {
        add(Property.LOST, entry, key + " was acknowledged and is " + status + " at the end");
      } else if (!handled.contains(key)) {
        add(Property.LOST, entry, key + " is COMPLETED, and no handler has returned");
      }
    }
  }

  private void rolledBack(Entry entry) {
    if (finals.containsKey(entry.argument(0))) {
      add(Property.PHANTOM, entry, entry.argument(0) + " was rolled back and is there");
    }
  }

  private void atTheEnd() {
    finals.forEach(
        (key, events) -> {
          if (events.size() > 1) {
            add(Property.ENDED_TWICE, events.get(1), key + " is there " + events.size() + " times");
          }
          Entry event = events.get(0);
          int count = effects.getOrDefault(key, 0);
          boolean inTransaction = IN_TRANSACTION.contains(event.argument(2));
          if (count > 1) {
            add(Property.EFFECT_TWICE, event, key + " took effect " + count + " times");
          } else if (inTransaction && count == 0 && event.argument(3).equals(COMPLETED)) {
            add(Property.EFFECT_MISSING, event, key + " is COMPLETED without its effect");
          } else if (inTransaction && count == 1 && !event.argument(3).equals(COMPLETED)) {
            add(
                Property.EFFECT_MISSING,
                event,
                key + " took effect and is " + event.argument(3) + " at the end");
          }
          if (event.argument(2).equals("ticks") && !event.argument(3).equals(COMPLETED)) {
            add(Property.LOST, event, key + " was fired and is " + event.argument(3));
          }
          if (key.startsWith(Keys.BUSINESS) && !business.contains(key)) {
            add(Property.TORN, event, key + " is there without its business row");
          }
        });
    for (String key : business) {
      if (!finals.containsKey(key)) {
        violations.add(
            new Violation(Property.TORN, 0, "the business row of " + key + " is there without it"));
      }
    }
    effects.forEach(
        (key, count) -> {
          if (!finals.containsKey(key)) {
            violations.add(
                new Violation(Property.EFFECT_MISSING, 0, key + " took effect and is not there"));
          }
        });
  }

  private void add(Property property, Entry entry, String text) {
    violations.add(new Violation(property, entry.nanos(), text));
  }

  /** How many handlers of events that may run twice did so. */
  static long duplicates(List<Entry> entries) {
    Map<String, Integer> runs = new HashMap<>();
    for (Entry entry : entries) {
      if (entry.kind() == Kind.HANDLER_END) {
        runs.merge(entry.argument(1), 1, Integer::sum);
      }
    }
    return runs.values().stream().filter(count -> count > 1).count();
  }
}
