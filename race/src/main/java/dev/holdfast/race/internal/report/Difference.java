package dev.holdfast.race.internal.report;

import dev.holdfast.race.internal.model.Finding;
import dev.holdfast.race.internal.model.Outcome;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What is otherwise than in the serial orders.
 *
 * @param orders the serial orders, for people; those that give the same stand together
 * @param aspects what differs
 * @param left how many serial orders are not shown
 * @param hidden if no aspect can be shown, in what it differs all the same; empty otherwise
 */
record Difference(List<String> orders, List<Aspect> aspects, int left, String hidden) {
  private static final int MAX_ORDERS = 3;
  private static final int MAX_ASPECTS = 12;
  private static final String NONE = "none";

  /**
   * One thing that differs.
   *
   * @param expected for each of the orders
   */
  record Aspect(String what, List<String> expected, String got) {
    boolean differs() {
      return expected.stream().anyMatch(e -> !e.equals(got));
    }
  }

  static Difference of(Finding finding) {
    Outcome got = finding.actual();
    if (got == null) {
      return new Difference(List.of(), List.of(), 0, "");
    }
    if (finding.expected().isEmpty()) {
      return new Difference(List.of(), ended(finding, got), 0, "");
    }
    List<Outcome> outcomes = new ArrayList<>();
    finding.expected().forEach(expected -> outcomes.add(expected.outcome()));
    outcomes.add(got);
    List<Map<String, String>> views = OutcomeViews.of(finding.actors(), outcomes);
    Map<String, String> seen = views.get(views.size() - 1);
    Map<Map<String, String>, List<String>> orders = new LinkedHashMap<>();
    for (int i = 0; i < finding.expected().size(); i++) {
      orders
          .computeIfAbsent(views.get(i), view -> new ArrayList<>())
          .add(title(finding, finding.expected().get(i)));
    }
    List<Map<String, String>> shown = orders.keySet().stream().limit(MAX_ORDERS).toList();
    int left = orders.values().stream().skip(MAX_ORDERS).mapToInt(List::size).sum();
    List<String> titles =
        orders.size() == 1 && finding.expected().size() > 1
            ? List.of("any serial order")
            : shown.stream().map(view -> joined(orders.get(view))).toList();
    List<Aspect> aspects = aspects(shown, seen);
    String hidden = aspects.isEmpty() ? HiddenDifference.of(finding, got) : "";
    return new Difference(titles, aspects, left, hidden);
  }

  /** Without anything to compare with: how it ended, in the tables that were changed. */
  private static List<Aspect> ended(Finding finding, Outcome got) {
    Set<String> changed = new LinkedHashSet<>();
    new History(finding.run(), false).changes().forEach(c -> changed.addAll(c.sql().writes()));
    return OutcomeViews.ended(finding.actors(), got, changed).entrySet().stream()
        .filter(view -> !view.getValue().equals(OutcomeViews.SUCCESS))
        .map(view -> new Aspect(view.getKey(), List.of(), view.getValue()))
        .limit(MAX_ASPECTS)
        .toList();
  }

  private static List<Aspect> aspects(List<Map<String, String>> shown, Map<String, String> seen) {
    Set<String> headings = new LinkedHashSet<>(seen.keySet());
    shown.forEach(view -> headings.addAll(view.keySet()));
    return headings.stream()
        .map(
            what ->
                new Aspect(
                    what,
                    shown.stream().map(view -> view.getOrDefault(what, NONE)).toList(),
                    seen.getOrDefault(what, NONE)))
        .filter(Aspect::differs)
        .limit(MAX_ASPECTS)
        .toList();
  }

  private static String title(Finding finding, Finding.Expected expected) {
    return finding.kind() == Finding.Kind.NOT_IDEMPOTENT && expected.order().size() < 2
        ? "one clean run"
        : String.join(", then ", expected.order());
  }

  private static String joined(@Nullable List<String> titles) {
    return titles == null
        ? ""
        : titles.get(0) + (titles.size() > 1 ? ", and " + (titles.size() - 1) + " more" : "");
  }

  /** Whether the content of a table is another than in each of the serial orders. */
  static boolean isWrong(Finding finding, String table) {
    Outcome got = finding.actual();
    return got != null
        && finding.expected().stream()
            .allMatch(
                expected ->
                    OutcomeViews.sight(List.of(expected.outcome(), got), table)
                        .map(sight -> !sight.rows(0).equals(sight.rows(1)))
                        .orElse(false));
  }
}
