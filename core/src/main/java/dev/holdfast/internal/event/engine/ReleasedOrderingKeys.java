package dev.holdfast.internal.event.engine;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Ordering keys of which an event has ended, so that it is the turn of the next one. Only a hint,
 * which saves looking through all that wait: what is forgotten is found by the next full look.
 * Thread-safe.
 */
final class ReleasedOrderingKeys {
  private static final int MAX_CACHED = 1000;
  private static final int MAX_AT_ONCE = 100;

  private final Set<Freed> keys = ConcurrentHashMap.newKeySet();

  private record Freed(int shard, String orderingKey) {}

  /** Answers whether it is remembered. */
  boolean add(int shard, String orderingKey) {
    if (keys.size() >= MAX_CACHED) {
      return false;
    }
    keys.add(new Freed(shard, orderingKey));
    return true;
  }

  boolean any() {
    return !keys.isEmpty();
  }

  void clear() {
    keys.clear();
  }

  /** Takes out some of a shard, at most so many. */
  List<String> take(int shard, int most) {
    List<String> taken = new ArrayList<>();
    Iterator<Freed> each = keys.iterator();
    while (each.hasNext() && taken.size() < Math.min(most, MAX_AT_ONCE)) {
      Freed freed = each.next();
      if (freed.shard() == shard) {
        each.remove();
        taken.add(freed.orderingKey());
      }
    }
    return taken;
  }
}
