package dev.holdfast.race.internal.explore;

import dev.holdfast.race.internal.database.Database;
import dev.holdfast.race.internal.model.Finding;
import dev.holdfast.race.internal.run.Setting;
import dev.holdfast.transaction.SqlError;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the reader of a report must know, and what she may want to know. */
final class Remarks {
  private final Setting setting;
  private final Serial serial;
  private final FindingSearch hunt;
  private final Database database;
  private final boolean nothingCompared;

  Remarks(Task task, Setting setting, Serial serial, FindingSearch hunt, Runner runner) {
    this.setting = setting;
    this.serial = serial;
    this.hunt = hunt;
    this.database = runner.database();
    this.nothingCompared =
        task.comparesSerially()
            && ComparisonScope.all(serial.masked(), runner.given(), serial.attempts());
  }

  List<String> warnings() throws SQLException {
    List<String> warnings = new ArrayList<>();
    if (serial.isCold()) {
      warnings.add(
          "the first runs made other steps than later ones: the code keeps state between runs (a"
              + " cache?), which was filled in all explored runs. Failures that occur only while it"
              + " is empty were not explored; create it in the actor to explore them, too");
    }
    if (!setting.isAlone() && SharedTables.nothing(serial.entries(), setting, database)) {
      warnings.add(
          "the actors share nothing: no actor changes a table that another one uses, so they cannot"
              + " race. Do they use the same rows?");
    }
    if (nothingCompared) {
      warnings.add(
          "nothing that the actors change is compared, because it differs between two equal runs: "
              + String.join(", ", serial.masked())
              + ". Make it the same in each run (a fixed clock, a fixed seed), or use"
              + " .invariant(…)");
    }
    Set<String> elsewhere = OtherSchemas.of(serial.entries(), database);
    if (!elsewhere.isEmpty()) {
      warnings.add(
          "neither reset between runs nor compared, because they are in another schema than the"
              + " connection: "
              + String.join(", ", elsewhere));
    }
    if (hunt.isShort()) {
      warnings.add(
          "the time limit ended the exploration after few runs: raise it with .timeLimit(…), or use"
              + " fewer actors and steps");
    }
    if (!database.reportsWaits()) {
      warnings.add("lock waits are presumed, not observed: " + database.whyNoWaits());
    }
    if (hunt.waitsPresumed() && database.reportsWaits()) {
      warnings.add("some lock waits are presumed, because this database does not report them");
    }
    return warnings;
  }

  List<String> notes(@Nullable Finding finding) {
    List<String> notes = new ArrayList<>();
    if (hunt.diverged() > 0) {
      notes.add(
          runs(hunt.diverged())
              + " took another course than planned: the database chooses which actor it aborts in a"
              + " deadlock and which one it resumes first");
    }
    if (!serial.masked().isEmpty() && !nothingCompared) {
      notes.add(
          "not compared, because they differ between two equal runs: "
              + String.join(", ", serial.masked()));
    }
    if (!setting.otherThreads().isEmpty()) {
      notes.add(
          "threads that belong to no actor used the data source and were not controlled: "
              + OtherThreads.names(setting.otherThreads()));
    }
    if (finding == null) {
      notes.addAll(hunt.oddities().notes(serial, setting.names(), setting.kinds()));
    }
    boolean deadlock = finding != null && finding.kind() == Finding.Kind.DEADLOCK;
    hunt.refusals()
        .forEach(
            (refusal, times) -> {
              if (refusal.error() != SqlError.DEADLOCK || !deadlock) {
                notes.add(describe(refusal) + ", in " + runs(times) + end(refusal));
              }
            });
    return notes;
  }

  private String describe(FindingSearch.Refusal refusal) {
    String name = setting.names().get(refusal.actor());
    return refusal.error() == null
        ? name + " failed after one of its writes changed no row"
        : "rejected by the database: " + name + " " + refusal.error();
  }

  private static String end(FindingSearch.Refusal refusal) {
    return refusal.error() == null
        ? ", as a guard does; what it committed before was compared"
        : " (allowed unless the test uses .forbid(…))";
  }

  private static String runs(int count) {
    return count == 1 ? "1 run" : count + " runs";
  }
}
