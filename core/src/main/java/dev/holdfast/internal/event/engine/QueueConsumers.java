package dev.holdfast.internal.event.engine;

import dev.holdfast.event.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The runners of a worker: one for each queue that it was told, and where it works on every queue,
 * one for each in which something waits, until nothing has for a while. Thread-safe.
 */
final class QueueConsumers {
  /** Of those that come and go; each has threads of its own. */
  static final int MAX = 100;

  private static final Logger LOG = LoggerFactory.getLogger(Worker.class);
  private static final int KEPT_LEASES = 4;
  private static final int MAX_EXAMINED = 10 * MAX;

  /** Longer than the time from one look to the next, so that what comes due is known before. */
  private static final Duration SOON = Duration.ofSeconds(10);

  private final EventBackend home;
  private final WorkerOptions settings;
  private final BiFunction<String, Integer, QueueConsumer> maker;
  private final Supplier<Set<String>> paused;
  private final long keptNanos;
  private final Map<String, QueueConsumer> runners = new ConcurrentHashMap<>();

  /** When something was last seen to wait in a queue that may go. */
  private final Map<String, Long> seen = new HashMap<>();

  /** Since when each of those that may go is there. */
  private final Map<String, Long> since = new HashMap<>();

  private final Set<String> going = new HashSet<>();
  private boolean started;
  private boolean closed;
  private boolean full;

  QueueConsumers(
      EventBackend home,
      WorkerOptions settings,
      Supplier<Set<String>> paused,
      BiFunction<String, Integer, QueueConsumer> maker) {
    this.home = home;
    this.settings = settings;
    this.paused = paused;
    this.maker = maker;
    this.keptNanos = settings.lease().toNanos() * KEPT_LEASES;
    settings
        .queues()
        .forEach((queue, concurrency) -> runners.put(queue, maker.apply(queue, concurrency)));
  }

  Collection<QueueConsumer> all() {
    return runners.values();
  }

  @Nullable QueueConsumer of(String queue) {
    return runners.get(queue);
  }

  synchronized void start() {
    started = true;
    all().forEach(QueueConsumer::start);
  }

  /** From now on none is added and none goes. */
  synchronized void close() {
    closed = true;
  }

  /** Somebody has announced an event of this queue. */
  void heard(String queue) {
    QueueConsumer runner = runners.get(queue);
    if (runner == null && settings.everyQueue() > 0) {
      add(queue);
      runner = runners.get(queue);
    }
    if (runner != null) {
      runner.heard();
    }
  }

  /**
   * Looks in which queues something is due, now or soon. Those that are paused, or in which nothing
   * is due for long, take no place; where there are still too many, they take turns.
   */
  void look() {
    List<String> waiting = new ArrayList<>();
    for (int shard = 0; shard < home.shards(); shard++) {
      int of = shard;
      waiting.addAll(
          home.step(
              () -> "looking for queues",
              connection -> home.depths().waiting(connection, of, SOON, MAX_EXAMINED)));
    }
    // by their names the same ones would always come first
    Collections.shuffle(waiting);
    long without = waiting.stream().filter(queue -> !add(queue)).count();
    letGo(without);
  }

  /** Answers whether it has a place, or needs none. */
  private synchronized boolean add(String queue) {
    // one that is going must be gone before it can come again
    if (closed
        || !started
        || settings.queues().containsKey(queue)
        || going.contains(queue)
        || paused.get().contains(queue)) {
      return true;
    }
    if (!runners.containsKey(queue) && seen.size() >= MAX) {
      if (!full) {
        LOG.warn(
            "worker-queue-limit: more than {} queues have due events; queue '{}' and others wait",
            MAX,
            queue);
      }
      full = true;
      return false;
    }
    long now = System.nanoTime();
    seen.put(queue, now);
    if (!runners.containsKey(queue)) {
      QueueConsumer runner = maker.apply(queue, settings.everyQueue());
      runners.put(queue, runner);
      since.put(queue, now);
      runner.start();
    }
    return true;
  }

  /** Lets go those in which nothing waits, and as many of the others as wait for a place. */
  private synchronized void letGo(long places) {
    if (closed) {
      return;
    }
    long now = System.nanoTime();
    List<String> oldestFirst = new ArrayList<>(seen.keySet());
    oldestFirst.sort(Comparator.comparingLong(queue -> since.getOrDefault(queue, now) - now));
    long wanted = places - going.size();
    for (String queue : oldestFirst) {
      QueueConsumer runner = runners.get(queue);
      if (runner == null) {
        continue;
      }
      boolean empty = now - seen.getOrDefault(queue, now) > keptNanos && runner.inHands() == 0;
      boolean hadItsTurn = wanted > 0 && now - since.getOrDefault(queue, now) > keptNanos;
      if (going.contains(queue)) {
        letGo(queue, runner);
      } else if (empty || hadItsTurn) {
        wanted--;
        going.add(queue);
        runner.stopClaiming();
      }
    }
  }

  /** It claims no more; when that has ended and nothing is in its hands, it goes. */
  private void letGo(String queue, QueueConsumer runner) {
    if (runner.inHands() == 0 && runner.hasStoppedClaiming()) {
      runner.stopHandling();
      runners.remove(queue);
      seen.remove(queue);
      since.remove(queue);
      going.remove(queue);
      full = false;
    }
  }
}
