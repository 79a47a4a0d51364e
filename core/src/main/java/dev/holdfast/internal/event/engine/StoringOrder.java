package dev.holdfast.internal.event.engine;

import dev.holdfast.internal.event.store.NewEvent;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * The order in which the events of one call are stored. Two calls with the same keys lock them in
 * the same order, whatever order they were given in, so that they do not deadlock: keys are sorted.
 * Events of one ordering key stay in the given order, because that is the order in which they run.
 */
final class StoringOrder {
  private StoringOrder() {}

  /** The places of the events, in the order in which they are stored. */
  static List<Integer> of(List<NewEvent> events) {
    List<Integer> order = new ArrayList<>(events.size());
    Map<String, Deque<Integer>> byOrderingKey = new HashMap<>();
    PriorityQueue<Deque<Integer>> byKey =
        new PriorityQueue<>(
            Comparator.comparing((Deque<Integer> some) -> keyOf(events, some))
                .thenComparing(Deque::getFirst));
    List<Deque<Integer>> all = new ArrayList<>();
    for (int place = 0; place < events.size(); place++) {
      NewEvent event = events.get(place);
      String orderingKey = event.orderingKey();
      if (orderingKey != null) {
        byOrderingKey
            .computeIfAbsent(
                orderingKey,
                ignored -> {
                  Deque<Integer> some = new ArrayDeque<>();
                  all.add(some);
                  return some;
                })
            .add(place);
      } else if (event.key() == null) {
        order.add(place);
      } else {
        all.add(new ArrayDeque<>(List.of(place)));
      }
    }
    all.forEach(some -> next(events, some, order, byKey));
    while (!byKey.isEmpty()) {
      Deque<Integer> some = byKey.remove();
      order.add(some.remove());
      next(events, some, order, byKey);
    }
    return order;
  }

  /** Stores what comes before the next key, which then waits for its turn. */
  private static void next(
      List<NewEvent> events,
      Deque<Integer> some,
      List<Integer> order,
      PriorityQueue<Deque<Integer>> byKey) {
    while (!some.isEmpty() && events.get(some.getFirst()).key() == null) {
      order.add(some.remove());
    }
    if (!some.isEmpty()) {
      byKey.add(some);
    }
  }

  private static String keyOf(List<NewEvent> events, Deque<Integer> some) {
    return String.valueOf(events.get(some.getFirst()).key());
  }
}
