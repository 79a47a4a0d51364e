package dev.holdfast.torture.check;

import dev.holdfast.torture.history.Entry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * From the kill of a worker to the next call of the handler of an event that it was handling. Times
 * in which the database was away are taken out.
 */
final class RecoveryTimes {
  private RecoveryTimes() {}

  static List<Long> of(List<Entry> entries, Circumstances circumstances) {
    Map<String, Entry> running = new HashMap<>();
    Map<String, Entry> orphans = new HashMap<>();
    List<Circumstances.Fault> kills =
        circumstances.faults().stream()
            .filter(Circumstances.Fault::isKill)
            .sorted((a, b) -> Long.compare(a.time().from(), b.time().from()))
            .toList();
    List<Long> times = new ArrayList<>();
    Map<String, Long> killed = new HashMap<>();
    int next = 0;
    for (Entry entry : entries) {
      while (next < kills.size() && kills.get(next).time().from() <= entry.nanos()) {
        Circumstances.Fault kill = kills.get(next++);
        running
            .entrySet()
            .removeIf(
                run -> {
                  boolean dead = run.getValue().node().equals(kill.target());
                  if (dead) {
                    orphans.put(run.getValue().argument(1), run.getValue());
                    killed.put(run.getValue().argument(1), kill.time().from());
                  }
                  return dead;
                });
      }
      switch (entry.kind()) {
        case HANDLER_BEGIN -> {
          String key = entry.argument(1);
          if (orphans.remove(key) != null) {
            long from = killed.getOrDefault(key, entry.nanos());
            times.add(
                Intervals.of(from, entry.nanos())
                    .minus(circumstances.databaseAway())
                    .list()
                    .stream()
                    .mapToLong(Intervals.Interval::length)
                    .sum());
          }
          running.put(run(entry), entry);
        }
        case HANDLER_END, HANDLER_FAILED -> running.remove(run(entry));
        default -> {}
      }
    }
    return times;
  }

  private static String run(Entry entry) {
    return entry.process() + ' ' + entry.argument(1) + ' ' + entry.argument(2);
  }
}
