package dev.holdfast.webhook;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
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
 *   <li>Targets that are slow get at most half of all places together, however many they are. A
 *       target is slow when its last call was, or when one that is under way has taken a second.
 *   <li>Slow targets and those of which nothing is known yet get at most three quarters together:
 *       the last quarter is for targets that are known to answer quickly.
 *   <li>The bodies under way have a limit in bytes, of all targets together.
 * </ol>
 *
 * <p>Whoever gets no place waits in the line of its target, which is as long as what the target
 * gets done in four seconds: nobody behind it waits much longer for its sake. Slow targets have
 * none, and those of which nothing is known share {@link #LINES_OF_UNKNOWN} of the places. Who
 * finds the line full asks again later, which is dear: for longer, the more wait for the same
 * target, so that a long backlog of one target is not looked at over and over; and so it is where
 * many slow targets wait for the same places. Thread-safe.
 */
final class Slots {
  private static final long SLOW_NANOS = Duration.ofSeconds(1).toNanos();
  private static final long BUSY_NANOS = Duration.ofMillis(200).toNanos();
  private static final long MAX_WAIT_NANOS = Duration.ofMinutes(5).toNanos();
  private static final long MIN_GAP_NANOS = Duration.ofMillis(1).toNanos() / 10;
  private static final double MIN_SHARE = 1.0 / 16;
  private static final double SHARE_OF_FEW = 8;
  private static final double NEWEST_WEIGHT = 0.2;

  /** Fewer places than these are not divided. */
  private static final int MIN_DIVIDED = 16;

  /** Bodies of which every place may have one: large ones must not hold them up. */
  private static final int SMALL_BYTES = 4096;

  private static final int MAX_TARGETS = 10_000;
  private static final int MAX_PASSED_OVER = 32;
  private static final double LINE_NANOS = Duration.ofSeconds(4).toNanos();

  /** How many in lines, as a part of all places: so many more must be able to wait at once. */
  static final double LINES_OF_UNKNOWN = 0.25;

  private final int places;
  private final int perTarget;
  private final long maxBytes;
  private final LongSupplier nanos;
  private final DoubleSupplier random;
  private final double share;
  private final int maxSlow;
  private final int maxUnproven;
  private final Map<Target, Known> targets = new LinkedHashMap<>(16, 0.75f, true);
  private final Deque<Slot> young = new ArrayDeque<>();
  private final Executor turns;
  private int underWay;
  private int slowUnderWay;
  private int unprovenUnderWay;
  private double slowTypicalNanos = SLOW_NANOS;
  private long promisedToUnproven;
  private int inUnknownLines;
  private long bytes;

  /** What is known of a target; guarded by the lock of the slots. */
  private static final class Known {
    int underWay;
    boolean slow;
    double typicalNanos;
    long promised;
    final Deque<Waiter> line = new ArrayDeque<>();

    Known(long now) {
      this.promised = now;
    }

    /** Nothing speaks for its next call being quick. */
    boolean isUnproven() {
      return slow || typicalNanos == 0;
    }
  }

  /** What is done when it is somebody's turn. */
  @FunctionalInterface
  interface Turn {
    /**
     * Begins.
     *
     * @param slot the place; null where it has to come again
     */
    void begin(@Nullable Slot slot);
  }

  /** One in a line. */
  private record Waiter(int size, Turn onTurn) {}

  /** The right to make one call; given back once. */
  final class Slot {
    private final Known known;
    private final int size;
    private final long since;
    private boolean slow;
    private boolean unproven;
    private boolean returned;

    private Slot(Known known, int size, long since) {
      this.known = known;
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

  /**
   * @param turns runs those whose turn it is: not who gives a place back, who would run all that
   *     follow one within the other
   */
  Slots(int places, int perTarget, long maxBytes, Executor turns) {
    this(
        places,
        perTarget,
        maxBytes,
        turns,
        System::nanoTime,
        () -> ThreadLocalRandom.current().nextDouble());
  }

  Slots(
      int places,
      int perTarget,
      long maxBytes,
      Executor turns,
      LongSupplier nanos,
      DoubleSupplier random) {
    this.turns = turns;
    this.places = places;
    this.perTarget = perTarget;
    this.maxBytes = maxBytes;
    this.nanos = nanos;
    this.random = random;
    this.share = Math.max(MIN_SHARE, Math.min(1, SHARE_OF_FEW / places));
    this.maxSlow = Math.max(1, places / 2);
    this.maxUnproven = places < MIN_DIVIDED ? places : places - places / 4;
    this.promisedToUnproven = nanos.getAsLong();
  }

  /** A place for a call to this target with a body of so many bytes; null where there is none. */
  synchronized @Nullable Slot tryTake(Target target, int size) {
    long now = nanos.getAsLong();
    markSlow(now);
    Known known = known(target, now);
    if (!known.line.isEmpty() || !hasPlace(known) || !hasRoom(size)) {
      return null;
    }
    bytes += size;
    return place(known, size, now);
  }

  /**
   * Has {@code onTurn} run with a place: now, or by another thread when it is its turn in the line.
   * It may then be told null, and must ask again later. Answers false where the line is full.
   */
  boolean take(Target target, int size, Turn onTurn) {
    Slot slot = tryTake(target, size);
    if (slot == null) {
      return isInLine(target, new Waiter(size, onTurn));
    }
    onTurn.begin(slot);
    return true;
  }

  private synchronized boolean isInLine(Target target, Waiter waiter) {
    Known known = known(target, nanos.getAsLong());
    // one that is under way will pass its place on
    if (known.underWay == 0 || !hasLine(known) || !hasRoom(waiter.size)) {
      return false;
    }
    known.line.add(waiter);
    if (known.typicalNanos == 0) {
      inUnknownLines++;
    }
    bytes += waiter.size;
    return true;
  }

  private boolean hasLine(Known known) {
    if (known.typicalNanos == 0) {
      return inUnknownLines < places * LINES_OF_UNKNOWN;
    }
    return !known.slow && known.line.size() < perTarget * LINE_NANOS / known.typicalNanos;
  }

  private boolean hasPlace(Known known) {
    return underWay < places
        && known.underWay < perTarget
        && known.underWay < share * (places - underWay)
        && hasUnprovenPlace(known);
  }

  private boolean hasUnprovenPlace(Known known) {
    return !known.isUnproven()
        || (known.underWay < share * (maxUnproven - unprovenUnderWay)
            && !(known.slow && slowUnderWay >= maxSlow));
  }

  /** A body that is larger than the limit goes alone. */
  private boolean hasRoom(int size) {
    return size <= SMALL_BYTES || bytes == 0 || bytes + size <= maxBytes;
  }

  private Slot place(Known known, int size, long now) {
    underWay++;
    known.underWay++;
    Slot slot = new Slot(known, size, now);
    young.add(slot);
    if (known.slow) {
      countSlow(slot);
    } else if (known.isUnproven()) {
      countUnproven(slot);
    }
    return slot;
  }

  /** Those under way for a second show that their targets are slow, before they have ended. */
  private void markSlow(long now) {
    while (!young.isEmpty()
        && (young.element().returned || now - young.element().since > SLOW_NANOS)) {
      Slot slot = young.remove();
      if (!slot.returned) {
        slot.known.slow = true;
        countSlow(slot);
      }
    }
  }

  private void countSlow(Slot slot) {
    countUnproven(slot);
    if (!slot.slow) {
      slot.slow = true;
      slowUnderWay++;
    }
  }

  private void countUnproven(Slot slot) {
    if (!slot.unproven) {
      slot.unproven = true;
      unprovenUnderWay++;
    }
  }

  /** How long to wait until the next try, at least this long. */
  synchronized Duration waiting(Target target, Duration least) {
    long now = nanos.getAsLong();
    Known known = known(target, now);
    known.promised = next(known.promised, now, known.typicalNanos / perTarget);
    long wait = known.promised - now;
    if (!hasUnprovenPlace(known)) {
      promisedToUnproven = next(promisedToUnproven, now, slowTypicalNanos / maxSlow);
      wait = Math.max(wait, promisedToUnproven - now);
    }
    long shortest = Math.max(least.toNanos(), (long) (BUSY_NANOS * (0.5 + random.getAsDouble())));
    return Duration.ofNanos(Math.max(shortest, wait));
  }

  /** When the next one may come, where one may come in each gap. */
  private long next(long promised, long now, double gap) {
    long next = Math.max(promised - now, 0) + now + Math.max(MIN_GAP_NANOS, (long) gap);
    return next - now > MAX_WAIT_NANOS
        ? now + (long) (MAX_WAIT_NANOS * (0.5 + random.getAsDouble() / 2))
        : next;
  }

  /** How many calls are under way. */
  synchronized int underWay() {
    return underWay;
  }

  private void giveBack(Slot slot, boolean called) {
    List<Runnable> next = new ArrayList<>();
    synchronized (this) {
      if (slot.returned) {
        return;
      }
      free(slot, called);
      passOn(slot.known, next);
    }
    next.forEach(turns::execute);
  }

  private void passOn(Known known, List<Runnable> next) {
    long now = nanos.getAsLong();
    while (!known.line.isEmpty() && !known.slow && hasPlace(known)) {
      Waiter first = leaveLine(known);
      Slot slot = place(known, first.size, now);
      next.add(() -> first.onTurn.begin(slot));
    }
    // slow ones have no line; and where none is under way, nobody else would ever tell them
    while (!known.line.isEmpty() && (known.slow || known.underWay == 0)) {
      Waiter first = leaveLine(known);
      bytes -= first.size;
      next.add(() -> first.onTurn.begin(null));
    }
  }

  private Waiter leaveLine(Known known) {
    if (known.typicalNanos == 0) {
      inUnknownLines--;
    }
    return known.line.remove();
  }

  private void free(Slot slot, boolean called) {
    slot.returned = true;
    underWay--;
    slot.known.underWay--;
    bytes -= slot.size;
    if (slot.slow) {
      slowUnderWay--;
    }
    if (slot.unproven) {
      unprovenUnderWay--;
    }
    if (called) {
      long took = Math.max(1, nanos.getAsLong() - slot.since);
      if (slot.known.typicalNanos == 0) {
        inUnknownLines -= slot.known.line.size();
      }
      slot.known.slow = took > SLOW_NANOS;
      slot.known.typicalNanos += (took - slot.known.typicalNanos) * NEWEST_WEIGHT;
      if (slot.known.slow) {
        slowTypicalNanos += (took - slowTypicalNanos) * NEWEST_WEIGHT;
      }
    }
  }

  private Known known(Target target, long now) {
    Known known = targets.get(target);
    if (known == null) {
      if (targets.size() >= MAX_TARGETS) {
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
    for (int i = 0; i < MAX_PASSED_OVER && oldest.hasNext(); i++) {
      if (oldest.next().underWay == 0) {
        oldest.remove();
        return;
      }
    }
  }
}
