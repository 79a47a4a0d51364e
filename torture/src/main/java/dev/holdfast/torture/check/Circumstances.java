package dev.holdfast.torture.check;

import dev.holdfast.torture.history.Entry;
import dev.holdfast.torture.history.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/**
 * When the database was away, and when each node was alive and unaffected by a fault.
 *
 * <p>The database counts as away from the beginning of a fault of the database (kill, restart,
 * freeze, termination storm) to {@link #DATABASE_ALLOWANCE_NANOS} after its end: a server that is
 * ready is not yet connected to, and pools wait up to 5 s between attempts to connect.
 *
 * <p>A node is unaffected from its {@code READY} to its next kill, but for the time of faults that
 * are aimed at it, and for times of more than a second in which the machine gave it no processor.
 * There is no allowance after such a fault: the time limit of a stall begins anew with its end.
 */
final class Circumstances {
  static final long DATABASE_ALLOWANCE_NANOS = TimeUnit.SECONDS.toNanos(5);
  static final String DATABASE = "database";
  private static final Set<String> SILENT = Set.of("blackhole", "lock-cut");
  private static final long GIVE_UP_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final Intervals load;
  private final Intervals databaseAway;
  private final Map<String, Intervals> unaffected;
  private final List<Fault> faults;

  /** A fault as the history has it. */
  record Fault(String kind, String target, Intervals.Interval time) {
    boolean isKill() {
      return kind.equals("kill");
    }
  }

  private Circumstances(
      Intervals load,
      Intervals databaseAway,
      Map<String, Intervals> unaffected,
      List<Fault> faults) {
    this.load = load;
    this.databaseAway = databaseAway;
    this.unaffected = unaffected;
    this.faults = faults;
  }

  static Circumstances of(List<Entry> entries) {
    long end = entries.isEmpty() ? 0 : entries.get(entries.size() - 1).nanos();
    long loadBegin = time(entries, Kind.LOAD_BEGIN, entries.isEmpty() ? 0 : entries.get(0).nanos());
    long loadEnd = time(entries, Kind.LOAD_END, end);
    List<Fault> faults = faults(entries, end);
    List<Intervals.Interval> away = new ArrayList<>();
    for (Fault fault : faults) {
      if (fault.target.equals(DATABASE)) {
        away.add(
            new Intervals.Interval(fault.time.from(), fault.time.to() + DATABASE_ALLOWANCE_NANOS));
      }
    }
    return new Circumstances(
        Intervals.of(loadBegin, loadEnd),
        Intervals.union(away),
        unaffected(entries, faults, end),
        faults);
  }

  private static long time(List<Entry> entries, Kind kind, long otherwise) {
    return entries.stream()
        .filter(entry -> entry.kind() == kind)
        .mapToLong(Entry::nanos)
        .findFirst()
        .orElse(otherwise);
  }

  private static List<Fault> faults(List<Entry> entries, long end) {
    Map<String, Entry> open = new HashMap<>();
    List<Fault> faults = new ArrayList<>();
    for (Entry entry : entries) {
      if (entry.kind() == Kind.FAULT_BEGIN) {
        open.put(entry.argument(0), entry);
      } else if (entry.kind() == Kind.FAULT_END) {
        Entry begin = open.remove(entry.argument(0));
        if (begin != null) {
          faults.add(fault(begin, entry.nanos()));
        }
      }
    }
    open.values().forEach(begin -> faults.add(fault(begin, end)));
    return faults;
  }

  private static Fault fault(Entry begin, long end) {
    return new Fault(
        begin.argument(1), begin.argument(2), new Intervals.Interval(begin.nanos(), end));
  }

  private static Map<String, Intervals> unaffected(
      List<Entry> entries, List<Fault> faults, long end) {
    Map<String, TreeSet<Long>> kills = new HashMap<>();
    Map<String, List<Intervals.Interval>> affected = new HashMap<>();
    for (Fault fault : faults) {
      if (fault.isKill()) {
        kills.computeIfAbsent(fault.target, node -> new TreeSet<>()).add(fault.time.from());
      }
      affected.computeIfAbsent(fault.target, node -> new ArrayList<>()).add(fault.time);
    }
    Map<String, List<Intervals.Interval>> alive = new TreeMap<>();
    for (Entry entry : entries) {
      if (entry.kind() == Kind.PAUSED) {
        affected.computeIfAbsent(entry.node(), node -> new ArrayList<>()).add(pause(entry));
      }
      if (entry.kind() == Kind.READY) {
        Long kill = kills.getOrDefault(entry.node(), new TreeSet<>()).higher(entry.nanos());
        alive
            .computeIfAbsent(entry.node(), node -> new ArrayList<>())
            .add(new Intervals.Interval(entry.nanos(), kill == null ? end : kill));
      }
    }
    Map<String, Intervals> unaffected = new TreeMap<>();
    alive.forEach(
        (node, times) ->
            unaffected.put(
                node,
                Intervals.union(times)
                    .minus(Intervals.union(affected.getOrDefault(node, List.of())))));
    return unaffected;
  }

  private static Intervals.Interval pause(Entry entry) {
    return new Intervals.Interval(
        entry.nanos() - TimeUnit.MILLISECONDS.toNanos(entry.number(0)), entry.nanos());
  }

  /** When there was load. */
  Intervals load() {
    return load;
  }

  Intervals databaseAway() {
    return databaseAway;
  }

  /** When each node was alive and no fault was aimed at it. */
  Map<String, Intervals> unaffected() {
    return unaffected;
  }

  Intervals unaffected(String node) {
    return unaffected.getOrDefault(node, Intervals.NONE);
  }

  /**
   * Whether connections of this node may be silent at a time: they are until TCP gives up, and a
   * pool without {@code socketTimeout} hands them out until then.
   */
  boolean hasSilentConnections(String node, long nanos) {
    return faults.stream()
        .anyMatch(
            fault ->
                fault.target.equals(node)
                    && SILENT.contains(fault.kind)
                    && fault.time.from() <= nanos
                    && nanos < fault.time.to() + GIVE_UP_NANOS);
  }

  List<Fault> faults() {
    return faults;
  }

  /** The faults that began shortly before or in an interval, for a reader. */
  String around(Intervals.Interval interval) {
    long from = interval.from() - TimeUnit.SECONDS.toNanos(15);
    return faults.stream()
        .filter(fault -> fault.time.to() > from && fault.time.from() < interval.to())
        .map(
            fault ->
                "%s %s %+.1f..%+.1f s"
                    .formatted(
                        fault.kind,
                        fault.target,
                        Times.seconds(fault.time.from() - interval.from()),
                        Times.seconds(fault.time.to() - interval.from())))
        .reduce((a, b) -> a + ", " + b)
        .orElse("none");
  }
}
