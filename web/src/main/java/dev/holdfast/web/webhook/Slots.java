package dev.holdfast.web.webhook;

import dev.holdfast.webhook.Target;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How many calls may be under way at once, and whose: a few targets that are slow, or a thousand,
 * must not take the places of the others.
 *
 * <ol>
 *   <li>A target gets a place while it has less than a share of the places that are free. So one
 *       alone gets many, a thousand get one or two each, and some always stay free for one that has
 *       none.
 *   <li>Targets whose last call was slow get at most half of all places together, however many they
 *       are.
 *   <li>The bodies under way have a limit in bytes, of all targets together.
 * </ol>
 *
 * <p>Whoever gets no place waits and asks again: for longer, the more wait for the same target, so
 * that a long backlog of one target is not looked at over and over. Thread-safe.
 */
final class Slots {
  private static final long SLOW_NANOS = Duration.ofSeconds(1).toNanos();
  private static final long BUSY_NANOS = Duration.ofMillis(200).toNanos();
  private static final long LONGEST_WAIT_NANOS = Duration.ofMinutes(5).toNanos();
  private static final long SHORTEST_GAP_NANOS = Duration.ofMillis(1).toNanos() / 10;
  private static final double LEAST_SHARE = 1.0 / 16;
  private static final double SHARE_OF_FEW = 8;
  private static final double NEWEST_WEIGHT = 0.2;

  /** Bodies of which every place may have one: large ones must not hold them up. */
  private static final int SMALL_BYTES = 4096;

  private static final int MOST_TARGETS = 10_000;
  private static final int MOST_PASSED_OVER = 32;

  private final int places;
  private final int perTarget;
  private final long mostBytes;
  private final LongSupplier nanos;
  private final DoubleSupplier random;
  private final double share;
  private final Map<Target, Known> targets = new LinkedHashMap<>(16, 0.75f, true);
  private int underWay;
  private int slowUnderWay;
  private long bytes;

  /** What is known of a target; guarded by the lock of the slots. */
  private static final class Known {
    int underWay;
    boolean slow;
    double typicalNanos;
    long promised;

    Known(long now) {
      this.promised = now;
    }
  }

  /** The right to make one call; given back once. */
  final class Slot {
    private final Known known;
    private final boolean slow;
    private final int size;
    private final long since;
    private boolean returned;

    private Slot(Known known, int size, long since) {
      this.known = known;
      this.slow = known.slow;
      this.size = size;
      this.since = since;
    }

    /**
     * Gives it back.
     *
     * @param called whether the call was made, so that its time says something
     */
    void giveBack(boolean called) {
      Slots.this.giveBack(this, called);
    }
  }

  Slots(int places, int perTarget, long mostBytes) {
    this(
        places,
        perTarget,
        mostBytes,
        System::nanoTime,
        () -> ThreadLocalRandom.current().nextDouble());
  }

  Slots(int places, int perTarget, long mostBytes, LongSupplier nanos, DoubleSupplier random) {
    this.places = places;
    this.perTarget = perTarget;
    this.mostBytes = mostBytes;
    this.nanos = nanos;
    this.random = random;
    this.share = Math.max(LEAST_SHARE, Math.min(1, SHARE_OF_FEW / places));
  }

  /** A place for a call to this target with a body of so many bytes; null where there is none. */
  synchronized @Nullable Slot tryTake(Target target, int size) {
    long now = nanos.getAsLong();
    Known known = known(target, now);
    boolean hasPlace =
        underWay < places
            && known.underWay < perTarget
            && known.underWay < share * (places - underWay)
            && !(known.slow && slowUnderWay >= Math.max(1, places / 2));
    // a body that is larger than the limit goes alone
    boolean hasRoom = size <= SMALL_BYTES || bytes == 0 || bytes + size <= mostBytes;
    if (!hasPlace || !hasRoom) {
      return null;
    }
    underWay++;
    known.underWay++;
    bytes += size;
    if (known.slow) {
      slowUnderWay++;
    }
    return new Slot(known, size, now);
  }

  /** How long to wait until the next try, at least this long. */
  synchronized Duration waiting(Target target, Duration least) {
    long now = nanos.getAsLong();
    Known known = known(target, now);
    long gap = Math.max(SHORTEST_GAP_NANOS, (long) (known.typicalNanos / perTarget));
    known.promised = Math.max(known.promised - now, 0) + now + gap;
    if (known.promised - now > LONGEST_WAIT_NANOS) {
      known.promised = now + (long) (LONGEST_WAIT_NANOS * (0.5 + random.getAsDouble() / 2));
    }
    long shortest = Math.max(least.toNanos(), (long) (BUSY_NANOS * (0.5 + random.getAsDouble())));
    return Duration.ofNanos(Math.max(shortest, known.promised - now));
  }

  /** How many calls are under way. */
  synchronized int underWay() {
    return underWay;
  }

  private synchronized void giveBack(Slot slot, boolean called) {
    if (slot.returned) {
      return;
    }
    slot.returned = true;
    underWay--;
    slot.known.underWay--;
    bytes -= slot.size;
    if (slot.slow) {
      slowUnderWay--;
    }
    if (called) {
      long took = nanos.getAsLong() - slot.since;
      slot.known.slow = took > SLOW_NANOS;
      slot.known.typicalNanos += (took - slot.known.typicalNanos) * NEWEST_WEIGHT;
    }
  }

  private Known known(Target target, long now) {
    Known known = targets.get(target);
    if (known == null) {
      if (targets.size() >= MOST_TARGETS) {
        forgetOne();
      }
      known = new Known(now);
      targets.put(target, known);
    }
    return known;
  }

  /** One that has no call under way; where the oldest all have, their number stays bounded. */
  private void forgetOne() {
    Iterator<Known> oldest = targets.values().iterator();
    for (int i = 0; i < MOST_PASSED_OVER && oldest.hasNext(); i++) {
      if (oldest.next().underWay == 0) {
        oldest.remove();
        return;
      }
    }
  }
}
