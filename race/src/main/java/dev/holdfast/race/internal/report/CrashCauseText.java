package dev.holdfast.race.internal.report;

import dev.holdfast.race.internal.model.ActorEnd;
import dev.holdfast.race.internal.model.Entry;
import dev.holdfast.race.internal.model.Finding;
import dev.holdfast.race.internal.model.Outcome;
import java.util.List;
import java.util.Optional;

/** Explains the result of a crash. */
final class CrashCauseText {
  private final Finding finding;
  private final CrashRetry secondTry;

  CrashCauseText(Anomaly anomaly) {
    this.finding = anomaly.finding();
    this.secondTry = anomaly.secondTry();
  }

  Optional<String> describe() {
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
            ? "before " + what + " took effect"
            : "after " + what + " took effect, before the response arrived";
    return "In " + entry.number() + " " + how + when + ". ";
  }

  private String second(Entry crash) {
    String name = finding.actors().get(crash.actor());
    if (secondTry.again().findAny().isEmpty()) {
      return Words.capital(name)
          + " handled the failure and ended, so it was not run again"
          + left(crash);
    }
    return "Then " + name + " was run again with the same input" + left(crash);
  }

  private String left(Entry crash) {
    if (secondTry.leftHalfDone()) {
      return error(crash.actor())
          .map(error -> ", and ended with " + Failure.brief(error))
          .orElse(", and treated unfinished work as done")
          .concat("; the remaining work was never done");
    }
    List<String> again =
        secondTry.repetitions().entrySet().stream()
            .map(repeated -> "step " + repeated.getValue() + " in step " + repeated.getKey())
            .toList();
    return again.isEmpty()
        ? ", and the result differs from one clean run"
        : ", and repeated " + Words.and(again);
  }

  private Optional<Throwable> error(int actor) {
    Outcome got = finding.actual();
    return got == null || actor >= got.ends().size()
        ? Optional.empty()
        : Optional.of(got.ends().get(actor)).map(ActorEnd::error);
  }
}
