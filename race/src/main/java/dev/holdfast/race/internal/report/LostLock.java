package dev.holdfast.race.internal.report;

import dev.holdfast.race.internal.model.Entry;
import dev.holdfast.race.internal.model.StepKind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A lock that was taken with what was read, and ended before that was acted on.
 *
 * @param read what took it
 * @param end the commit or the rollback that it ended with
 * @param act what was done without it
 */
record LostLock(Deed read, Entry end, Deed act) {

  static List<LostLock> of(Conflict conflict, Party party, History history) {
    List<LostLock> lost = new ArrayList<>();
    add(conflict.read(), conflict.act(), history, lost);
    Deed theirs = conflict.otherRead();
    if (theirs != null) {
      add(theirs, conflict.change(), history, lost);
    }
    if (conflict.pattern() == Conflict.Pattern.DOUBLE_SPEND) {
      for (Deed read : party.reads()) {
        party.acts().stream()
            .filter(act -> act.actor() == read.actor())
            .findFirst()
            .ifPresent(act -> add(read, act, history, lost));
      }
    }
    lost.sort(Comparator.comparing(lock -> lock.read.number()));
    return lost;
  }

  private static void add(Deed read, Deed act, History history, List<LostLock> lost) {
    boolean known = lost.stream().anyMatch(lock -> lock.read.number() == read.number());
    if (read.sql().locks() && !known) {
      history
          .end(read)
          .filter(end -> read.number() < end.number() && end.number() < act.number())
          .ifPresent(end -> lost.add(new LostLock(read, end, act)));
    }
  }

  /** {@code the lock of 1 ends with the commit in 3}. */
  String told() {
    boolean commit = end.step().kind() == StepKind.COMMIT;
    String what = commit ? (end.step().implicit() ? "autocommit" : "commit") : "rollback";
    return "the lock of " + read.number() + " ends with the " + what + " in " + end.number();
  }
}
