package dev.holdfast.race.internal.report;

import java.util.ArrayList;
import java.util.List;

/**
 * All actors that read the same as the two of a conflict, and acted alike.
 *
 * @param reads the first such reading of each, in the order of the actors
 * @param acts the first such act of each
 */
record ConflictParties(List<PerformedStep> reads, List<PerformedStep> acts) {

  static ConflictParties of(Conflict conflict, History history, int actors) {
    List<PerformedStep> reads = new ArrayList<>();
    List<PerformedStep> acts = new ArrayList<>();
    for (int actor = 0; actor < actors; actor++) {
      int reader = actor;
      history
          .reads()
          .filter(read -> read.actor() == reader && same(read, conflict.read()))
          .findFirst()
          .ifPresent(reads::add);
      history
          .changes()
          .filter(act -> act.actor() == reader && alike(act, conflict.act()))
          .findFirst()
          .ifPresent(acts::add);
    }
    return new ConflictParties(reads, acts);
  }

  private static boolean same(PerformedStep one, PerformedStep other) {
    return one.sql().bound().equals(other.sql().bound()) && one.values().equals(other.values());
  }

  private static boolean alike(PerformedStep one, PerformedStep other) {
    return other.isEffect()
        ? one.isEffect() && one.entry().step().text().equals(other.entry().step().text())
        : !one.isEffect() && one.sql().unbound().equals(other.sql().unbound());
  }

  List<Integer> readNumbers() {
    return reads.stream().map(PerformedStep::number).toList();
  }
}
