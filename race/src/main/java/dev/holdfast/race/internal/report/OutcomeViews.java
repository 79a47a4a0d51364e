package dev.holdfast.race.internal.report;

import dev.holdfast.race.internal.model.ActorEnd;
import dev.holdfast.race.internal.model.Cell;
import dev.holdfast.race.internal.model.Outcome;
import dev.holdfast.race.internal.model.TableContent;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** The contents of several outcomes under the same headings. */
final class OutcomeViews {
  static final String SUCCESS = "success";

  private static final int MAX_ROWS = 4;
  private static final int TOO_MANY_ROWS = 300;

  private final List<String> actors;
  private final List<Outcome> outcomes;
  private final List<Map<String, String>> views = new ArrayList<>();

  private OutcomeViews(List<String> actors, List<Outcome> outcomes) {
    this.actors = actors;
    this.outcomes = outcomes;
  }

  /** For each outcome, headings and what is to be said there. */
  static List<Map<String, String>> of(List<String> actors, List<Outcome> outcomes) {
    OutcomeViews views = new OutcomeViews(actors, outcomes);
    outcomes.forEach(views::begin);
    Set<String> tables = new LinkedHashSet<>();
    outcomes.forEach(o -> o.tables().forEach(table -> tables.add(table.table())));
    tables.forEach(views::addTable);
    return views.views;
  }

  /** How one run ended: the actors, and the rows of some tables. */
  static Map<String, String> ended(List<String> actors, Outcome outcome, Set<String> tables) {
    OutcomeViews views = new OutcomeViews(actors, List.of(outcome));
    views.begin(outcome);
    Map<String, String> view = views.views.get(0);
    for (String table : tables) {
      sight(List.of(outcome), table)
          .ifPresent(sight -> view.put("rows of " + table, rows(sight, 0, sight.rows(0))));
    }
    return view;
  }

  /** What is worth comparing of a table; nothing if it is not known of each outcome. */
  static Optional<ComparableTable> sight(List<Outcome> outcomes, String table) {
    List<TableContent> contents =
        outcomes.stream()
            .flatMap(o -> o.tables().stream().filter(t -> isNamed(t, table)).limit(1))
            .toList();
    return contents.size() < outcomes.size()
        ? Optional.empty()
        : Optional.of(new ComparableTable(contents));
  }

  /** Whether a table differs if it is too long to be shown. */
  static boolean differsInLength(Outcome one, Outcome other, String table) {
    List<TableContent> contents =
        Stream.of(one, other)
            .flatMap(o -> o.tables().stream().filter(t -> isNamed(t, table)).limit(1))
            .toList();
    return contents.size() == 2
        && !new ComparableTable(contents).areSame(contents.get(0), contents.get(1));
  }

  /** A statement may leave the schema out. */
  private static boolean isNamed(TableContent content, String table) {
    String name = content.table();
    return name.equalsIgnoreCase(table)
        || name.substring(name.lastIndexOf('.') + 1).equalsIgnoreCase(table);
  }

  private void begin(Outcome outcome) {
    Map<String, String> view = new LinkedHashMap<>();
    for (int i = 0; i < Math.min(outcome.ends().size(), actors.size()); i++) {
      view.put(actors.get(i) + " ends with", end(outcome.ends().get(i)));
    }
    Map<String, Integer> counts = new LinkedHashMap<>();
    outcome.effects().forEach(effect -> counts.merge(effect.name(), 1, Integer::sum));
    counts.forEach((name, n) -> view.put("effect " + Words.shortened(name, 60), n + " ×"));
    views.add(view);
  }

  private static String end(ActorEnd end) {
    Throwable error = end.error();
    if (error != null) {
      return "✗ " + Failure.brief(error);
    }
    boolean silent = end.result().kind() == Cell.Kind.NULL || end.result().text().isEmpty();
    return silent ? SUCCESS : Words.shortened(end.result().toString(), 80);
  }

  private void addTable(String table) {
    sight(outcomes, table)
        .ifPresent(
            sight -> {
              for (int run = 0; run < outcomes.size(); run++) {
                if (sight.isKeyed() && sight.rows(run).size() <= TOO_MANY_ROWS) {
                  addCells(table, sight, run);
                } else {
                  views.get(run).put("rows of " + table, rows(sight, run));
                }
              }
            });
  }

  private void addCells(String table, ComparableTable sight, int run) {
    for (List<String> row : sight.rows(run)) {
      for (int i = 1; i < row.size(); i++) {
        String name = sight.names().get(i);
        views.get(run).put(table + " " + row.get(0) + ": " + name, row.get(i));
      }
    }
  }

  private static String rows(ComparableTable sight, int run) {
    boolean few = sight.rows(run).size() <= MAX_ROWS;
    return rows(sight, run, few ? sight.rows(run) : sight.uncommon(run));
  }

  private static String rows(ComparableTable sight, int run, List<List<String>> shown) {
    int all = sight.rows(run).size();
    StringBuilder text = new StringBuilder(Words.count(all, "row"));
    if (!shown.isEmpty() && !sight.names().isEmpty()) {
      text.append(shown.size() < all ? ", among them " : ": ");
      shown.stream()
          .limit(MAX_ROWS)
          .forEach(row -> text.append('(').append(String.join(", ", row)).append(") "));
      text.append(shown.size() > MAX_ROWS ? "… " + (shown.size() - MAX_ROWS) + " more" : "");
    }
    return text.toString().stripTrailing();
  }
}
