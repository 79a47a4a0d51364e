package dev.holdfast.race.internal.report;

import java.util.ArrayList;
import java.util.List;

/**
 * All who have read the same as the two of a conflict, and acted alike.
 *
 * @param reads the first such reading of each, in the order of the actors
 * @param acts the first such act of each
 */
record Party(List<Deed> reads, List<Deed> acts) {

  static Party of(Conflict conflict, History history, int actors) {
    List<Deed> reads = new ArrayList<>();
    List<Deed> acts = new ArrayList<>();
    for (int actor = 0; actor < actors; actor++) {
      int who = actor;
      history
          .reads()
          .filter(read -> read.actor() == who && same(read, conflict.read()))
          .findFirst()
          .ifPresent(reads::add);
      history
          .changes()
          .filter(act -> act.actor() == who && alike(act, conflict.act()))
          .findFirst()
          .ifPresent(acts::add);
    }
    return new Party(reads, acts);
  }

  private static boolean same(Deed one, Deed other) {
    return one.sql().bound().equals(other.sql().bound()) && one.values().equals(other.values());
  }

  private static boolean alike(Deed one, Deed other) {
    return other.isEffect()
        ? one.isEffect() && one.entry().step().text().equals(other.entry().step().text())
        : !one.isEffect() && one.sql().unbound().equals(other.sql().unbound());
  }

  List<Integer> readNumbers() {
    return reads.stream().map(Deed::number).toList();
  }
}
