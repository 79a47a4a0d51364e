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
 * The consumers of a worker: one for each queue that is configured, and, if it works on all queues,
 * one for each queue with due events, until it has had none for a while. Thread-safe.
 */
final class QueueConsumers {
  /** Of those that come and go; each has threads of its own. */
  static final int MAX = 100;

  private static final Logger LOG = LoggerFactory.getLogger(Worker.class);
  private static final int KEPT_LEASES = 4;
  private static final int MAX_EXAMINED = 10 * MAX;

  /** Longer than the time from one search to the next, so that what comes due is known before. */
  private static final Duration SOON = Duration.ofSeconds(10);

  private final EventBackend home;
  private final WorkerOptions settings;
  private final BiFunction<String, Integer, QueueConsumer> factory;
  private final Supplier<Set<String>> paused;
  private final long keptNanos;
  private final Map<String, QueueConsumer> consumers = new ConcurrentHashMap<>();

  /** When something was last seen to wait in a queue that may be removed. */
  private final Map<String, Long> seen = new HashMap<>();

  /** Since when each of those that may be removed is there. */
  private final Map<String, Long> since = new HashMap<>();

  private final Set<String> stopping = new HashSet<>();
  private boolean started;
  private boolean closed;
  private boolean full;

  QueueConsumers(
      EventBackend home,
      WorkerOptions settings,
      Supplier<Set<String>> paused,
      BiFunction<String, Integer, QueueConsumer> factory) {
    this.home = home;
    this.settings = settings;
    this.paused = paused;
    this.factory = factory;
    this.keptNanos = settings.lease().toNanos() * KEPT_LEASES;
    settings
        .queues()
        .forEach((queue, concurrency) -> consumers.put(queue, factory.apply(queue, concurrency)));
  }

  Collection<QueueConsumer> all() {
    return consumers.values();
  }

  @Nullable QueueConsumer of(String queue) {
    return consumers.get(queue);
  }

  synchronized void start() {
    started = true;
    all().forEach(QueueConsumer::start);
  }

  /** From now on none is added and none is removed. */
  synchronized void close() {
    closed = true;
  }

  /** A new event of this queue was notified. */
  void notified(String queue) {
    QueueConsumer consumer = consumers.get(queue);
    if (consumer == null && settings.everyQueue() > 0) {
      add(queue);
      consumer = consumers.get(queue);
    }
    if (consumer != null) {
      consumer.notified();
    }
  }

  /**
   * Finds the queues in which something is due, now or soon. Those that are paused, or in which
   * nothing is due for long, take no place; if there are still too many, they take turns.
   */
  void findQueues() {
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
    remove(without);
  }

  /** Returns whether it has a place, or needs none. */
  private synchronized boolean add(String queue) {
    // one that is stopping must have stopped before it can be added again
    if (closed
        || !started
        || settings.queues().containsKey(queue)
        || stopping.contains(queue)
        || paused.get().contains(queue)) {
      return true;
    }
    if (!consumers.containsKey(queue) && seen.size() >= MAX) {
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
    if (!consumers.containsKey(queue)) {
      QueueConsumer consumer = factory.apply(queue, settings.everyQueue());
      consumers.put(queue, consumer);
      since.put(queue, now);
      consumer.start();
    }
    return true;
  }

  /** Stops those in which nothing waits, and as many of the others as wait for a place. */
  private synchronized void remove(long places) {
    if (closed) {
      return;
    }
    long now = System.nanoTime();
    List<String> oldestFirst = new ArrayList<>(seen.keySet());
    oldestFirst.sort(Comparator.comparingLong(queue -> since.getOrDefault(queue, now) - now));
    long wanted = places - stopping.size();
    for (String queue : oldestFirst) {
      QueueConsumer consumer = consumers.get(queue);
      if (consumer == null) {
        continue;
      }
      boolean empty = now - seen.getOrDefault(queue, now) > keptNanos && consumer.inFlight() == 0;
      boolean hadItsTurn = wanted > 0 && now - since.getOrDefault(queue, now) > keptNanos;
      if (stopping.contains(queue)) {
        remove(queue, consumer);
      } else if (empty || hadItsTurn) {
        wanted--;
        stopping.add(queue);
        consumer.stopClaiming();
      }
    }
  }

  /** It claims no more; when that has ended and nothing is in flight, it is removed. */
  private void remove(String queue, QueueConsumer consumer) {
    if (consumer.inFlight() == 0 && consumer.hasStoppedClaiming()) {
      consumer.stopHandling();
      consumers.remove(queue);
      seen.remove(queue);
      since.remove(queue);
      stopping.remove(queue);
      full = false;
    }
  }
}
