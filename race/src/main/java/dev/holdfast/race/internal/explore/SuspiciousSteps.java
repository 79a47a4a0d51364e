package dev.holdfast.race.internal.explore;

import dev.holdfast.race.internal.model.Entry;
import dev.holdfast.race.internal.model.Outcome;
import dev.holdfast.race.internal.model.RunRecord;
import dev.holdfast.race.internal.model.StepKind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What runs have shown that nothing compares, but that the test may have meant to. */
final class SuspiciousSteps {
  private static final int MAX_POINTS = 3;
  private static final int MAX_STATEMENT = 90;
  private static final Pattern UPDATE = Pattern.compile("(?is)\\s*update\\s+(\\S+).*");
  private static final Pattern WRITE =
      Pattern.compile("(?is)\\s*(?:insert\\s+into|update|delete\\s+from)\\s+([^\\s(]+).*");

  /** An update of no row, and what its actor did after it. */
  private record IgnoredUpdate(int actor, int index, String update, List<String> after) {}

  private final Map<String, Integer> passed = new LinkedHashMap<>();
  private final Map<IgnoredUpdate, Integer> missed = new LinkedHashMap<>();

  void see(RunRecord run) {
    points(run).forEach((point, times) -> passed.merge(point, times, Integer::max));
    Outcome outcome = run.outcome();
    for (Entry entry : outcome == null ? List.<Entry>of() : run.entries()) {
      boolean well = outcome != null && outcome.ends().get(entry.actor()).error() == null;
      if (well && entry.result().updated() == 0 && isUpdate(entry)) {
        missed.merge(
            new IgnoredUpdate(
                entry.actor(), entry.index(), entry.step().text(), after(entry, run.entries())),
            1,
            Integer::sum);
      }
    }
  }

  /** An actor that is run again after a crash passes them again, as intended. */
  private static Map<String, Integer> points(RunRecord run) {
    Map<String, Integer> points = new LinkedHashMap<>();
    if (run.entries().stream().allMatch(entry -> entry.life() == 1)) {
      run.entries().stream()
          .filter(entry -> entry.step().kind() == StepKind.POINT)
          .forEach(entry -> points.merge(entry.step().text(), 1, Integer::sum));
    }
    return points;
  }

  private static boolean isUpdate(Entry entry) {
    return entry.step().kind() == StepKind.STATEMENT
        && UPDATE.matcher(entry.step().text()).matches();
  }

  private static List<String> after(Entry entry, List<Entry> entries) {
    return entries.stream()
        .filter(e -> e.actor() == entry.actor() && e.index() > entry.index())
        .map(e -> e.step().kind() + " " + e.step().text())
        .toList();
  }

  List<String> notes(Serial serial, List<String> names, int[] kinds) {
    List<RunRecord> serially = serial.attempts().stream().map(Attempt::record).toList();
    List<String> notes = new ArrayList<>();
    Map<String, Integer> serialMax = new HashMap<>();
    serially.forEach(
        run -> points(run).forEach((p, times) -> serialMax.merge(p, times, Integer::max)));
    passed.entrySet().stream()
        .filter(
            point -> serialMax.getOrDefault(point.getKey(), Integer.MAX_VALUE) < point.getValue())
        .limit(MAX_POINTS)
        .forEach(
            point ->
                notes.add(
                    "“"
                        + point.getKey()
                        + "” was passed "
                        + point.getValue()
                        + " times in a run, but in serial runs at most "
                        + times(serialMax.getOrDefault(point.getKey(), 0))
                        + ". Yield points are not compared; if the number matters, use"
                        + " sideEffect"));
    serially.forEach(this::see);
    missed.forEach(
        (miss, runs) -> {
          if (isIgnored(miss, serially, kinds)) {
            notes.add(
                names.get(miss.actor)
                    + " continued after “"
                    + shortened(miss.update)
                    + "” changed 0 rows, as if it had changed one, in "
                    + (runs == 1 ? "1 run" : runs + " runs")
                    + ": check the row count");
          }
        });
    return notes.stream().distinct().toList();
  }

  private static String times(int count) {
    return count == 1 ? "once" : count + " times";
  }

  private static String shortened(String sql) {
    String line = sql.strip().replaceAll("\\s+", " ");
    return line.length() <= MAX_STATEMENT ? line : line.substring(0, MAX_STATEMENT) + " …";
  }

  /**
   * Whether it does something else after it, and just the same when it is the first one and the
   * update finds its row. An update that may find nothing also then is none that decides.
   */
  private static boolean isIgnored(IgnoredUpdate miss, List<RunRecord> serially, int[] kinds) {
    String table = table(UPDATE.matcher(miss.update));
    boolean acts =
        miss.after.stream()
            .anyMatch(
                step ->
                    step.startsWith(StepKind.EFFECT + " ")
                        || (step.startsWith(StepKind.STATEMENT + " ")
                            && isOfAnotherTable(
                                step.substring(StepKind.STATEMENT.name().length() + 1), table)));
    return acts
        && serially.stream()
            .anyMatch(
                run ->
                    !run.entries().isEmpty()
                        && kinds[run.entries().get(0).actor()] == kinds[miss.actor]
                        && run.entries().stream()
                            .filter(e -> e.actor() == run.entries().get(0).actor())
                            .filter(e -> e.index() == miss.index && e.result().updated() > 0)
                            .filter(e -> e.step().text().equals(miss.update))
                            .anyMatch(e -> after(e, run.entries()).equals(miss.after)));
  }

  private static boolean isOfAnotherTable(String sql, String table) {
    Matcher write = WRITE.matcher(sql);
    return write.matches() && !write.group(1).toLowerCase(Locale.ROOT).equals(table);
  }

  private static String table(Matcher update) {
    return update.matches() ? update.group(1).toLowerCase(Locale.ROOT) : "";
  }
}
