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
  private final Hunt hunt;
  private final Database database;
  private final boolean nothingCompared;

  Remarks(Task task, Setting setting, Serial serial, Hunt hunt, Runner runner) {
    this.setting = setting;
    this.serial = serial;
    this.hunt = hunt;
    this.database = runner.database();
    this.nothingCompared =
        task.comparesSerially() && Masked.all(serial.masked(), runner.given(), serial.attempts());
  }

  List<String> warnings() throws SQLException {
    List<String> warnings = new ArrayList<>();
    if (serial.isCold()) {
      warnings.add(
          "at first they made other steps than later: they keep something between runs (a cache?),"
              + " which was filled in all the runs that were explored. What goes wrong only while"
              + " it is empty was not looked at; make it anew in the actor to have that looked at,"
              + " too");
    }
    if (!setting.isAlone() && Sharing.nothing(serial.entries(), setting, database)) {
      warnings.add(
          "the actors share nothing: none of them changes a table that another one uses, so they"
              + " cannot race. Do they use the same rows?");
    }
    if (nothingCompared) {
      warnings.add(
          "nothing that they change is compared, for it differs between two equal runs: "
              + String.join(", ", serial.masked())
              + ". Make it the same in each run (a fixed clock, a fixed seed), or say what must"
              + " hold with .invariant(…)");
    }
    Set<String> elsewhere = OtherSchemas.of(serial.entries(), database);
    if (!elsewhere.isEmpty()) {
      warnings.add(
          "neither put back between runs nor compared, for they are in other schemas than that of"
              + " the connection: "
              + String.join(", ", elsewhere));
    }
    if (hunt.isShort()) {
      warnings.add(
          "the time was over before much was tried: give it more with .timeLimit(…), or have fewer"
              + " actors and steps");
    }
    if (!database.tellsWaits()) {
      warnings.add("who waits for whom is presumed, not known: " + database.whyNoWaits());
    }
    if (hunt.waitsPresumed() && database.tellsWaits()) {
      warnings.add("some waits are presumed, for this database does not tell them");
    }
    return warnings;
  }

  List<String> notes(@Nullable Finding finding) {
    List<String> notes = new ArrayList<>();
    if (hunt.diverged() > 0) {
      notes.add(
          runs(hunt.diverged())
              + " took another course than wanted: whom the database ends in a deadlock, or lets go"
              + " on first, is its own choice");
    }
    if (!serial.masked().isEmpty() && !nothingCompared) {
      notes.add(
          "not compared, for they differ between two equal runs: "
              + String.join(", ", serial.masked()));
    }
    if (!setting.otherThreads().isEmpty()) {
      notes.add(
          "threads that are no actor's used the data source and were not controlled: "
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
                notes.add(told(refusal) + ", in " + runs(times) + end(refusal));
              }
            });
    return notes;
  }

  private String told(Hunt.Refusal refusal) {
    String who = setting.names().get(refusal.actor());
    return refusal.error() == null
        ? who + " gave up after a write of its own had changed no row"
        : "refused by the database: " + who + " " + refusal.error();
  }

  private static String end(Hunt.Refusal refusal) {
    return refusal.error() == null
        ? ", as a guard does; what it had committed before that was compared"
        : " (legal unless the test says .forbid(…))";
  }

  private static String runs(int count) {
    return count == 1 ? "1 run" : count + " runs";
  }
}
