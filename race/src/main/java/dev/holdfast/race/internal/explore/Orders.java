package dev.holdfast.race.internal.explore;

import java.util.ArrayList;
import java.util.List;

/** The orders in which actors can run one after the other. */
final class Orders {
  private Orders() {}

  /** All of them; those that do the same keep their order, for another one would be no other. */
  static List<List<Integer>> of(int[] kinds) {
    List<List<Integer>> orders = new ArrayList<>();
    grow(kinds, new ArrayList<>(), orders);
    return orders;
  }

  private static void grow(int[] kinds, List<Integer> begun, List<List<Integer>> orders) {
    if (begun.size() == kinds.length) {
      orders.add(List.copyOf(begun));
      return;
    }
    for (int actor = 0; actor < kinds.length; actor++) {
      if (!begun.contains(actor) && isFirstOfKind(actor, kinds, begun)) {
        begun.add(actor);
        grow(kinds, begun, orders);
        begun.remove(begun.size() - 1);
      }
    }
  }

  private static boolean isFirstOfKind(int actor, int[] kinds, List<Integer> begun) {
    for (int before = 0; before < actor; before++) {
      if (kinds[before] == kinds[actor] && !begun.contains(before)) {
        return false;
      }
    }
    return true;
  }
}
