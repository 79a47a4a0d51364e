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
 */
record ReleasedLock(PerformedStep read, Entry end) {

  static List<ReleasedLock> of(Conflict conflict, ConflictParties party, History history) {
    List<ReleasedLock> lost = new ArrayList<>();
    add(conflict.read(), conflict.act(), history, lost);
    PerformedStep theirs = conflict.otherRead();
    if (theirs != null) {
      add(theirs, conflict.change(), history, lost);
    }
    if (conflict.pattern() == Conflict.Pattern.DOUBLE_SPEND) {
      for (PerformedStep read : party.reads()) {
        party.acts().stream()
            .filter(act -> act.actor() == read.actor())
            .findFirst()
            .ifPresent(act -> add(read, act, history, lost));
      }
    }
    lost.sort(Comparator.comparing(lock -> lock.read.number()));
    return lost;
  }

  private static void add(
      PerformedStep read, PerformedStep act, History history, List<ReleasedLock> lost) {
    boolean known = lost.stream().anyMatch(lock -> lock.read.number() == read.number());
    if (read.sql().locks() && !known) {
      history
          .end(read)
          .filter(end -> read.number() < end.number() && end.number() < act.number())
          .ifPresent(end -> lost.add(new ReleasedLock(read, end)));
    }
  }

  /** {@code The lock of 1 ends with the commit in 3, that of 2 with the commit in 5.} */
  static String describe(List<ReleasedLock> lost) {
    StringBuilder text = new StringBuilder();
    for (ReleasedLock lock : lost) {
      boolean commit = lock.end.step().kind() == StepKind.COMMIT;
      String what = commit ? (lock.end.step().implicit() ? "autocommit" : "commit") : "rollback";
      text.append(text.length() == 0 ? "The lock of " : ", that of ").append(lock.read.number());
      text.append(text.indexOf(",") < 0 ? " ends" : "").append(" with the ").append(what);
      text.append(" in ").append(lock.end.number());
    }
    return text.length() == 0 ? "" : text.append('.').toString();
  }
}
