package dev.holdfast.internal.event.engine;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * How many events the handlers of a queue need: as many as they will begin within a tenth of a
 * second, so that slow handlers do not hoard what other instances could do, and fast ones never
 * wait. For the thread that claims.
 */
final class PrefetchController {
  private static final int MAX_PER_CLAIM = 1000;
  private static final int MAX_IN_FLIGHT = 5000;
  private static final double SECONDS_AHEAD = 0.1;
  private static final double MIN_POLL_SECONDS = 0.002;
  private static final double HALF_LIFE_SECONDS = 0.01;

  /** After how long, and how many looks, what waits is too much; a pause of the JVM is not. */
  private static final long TOO_MUCH_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final int LOOKS_WITH_TOO_MUCH = 20;

  private final HandlerPool handlers;
  private final InFlightEvents hands;
  private final int concurrency;
  private final int capacity;
  private final Consumer<InFlightEvents.Held> giveBack;
  private long lastLook = System.nanoTime();
  private long lastHandled;
  private double perSecond;
  private long enoughNanos = lastLook;
  private int looksWithTooMuch;

  PrefetchController(
      HandlerPool handlers,
      InFlightEvents hands,
      int concurrency,
      int maxBatchSize,
      Consumer<InFlightEvents.Held> giveBack) {
    this.handlers = handlers;
    this.hands = hands;
    this.concurrency = concurrency;
    this.capacity = (int) Math.min(MAX_IN_FLIGHT, (long) concurrency * maxBatchSize);
    this.giveBack = giveBack;
  }

  /** Whether there is a handler that could begin something. */
  boolean isIdle() {
    return handlers.busy() < concurrency;
  }

  /** How many more could be begun at once. */
  int room() {
    return capacity - hands.size();
  }

  /** How many to claim now; 0 where there are enough. */
  int now() {
    long time = System.nanoTime();
    double seconds = (time - lastLook) / 1e9;
    if (seconds > MIN_POLL_SECONDS) {
      long sum = handlers.handled();
      double kept = Math.pow(0.5, seconds / HALF_LIFE_SECONDS);
      perSecond = Math.max(perSecond * kept, (sum - lastHandled) / seconds);
      lastHandled = sum;
      lastLook = time;
    }
    if (hands.room().isFull()) {
      return 0;
    }
    // first these: what a handler takes out meanwhile is counted twice, and never not at all
    int waiting = hands.waiting();
    int idle = (int) (capacity * (double) Math.max(0, concurrency - handlers.busy()) / concurrency);
    int ahead = (int) Math.min(MAX_IN_FLIGHT, idle + perSecond * SECONDS_AHEAD);
    giveBackWhatIsTooMuch(time, waiting, 2 * ahead + 1);
    int free = Math.min(ahead - waiting, MAX_IN_FLIGHT - hands.size());
    return free < Math.max(1, ahead / 4) ? 0 : Math.min(free, MAX_PER_CLAIM);
  }

  /** Handlers that have become slow leave to others what was claimed when they were fast. */
  private void giveBackWhatIsTooMuch(long time, int waiting, int most) {
    if (waiting <= most) {
      enoughNanos = time;
      looksWithTooMuch = 0;
    } else if (++looksWithTooMuch > LOOKS_WITH_TOO_MUCH && time - enoughNanos > TOO_MUCH_NANOS) {
      hands.notBegun(most).forEach(giveBack);
      enoughNanos = time;
    }
  }
}
