package dev.holdfast.cache;

import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Tells copies that were invalidated from others without knowing them: each name has a place, and
 * each invalidation counts there. A copy is good while its place has not changed since before the
 * store was asked for it. Names that share a place only ask the store once more than needed.
 */
final class Epochs {
  private static final int STRIPES = 1 << 12;

  private final AtomicIntegerArray stripes = new AtomicIntegerArray(STRIPES);

  /** What stood at the place of a name at a moment. */
  record Moment(int stripe, int epoch) {}

  Moment now(CacheName name) {
    int stripe = stripe(name.text());
    return new Moment(stripe, stripes.get(stripe));
  }

  private static int stripe(String name) {
    int hash = name.hashCode() * 0x9E3779B9;
    return hash >>> (Integer.SIZE - 12);
  }

  boolean isCurrent(LocalEntry<?> copy) {
    return stripes.get(copy.stripe) == copy.epoch;
  }

  void outdate(String name) {
    stripes.incrementAndGet(stripe(name));
  }

  void outdateAll() {
    for (int i = 0; i < STRIPES; i++) {
      stripes.incrementAndGet(i);
    }
  }
}
