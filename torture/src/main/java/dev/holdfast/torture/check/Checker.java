package dev.holdfast.torture.check;

import dev.holdfast.torture.history.Entry;
import dev.holdfast.torture.history.Kind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Judges the histories of a run; reads nothing else. */
public final class Checker {
  private static final double P50 = 0.5;
  private static final double P99 = 0.99;

  private Checker() {}

  /**
   * Judges what happened.
   *
   * @param given all lines of a run, in any order
   */
  public static Verdict judge(List<Entry> given) {
    List<Entry> entries = given.stream().sorted(Comparator.comparingLong(Entry::nanos)).toList();
    Setting setting = Setting.of(entries);
    Circumstances circumstances = Circumstances.of(entries);
    List<Violation> violations = new ArrayList<>();
    violations.addAll(EventCheck.judge(entries));
    violations.addAll(OrderCheck.judge(entries));
    violations.addAll(LimitCheck.judge(entries, setting.limit()));
    violations.addAll(OnceCheck.judge(entries));
    violations.addAll(LeaseCheck.judge(entries, setting));
    violations.addAll(FireCheck.judge(entries));
    LivenessCheck.Result liveness = LivenessCheck.judge(entries, circumstances, setting);
    violations.addAll(liveness.violations());
    List<Long> recovery = RecoveryTimes.of(entries, circumstances);
    Map<String, Double> longest = new TreeMap<>();
    liveness.longest().forEach((what, nanos) -> longest.put(what, Times.seconds(nanos)));
    return new Verdict(
        List.copyOf(violations),
        counts(entries),
        faults(entries),
        longest,
        Times.seconds(Times.percentile(recovery, P50)),
        Times.seconds(Times.percentile(recovery, P99)),
        Times.seconds(Times.percentile(recovery, 1)));
  }

  private static Map<String, Long> counts(List<Entry> entries) {
    Map<Kind, Long> byKind = new EnumMap<>(Kind.class);
    entries.forEach(entry -> byKind.merge(entry.kind(), 1L, Long::sum));
    long fires =
        entries.stream()
            .filter(e -> e.kind() == Kind.FINAL_EVENT && e.argument(2).equals("ticks"))
            .count();
    Map<String, Long> counts = new LinkedHashMap<>();
    long acknowledged = byKind.getOrDefault(Kind.SCHEDULE_OK, 0L);
    long answers = byKind.getOrDefault(Kind.ONCE_REPLY, 0L);
    long leases = byKind.getOrDefault(Kind.LEASE_HELD, 0L);
    counts.put("operations", acknowledged + answers + leases + fires);
    counts.put("events acknowledged", acknowledged);
    counts.put("events unknown", byKind.getOrDefault(Kind.SCHEDULE_UNKNOWN, 0L));
    counts.put("events rolled back", byKind.getOrDefault(Kind.SCHEDULE_ROLLED_BACK, 0L));
    counts.put("handlers ended", byKind.getOrDefault(Kind.HANDLER_END, 0L));
    counts.put("handlers failed", byKind.getOrDefault(Kind.HANDLER_FAILED, 0L));
    counts.put("events handled more than once (allowed)", EventCheck.duplicates(entries));
    counts.put("effects in transactions", byKind.getOrDefault(Kind.FINAL_EFFECT, 0L));
    counts.put("once answers", answers);
    counts.put("once keys executed", byKind.getOrDefault(Kind.FINAL_ONCE, 0L));
    counts.put("leases held", leases);
    counts.put("fenced writes", byKind.getOrDefault(Kind.FINAL_WRITE, 0L));
    counts.put("fence refusals", byKind.getOrDefault(Kind.WRITE_REFUSED, 0L));
    counts.put("fires", fires);
    counts.put("pauses of a process over 1 s", byKind.getOrDefault(Kind.PAUSED, 0L));
    return counts;
  }

  private static Map<String, Long> faults(List<Entry> entries) {
    Map<String, Long> faults = new TreeMap<>();
    for (Entry entry : entries) {
      if (entry.kind() == Kind.FAULT_BEGIN) {
        boolean scheduler = entry.argument(2).startsWith("s");
        faults.merge(entry.argument(1) + (scheduler ? " (scheduler)" : ""), 1L, Long::sum);
      }
    }
    return faults;
  }
}
