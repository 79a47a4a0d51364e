package dev.holdfast.event;

import dev.holdfast.event.internal.Claim;
import dev.holdfast.event.internal.ClaimBounds;
import dev.holdfast.event.internal.Claimed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
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
  private static final int MOST_AHEAD = 4000;
  private static final double SECONDS_AHEAD = 0.1;
  private static final Duration BOUNDS_RESET = Duration.ofMillis(500);
  private static final long LONGEST_PAUSE_MILLIS = 2000;

  private final String queue;
  private final int concurrency;
  private final EventHome home;
  private final WorkerSettings settings;
  private final InstanceLease lease;
  private final Execution execution;
  private final Completer completer;
  private final Supplier<Set<String>> pausedTypes;
  private final Supplier<Set<String>> pausedQueues;

  private final BlockingQueue<Held> ahead = new LinkedBlockingQueue<>();
  private final AtomicInteger inHands = new AtomicInteger();
  private final LongAdder handled = new LongAdder();
  private final Semaphore woken = new Semaphore(0);
  private final List<Thread> threads = new ArrayList<>();
  private final ThreadFactory handlerThreads;
  private final ClaimBounds[] bounds;
  private volatile boolean claiming = true;
  private volatile boolean handling = true;

  private record Held(Claimed event, long owner) {}

  QueueRunner(
      String queue,
      int concurrency,
      EventHome home,
      WorkerSettings settings,
      InstanceLease lease,
      Execution execution,
      Completer completer,
      Supplier<Set<String>> pausedTypes,
      Supplier<Set<String>> pausedQueues) {
    this.queue = queue;
    this.concurrency = concurrency;
    this.home = home;
    this.settings = settings;
    this.lease = lease;
    this.execution = execution;
    this.completer = completer;
    this.pausedTypes = pausedTypes;
    this.pausedQueues = pausedQueues;
    this.handlerThreads = WorkerThreads.handlers("holdfast-" + queue);
    this.bounds = new ClaimBounds[home.shards()];
    for (int shard = 0; shard < bounds.length; shard++) {
      bounds[shard] = new ClaimBounds();
    }
  }

  void start() {
    Thread claimer =
        WorkerThreads.platform("holdfast-claim-" + queue).newThread(this::claimUntilStopped);
    threads.add(claimer);
    claimer.start();
    for (int i = 0; i < concurrency; i++) {
      startHandler();
    }
  }

  private void startHandler() {
    handlerThreads.newThread(this::handleUntilStopped).start();
  }

  String queue() {
    return queue;
  }

  /** There may be something to claim. */
  void wake() {
    if (woken.availablePermits() == 0) {
      woken.release();
    }
  }

  /** One event less is in the hands of this runner. */
  void out() {
    if (inHands.decrementAndGet() == MOST_AHEAD - 1) {
      wake();
    }
  }

  int inHands() {
    return inHands.get();
  }

  /** Claims no more, and gives back what is not begun. */
  void stopClaiming() {
    claiming = false;
    wake();
    giveBackAhead();
  }

  /** Waits for a claim that is under way: what it brings is in the hands of this runner, too. */
  void awaitClaimer(long endNanos) {
    try {
      for (Thread claimer : threads) {
        claimer.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(endNanos - System.nanoTime())));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Drops what is not begun: it belongs to an instance that is no more. */
  void forgetAhead() {
    List<Held> lost = new ArrayList<>();
    ahead.drainTo(lost);
    inHands.addAndGet(-lost.size());
  }

  private void giveBackAhead() {
    List<Held> rest = new ArrayList<>();
    ahead.drainTo(rest);
    rest.forEach(held -> completer.add(Finished.giveBack(held.event)));
  }

  /** Ends the threads of the handlers once they are done. */
  void stopHandling() {
    handling = false;
  }

  private void handleUntilStopped() {
    while (handling) {
      Held next;
      try {
        next = ahead.poll(200, TimeUnit.MILLISECONDS);
      } catch (InterruptedException e) {
        // an interrupt that came too late for the handler it was meant for
        continue;
      }
      if (next == null) {
        continue;
      }
      if (!lease.isHeldBy(next.owner)) {
        inHands.decrementAndGet();
        continue;
      }
      boolean goOn;
      try {
        goOn = execution.handle(next.event, next.owner);
      } catch (RuntimeException | Error e) {
        LOG.error(
            "the engine failed around the handler of {}; the event is recovered later",
            next.event.id(),
            e);
        goOn = true;
      }
      handled.increment();
      if (!goOn) {
        // another thread took its place when the event was taken away
        return;
      }
    }
  }

  /** A thread in place of one that does not come back. */
  void replaceHandler() {
    startHandler();
  }

  private void claimUntilStopped() {
    int failures = 0;
    long lastReset = System.nanoTime();
    long lastLook = System.nanoTime();
    long lastHandled = 0;
    double perSecond = 0;
    while (claiming) {
      try {
        long now = System.nanoTime();
        if (now - lastReset > BOUNDS_RESET.toNanos()) {
          resetBounds();
          lastReset = now;
        }
        long sum = handled.sum();
        double seconds = (now - lastLook) / 1e9;
        if (seconds > 0.002) {
          perSecond = Math.max(perSecond * 0.7, (sum - lastHandled) / seconds);
          lastHandled = sum;
          lastLook = now;
        }
        int target = (int) Math.min(MOST_AHEAD, concurrency + perSecond * SECONDS_AHEAD);
        int free = Math.min(target - ahead.size(), MOST_AHEAD - inHands.get());
        if (free < Math.max(1, target / 4)) {
          woken.tryAcquire(1, TimeUnit.MILLISECONDS);
          continue;
        }
        boolean more = claim(Math.min(free, MOST_PER_CLAIM));
        failures = 0;
        if (!more) {
          woken.tryAcquire(pollMillis(), TimeUnit.MILLISECONDS);
        }
      } catch (InterruptedException e) {
        // only stopping ends it
      } catch (RuntimeException e) {
        failures++;
        LOG.warn("claiming from the queue '{}' failed, trying again: {}", queue, e.toString());
        pause(Math.min(LONGEST_PAUSE_MILLIS, 20L << Math.min(failures, 8)));
      }
    }
    giveBackAhead();
  }

  private long pollMillis() {
    long poll = settings.poll().toMillis();
    // not all at the same moment, after something has held up all of them
    return poll - ThreadLocalRandom.current().nextLong(poll / 5 + 1);
  }

  private static void pause(long millis) {
    try {
      Thread.sleep(ThreadLocalRandom.current().nextLong(millis) + 1);
    } catch (InterruptedException e) {
      // only stopping ends it
    }
  }

  private void resetBounds() {
    for (ClaimBounds ofShard : bounds) {
      ofShard.reset();
    }
  }

  /** Whether there may be more to claim at once. */
  private boolean claim(int most) {
    long owner = lease.instance();
    List<String> types = types();
    if (owner == 0 || types.isEmpty() || pausedQueues.get().contains(queue)) {
      return false;
    }
    boolean more = false;
    for (int shard = 0; shard < bounds.length && claiming; shard++) {
      Claim wanted = new Claim(shard, queue, types, most, owner);
      ClaimBounds from = bounds[shard];
      List<Claimed> claimed =
          home.call(
              () -> "claiming events of the queue '" + queue + "'",
              connection -> home.store().claim(connection, wanted, from));
      if (claimed.size() == most) {
        from.moveBehind(claimed);
        more = true;
      } else if (from.reset()) {
        // there may be others before the place where this claim began
        more = true;
      }
      inHands.addAndGet(claimed.size());
      claimed.forEach(event -> ahead.add(new Held(event, owner)));
    }
    return more;
  }

  private List<String> types() {
    Set<String> paused = pausedTypes.get();
    return paused.isEmpty()
        ? settings.types()
        : settings.types().stream().filter(type -> !paused.contains(type)).toList();
  }
}
