package dev.holdfast.event;

import dev.holdfast.event.internal.Claimed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims events of one queue ahead of its handlers, and hands them over. One thread claims; as many
 * as the queue's concurrency handle.
 *
 * <p>It claims as many as its handlers will need within a tenth of a second, so that slow handlers
 * do not hoard what other instances could do, and fast ones never wait.
 */
final class QueueRunner {
  private static final Logger LOG = LoggerFactory.getLogger(Worker.class);
  private static final int MOST_PER_CLAIM = 1000;
  private static final int MOST_IN_HANDS = 5000;

  /** Threads that only begin what goes on without one. */
  private static final int MOST_BEGINNERS = 4;

  private static final double SECONDS_AHEAD = 0.1;
  private static final double SHORTEST_LOOK_SECONDS = 0.002;
  private static final double HALF_LIFE_SECONDS = 0.01;
  private static final long LONGEST_PAUSE_MILLIS = 2000;

  /** After how long, and how many looks, what waits is too much; a pause of the JVM is not. */
  private static final long TOO_MUCH_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final int LOOKS_WITH_TOO_MUCH = 20;

  /** A little longer than the while in which an announcer announces once. */
  private static final long ANNOUNCED_NANOS = TimeUnit.MILLISECONDS.toNanos(30);

  /** How much later others may commit what they did not announce, and still be found soon. */
  private static final long LONGEST_COMMIT_NANOS = TimeUnit.SECONDS.toNanos(2);

  private static final Duration LOOK_WHEN_HEARING = Duration.ofSeconds(5);

  private final String queue;
  private final int concurrency;
  private final int threads;

  /** How many more may be begun; null where the threads say so. */
  private final @Nullable Semaphore slots;

  private final int capacity;
  private final WorkerSettings settings;
  private final InstanceLease lease;
  private final Execution execution;
  private final Completer completer;
  private final Claimer claimer;
  private final Hands hands;
  private final BooleanSupplier hears;
  private final Troubles troubles;
  private final LongAdder handled = new LongAdder();
  private final AtomicInteger busy = new AtomicInteger();
  private final Semaphore woken = new Semaphore(0);
  private final ThreadFactory handlerThreads;
  private final Thread claimerThread;
  private volatile long heardNanos = System.nanoTime() - LONGEST_COMMIT_NANOS;
  private volatile boolean look = true;
  private long lookNanos = System.nanoTime();
  private boolean looked;
  private volatile boolean claiming = true;
  private volatile boolean handling = true;

  QueueRunner(
      String queue,
      int concurrency,
      WorkerSettings settings,
      InstanceLease lease,
      Execution execution,
      Completer completer,
      Hands hands,
      Claimer claimer,
      BooleanSupplier hears,
      Troubles troubles) {
    this.queue = queue;
    this.concurrency = concurrency;
    int kinds = settings.handlers().size();
    boolean allAsynchronous = settings.asynchronous() == kinds;
    this.threads = allAsynchronous ? Math.min(concurrency, MOST_BEGINNERS) : concurrency;
    this.slots = settings.asynchronous() == 0 ? null : new Semaphore(concurrency);
    this.capacity = (int) Math.min(MOST_IN_HANDS, (long) concurrency * settings.largestBatch());
    this.settings = settings;
    this.lease = lease;
    this.execution = execution;
    this.completer = completer;
    this.hands = hands;
    this.claimer = claimer;
    this.hears = hears;
    this.troubles = troubles;
    this.handlerThreads = WorkerThreads.handlers("holdfast-" + queue);
    this.claimerThread =
        WorkerThreads.platform("holdfast-claim-" + queue).newThread(this::claimUntilStopped);
  }

  void start() {
    claimerThread.start();
    for (int i = 0; i < threads; i++) {
      startHandler();
    }
  }

  /** An event is taken away from its handler; where that has a thread, another one replaces it. */
  void tookAway(Running from) {
    ended();
    if (!execution.isAsynchronous(from.type())) {
      startHandler();
    }
  }

  private void startHandler() {
    handlerThreads.newThread(this::handleUntilStopped).start();
  }

  /** There may be something to claim anywhere in the queue. */
  void wake() {
    look = true;
    nudge();
  }

  private void nudge() {
    if (woken.availablePermits() == 0) {
      woken.release();
    }
  }

  /** Somebody has announced an event, and announces no other for a while. */
  void heard() {
    heardNanos = System.nanoTime();
    wake();
  }

  /** An event is out of this runner's hands. */
  void out(Finished finished) {
    hands.out(finished.event());
    // it may be due again, or another in its order, and nobody else says so
    String orderingKey = finished.event().orderingKey();
    if (finished.putBack() != null) {
      wake();
    } else if (orderingKey != null) {
      next(finished.event().shard(), orderingKey);
    }
  }

  /** It may be the turn of another event of this ordering key, in whatever queue it is. */
  void next(int shard, String orderingKey) {
    if (claimer.freed(shard, orderingKey)) {
      nudge();
    } else {
      wake();
    }
  }

  /** Some event of this worker has ended or is put back, so that a limit may leave more. */
  void freed() {
    if (claimer.waitsForOthers()) {
      wake();
    }
  }

  int inHands() {
    return hands.size();
  }

  /** Claims no more, and gives back what is not begun. */
  void stopClaiming() {
    claiming = false;
    wake();
    giveBackNotBegun();
  }

  private void giveBackNotBegun() {
    hands.notBegun().forEach(held -> completer.add(Finished.giveBack(held.event())));
  }

  /** Waits for a claim that is under way: what it brings is in the hands of this runner, too. */
  void awaitClaimer(long endNanos) {
    try {
      claimerThread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(endNanos - System.nanoTime())));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Ends the threads of the handlers once they are done. */
  void stopHandling() {
    handling = false;
  }

  private void handleUntilStopped() {
    boolean goOn = true;
    while (handling && goOn) {
      try {
        goOn = handleNext();
      } catch (InterruptedException e) {
        // it came too late for the handler that it was meant for
      }
    }
  }

  private boolean handleNext() throws InterruptedException {
    if (slots != null && !slots.tryAcquire(200, TimeUnit.MILLISECONDS)) {
      return true;
    }
    Hands.Held next = null;
    try {
      next = hands.next();
    } finally {
      if (next == null && slots != null) {
        slots.release();
      }
    }
    return next == null || handle(next);
  }

  private boolean handle(Hands.Held next) {
    busy.incrementAndGet();
    hands.begun(1);
    if (execution.isAsynchronous(next.event().type())) {
      begin(next);
      return true;
    }
    boolean goOn = handleWhatBelongsTo(next);
    // where it was given up meanwhile, it does not count any more
    if (goOn) {
      ended();
    }
    return goOn;
  }

  private void ended() {
    if (slots != null) {
      slots.release();
    }
    if (busy.getAndDecrement() >= concurrency) {
      nudge();
    }
  }

  private void begin(Hands.Held next) {
    AtomicBoolean first = new AtomicBoolean(true);
    AsyncExecution.Ended end =
        failure -> {
          if (first.getAndSet(false)) {
            if (failure != null) {
              engineFailed(next.event(), failure);
            }
            handled.increment();
            ended();
          }
        };
    try {
      if (lease.isHeldBy(next.owner())) {
        execution.begin(next.event(), next.owner(), end);
      } else {
        hands.out(next.event());
        end.run(null);
      }
    } catch (RuntimeException | Error e) {
      end.run(e);
    }
  }

  private boolean handleWhatBelongsTo(Hands.Held next) {
    List<Claimed> batch = List.of(next.event());
    try {
      int most = settings.most(next.event().type());
      batch = batch(next, most);
      if (!lease.isHeldBy(next.owner())) {
        batch.forEach(hands::out);
        return true;
      }
      return execution.handle(batch, next.owner());
    } catch (RuntimeException | Error e) {
      batch.forEach(event -> engineFailed(event, e));
      return true;
    } finally {
      handled.add(batch.size());
    }
  }

  private List<Claimed> batch(Hands.Held next, int most) {
    if (most == 1) {
      return List.of(next.event());
    }
    List<Claimed> batch = new ArrayList<>(List.of(next.event()));
    hands.alike(next, most - 1).forEach(held -> batch.add(held.event()));
    hands.begun(batch.size() - 1);
    return batch;
  }

  private void engineFailed(Claimed event, Throwable failure) {
    try {
      execution.engineFailed(event, failure);
    } catch (RuntimeException | Error again) {
      // the claimer gives back what this instance owns and does not know, once per lease
      hands.out(event);
    }
  }

  private void claimUntilStopped() {
    Demand demand = new Demand();
    String doing = "claiming from the queue '" + queue + "'";
    int failures = 0;
    while (claiming) {
      try {
        int wanted = demand.now();
        if (wanted == 0) {
          // all busy: the next one that is not says so
          woken.tryAcquire(busy.get() < concurrency ? 1 : 20, TimeUnit.MILLISECONDS);
        } else if ((looked || !isTimeToLook()) && claimer.claimFreed(wanted)) {
          // long backlogs of ordering keys must not keep it from looking at all others
          looked = false;
        } else {
          lookOrWait(wanted);
          looked = true;
        }
        failures = 0;
        troubles.over(doing);
      } catch (InterruptedException e) {
        // only stopping ends it
      } catch (RuntimeException | Error e) {
        failures++;
        look = true;
        troubles.failed(doing, e);
        LOG.warn("claiming from the queue '{}' failed, trying again: {}", queue, e.toString());
        pause(Math.min(LONGEST_PAUSE_MILLIS, 20L << Math.min(failures, 8)));
      }
    }
    giveBackNotBegun();
  }

  private boolean isTimeToLook() {
    return look || lookNanos - System.nanoTime() <= 0;
  }

  private void lookOrWait(int wanted) throws InterruptedException {
    if (!isTimeToLook()) {
      woken.tryAcquire(lookNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
      return;
    }
    // before the claim: whatever is said from now on, it may have missed
    look = false;
    lookNanos = System.nanoTime();
    if (!claimer.claim(wanted, capacity - hands.size())) {
      lookNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millisUntilMore());
    }
  }

  /** Until an event is due, or it is time to look again. */
  private long millisUntilMore() {
    Duration longest = hears.getAsBoolean() ? LOOK_WHEN_HEARING : settings.poll();
    Optional<Duration> heldBack = claimer.heldBack();
    if (heldBack.isPresent()) {
      return Math.min(heldBack.get().toMillis(), longest.toMillis()) + 1;
    }
    long millis = Math.max(0, claimer.untilNextDueSinceClaim(longest).toMillis()) + 1;
    long sinceHeard = System.nanoTime() - heardNanos;
    if (sinceHeard < LONGEST_COMMIT_NANOS) {
      // others that were not announced for this one's sake may commit much later than it
      long again = Math.max(ANNOUNCED_NANOS - sinceHeard, sinceHeard);
      return Math.min(millis, TimeUnit.NANOSECONDS.toMillis(again) + 1);
    }
    // not all at the same moment, after something has held up all of them
    return millis < longest.toMillis()
        ? millis
        : millis - ThreadLocalRandom.current().nextLong(millis / 5);
  }

  private static void pause(long millis) {
    try {
      Thread.sleep(ThreadLocalRandom.current().nextLong(millis) + 1);
    } catch (InterruptedException e) {
      // only stopping ends it
    }
  }

  /** How many events the handlers need. For the thread that claims. */
  private final class Demand {
    private long lastLook = System.nanoTime();
    private long lastHandled;
    private double perSecond;
    private long enoughNanos = lastLook;
    private int looksWithTooMuch;

    /** How many to claim now; 0 where there are enough. */
    int now() {
      long time = System.nanoTime();
      double seconds = (time - lastLook) / 1e9;
      if (seconds > SHORTEST_LOOK_SECONDS) {
        long sum = handled.sum();
        double kept = Math.pow(0.5, seconds / HALF_LIFE_SECONDS);
        perSecond = Math.max(perSecond * kept, (sum - lastHandled) / seconds);
        lastHandled = sum;
        lastLook = time;
      }
      // first these: what a handler takes out meanwhile is counted twice, and never not at all
      int waiting = hands.waiting();
      int idle = (int) (capacity * (double) Math.max(0, concurrency - busy.get()) / concurrency);
      int ahead = (int) Math.min(MOST_IN_HANDS, idle + perSecond * SECONDS_AHEAD);
      giveBackWhatIsTooMuch(time, waiting, 2 * ahead + 1);
      int free = Math.min(ahead - waiting, MOST_IN_HANDS - hands.size());
      return free < Math.max(1, ahead / 4) ? 0 : Math.min(free, MOST_PER_CLAIM);
    }

    /** Handlers that have become slow leave to others what was claimed when they were fast. */
    private void giveBackWhatIsTooMuch(long time, int waiting, int most) {
      if (waiting <= most) {
        enoughNanos = time;
        looksWithTooMuch = 0;
      } else if (++looksWithTooMuch > LOOKS_WITH_TOO_MUCH && time - enoughNanos > TOO_MUCH_NANOS) {
        hands.notBegun(most).forEach(held -> completer.add(Finished.giveBack(held.event())));
        enoughNanos = time;
      }
    }
  }
}
