package dev.holdfast.internal.event.engine;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Decides how many events to claim ahead of the handlers of a queue: as many as they will start
 * within a tenth of a second, so that slow handlers do not hold events that other instances could
 * handle, and fast ones never wait. For the claiming thread.
 */
final class PrefetchController {
  private static final int MAX_PER_CLAIM = 1000;
  private static final int MAX_IN_FLIGHT = 5000;
  private static final double SECONDS_AHEAD = 0.1;
  private static final double MIN_POLL_SECONDS = 0.002;
  private static final double HALF_LIFE_SECONDS = 0.01;

  /** For how long, and how many checks, too many must wait; a pause of the JVM is not enough. */
  private static final long TOO_MANY_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final int CHECKS_WITH_TOO_MANY = 20;

  private final HandlerPool handlers;
  private final InFlightEvents inFlight;
  private final int concurrency;
  private final int capacity;
  private final Consumer<InFlightEvents.Held> requeue;
  private long measuredNanos = System.nanoTime();
  private long measuredHandled;
  private double perSecond;
  private long notTooManyNanos = measuredNanos;
  private int checksWithTooMany;

  PrefetchController(
      HandlerPool handlers,
      InFlightEvents inFlight,
      int concurrency,
      int maxBatchSize,
      Consumer<InFlightEvents.Held> requeue) {
    this.handlers = handlers;
    this.inFlight = inFlight;
    this.concurrency = concurrency;
    this.capacity = (int) Math.min(MAX_IN_FLIGHT, (long) concurrency * maxBatchSize);
    this.requeue = requeue;
  }

  /** Whether there is a handler that could start an event. */
  boolean isIdle() {
    return handlers.busy() < concurrency;
  }

  /** How many more could be started at once. */
  int room() {
    return capacity - inFlight.size();
  }

  /** How many to claim now; 0 if there are enough. */
  int now() {
    long time = System.nanoTime();
    double seconds = (time - measuredNanos) / 1e9;
    if (seconds > MIN_POLL_SECONDS) {
      long sum = handlers.handled();
      double kept = Math.pow(0.5, seconds / HALF_LIFE_SECONDS);
      perSecond = Math.max(perSecond * kept, (sum - measuredHandled) / seconds);
      measuredHandled = sum;
      measuredNanos = time;
    }
    if (inFlight.memory().isFull()) {
      return 0;
    }
    // read first: what a handler takes in between is counted twice, and never not at all
    int waiting = inFlight.waiting();
    int idle = (int) (capacity * (double) Math.max(0, concurrency - handlers.busy()) / concurrency);
    int ahead = (int) Math.min(MAX_IN_FLIGHT, idle + perSecond * SECONDS_AHEAD);
    requeueTooMany(time, waiting, 2 * ahead + 1);
    int free = Math.min(ahead - waiting, MAX_IN_FLIGHT - inFlight.size());
    return free < Math.max(1, ahead / 4) ? 0 : Math.min(free, MAX_PER_CLAIM);
  }

  /** Handlers that have become slow leave to others what was claimed when they were fast. */
  private void requeueTooMany(long time, int waiting, int max) {
    if (waiting <= max) {
      notTooManyNanos = time;
      checksWithTooMany = 0;
    } else if (++checksWithTooMany > CHECKS_WITH_TOO_MANY
        && time - notTooManyNanos > TOO_MANY_NANOS) {
      inFlight.takeWaiting(max).forEach(requeue);
      notTooManyNanos = time;
    }
  }
}
