package dev.holdfast.race.internal.report;

import dev.holdfast.race.internal.model.Finding;
import dev.holdfast.race.internal.model.Finding.LevelTrial;
import dev.holdfast.transaction.Isolation;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Shows whether another isolation level prevents the finding, as it was tried. */
final class Levels {
  private Levels() {}

  static List<String> of(Anomaly anomaly) {
    Finding finding = anomaly.finding();
    if (finding.levels().isEmpty()) {
      return List.of();
    }
    Conflict conflict = anomaly.conflict();
    boolean apart = conflict != null && !conflict.inOneTransaction();
    boolean noneHelps = finding.levels().stream().noneMatch(LevelTrial::helps);
    if (noneHelps && (apart || finding.levels().stream().allMatch(LevelTrial::known))) {
      String reason =
          conflict != null && apart
              ? ": the statements "
                  + conflict.read().number()
                  + " and "
                  + conflict.act().number()
                  + " are in separate transactions"
              : " (tried: "
                  + finding.levels().stream()
                      .map(level -> name(level.level()))
                      .collect(Collectors.joining(", "))
                  + ")";
      return List.of("No isolation level prevents this" + reason + ".");
    }
    List<String> lines = new ArrayList<>();
    for (LevelTrial level : finding.levels()) {
      lines.add(
          name(level.level())
              + verdict(level)
              + (level.how().isBlank() ? "" : ": " + Words.plain(level.how()))
              + ".");
    }
    return lines;
  }

  private static String verdict(LevelTrial level) {
    if (!level.known()) {
      return level.how().isBlank()
          ? " could not be tried, so it is not known if it prevents this"
          : " may prevent this";
    }
    return level.helps() ? " prevents this" : " does not prevent this";
  }

  static String name(Isolation level) {
    return level.name().replace('_', ' ');
  }
}
