package dev.holdfast.race.internal.report;

import dev.holdfast.race.internal.model.Finding;
import dev.holdfast.race.internal.model.Finding.LevelTry;
import dev.holdfast.transaction.Isolation;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Tells whether another isolation level would have helped, as it was tried. */
final class Levels {
  private Levels() {}

  static List<String> of(Anomaly anomaly) {
    Finding finding = anomaly.finding();
    if (finding.levels().isEmpty()) {
      return List.of();
    }
    Conflict conflict = anomaly.conflict();
    boolean apart = conflict != null && !conflict.inOneTransaction();
    boolean noneHelps = finding.levels().stream().noneMatch(LevelTry::helps);
    if (noneHelps && (apart || finding.levels().stream().allMatch(LevelTry::known))) {
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
      return List.of("No isolation level helps" + reason + ".");
    }
    List<String> lines = new ArrayList<>();
    for (LevelTry level : finding.levels()) {
      lines.add(
          name(level.level())
              + verdict(level)
              + (level.how().isBlank() ? "" : ": " + Words.plain(level.how()))
              + ".");
    }
    return lines;
  }

  private static String verdict(LevelTry level) {
    if (!level.known()) {
      return level.how().isBlank()
          ? " could not be tried, so whether it would have helped is not known"
          : " may have helped";
    }
    return level.helps() ? " would have helped" : " would not have helped";
  }

  static String name(Isolation level) {
    return level.name().replace('_', ' ');
  }
}
