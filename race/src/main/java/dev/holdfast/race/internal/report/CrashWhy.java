package dev.holdfast.race.internal.report;

import dev.holdfast.race.internal.model.ActorEnd;
import dev.holdfast.race.internal.model.Entry;
import dev.holdfast.race.internal.model.Finding;
import dev.holdfast.race.internal.model.Outcome;
import java.util.List;
import java.util.Optional;

/** Tells what a crash has led to. */
final class CrashWhy {
  private final Finding finding;
  private final SecondTry secondTry;

  CrashWhy(Anomaly anomaly) {
    this.finding = anomaly.finding();
    this.secondTry = anomaly.secondTry();
  }

  Optional<String> told() {
    return secondTry.crash().map(entry -> crash(entry) + second(entry) + ".");
  }

  private static String crash(Entry entry) {
    String what =
        switch (entry.step().kind()) {
          case COMMIT -> "the commit";
          case EFFECT, POINT -> "“" + Words.shortened(entry.step().text(), 60) + "”";
          default -> "step " + entry.number();
        };
    String how = entry.fate().dies() ? "the process died " : "the connection was lost ";
    String when =
        entry.fate().before()
            ? "before " + what + " took place"
            : "after " + what + " had taken place, and nobody was told";
    return "In " + entry.number() + " " + how + when + ". ";
  }

  private String second(Entry crash) {
    String who = finding.actors().get(crash.actor());
    if (secondTry.again().findAny().isEmpty()) {
      return Words.capital(who) + " took it for its end, so it was not run again" + left(crash);
    }
    return "Then " + who + " was run again with the same input" + left(crash);
  }

  private String left(Entry crash) {
    if (secondTry.leftHalfDone()) {
      return error(crash.actor())
          .map(error -> ", and ended with " + Failure.brief(error))
          .orElse(", and took for done what was only begun")
          .concat("; what is left was never done");
    }
    List<String> again =
        secondTry.repetitions().entrySet().stream()
            .map(
                repeated ->
                    "in " + repeated.getKey() + " what " + repeated.getValue() + " had done")
            .toList();
    return again.isEmpty()
        ? ", and what it left is not what one clean run leaves"
        : ", and did once more " + Words.and(again);
  }

  private Optional<Throwable> error(int actor) {
    Outcome got = finding.actual();
    return got == null || actor >= got.ends().size()
        ? Optional.empty()
        : Optional.of(got.ends().get(actor)).map(ActorEnd::error);
  }
}
