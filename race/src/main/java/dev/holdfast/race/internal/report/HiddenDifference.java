package dev.holdfast.race.internal.report;

import dev.holdfast.race.internal.model.ActorEnd;
import dev.holdfast.race.internal.model.Finding;
import dev.holdfast.race.internal.model.Outcome;
import dev.holdfast.race.internal.model.TableContent;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * In what an outcome differs that looks like that of a serial order: what is too long to be shown,
 * or only which rows belong together by ids and times that are new in every run.
 */
final class HiddenDifference {
  private HiddenDifference() {}

  static String of(Finding finding, Outcome got) {
    List<String> differ = new ArrayList<>();
    IntStream.range(0, Math.min(finding.actors().size(), got.ends().size()))
        .filter(actor -> all(finding, other -> !sameEnd(other, got, actor)))
        .forEach(actor -> differ.add("how " + finding.actors().get(actor) + " ended"));
    if (all(finding, other -> !effects(other).equals(effects(got)))) {
      differ.add("the effects");
    }
    List<String> renewed = new ArrayList<>();
    for (TableContent table : got.tables()) {
      String name = table.table();
      if (all(finding, other -> OutcomeViews.differsInLength(other, got, name))) {
        differ.add("the rows of " + name);
      }
      OutcomeViews.sight(List.of(got), name)
          .filter(sight -> !sight.newColumns().isEmpty() && !table.rows().isEmpty())
          .ifPresent(
              sight -> renewed.add(name + " (" + String.join(", ", sight.newColumns()) + ")"));
    }
    if (!differ.isEmpty()) {
      return Words.and(differ) + ": they differ, but the difference is too long to show";
    }
    return renewed.isEmpty()
        ? "the same as in a serial order in everything that can be shown here"
        : "the same values as in a serial order; the difference is which rows are linked by ids or"
            + " times that are new in every run, in "
            + Words.and(renewed);
  }

  private static boolean all(Finding finding, Predicate<Outcome> differs) {
    return finding.expected().stream().map(Finding.Expected::outcome).allMatch(differs);
  }

  private static boolean sameEnd(Outcome one, Outcome other, int actor) {
    return actor < one.ends().size()
        && end(one.ends().get(actor)).equals(end(other.ends().get(actor)));
  }

  private static String end(ActorEnd end) {
    Throwable error = end.error();
    return error == null
        ? end.result().toString()
        : error.getClass().getName() + Objects.toString(error.getMessage());
  }

  private static List<String> effects(Outcome outcome) {
    return outcome.effects().stream().map(Outcome.Effect::name).sorted().toList();
  }
}
