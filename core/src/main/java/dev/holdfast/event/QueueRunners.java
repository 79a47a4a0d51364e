package dev.holdfast.event;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The runners of a worker: one for each queue that it was told, and where it works on every queue,
 * one for each in which something waits, until nothing has for a while. Thread-safe.
 */
final class QueueRunners {
  /** Of those that come and go; each has threads of its own. */
  static final int MOST = 100;

  private static final Logger LOG = LoggerFactory.getLogger(Worker.class);
  private static final int KEPT_LEASES = 4;

  private final EventHome home;
  private final WorkerSettings settings;
  private final BiFunction<String, Integer, QueueRunner> maker;
  private final long keptNanos;
  private final Map<String, QueueRunner> runners = new ConcurrentHashMap<>();

  /** When something was last seen to wait in a queue that may go. */
  private final Map<String, Long> seen = new HashMap<>();

  private final Set<String> going = new HashSet<>();
  private boolean started;
  private boolean closed;
  private boolean full;

  QueueRunners(
      EventHome home, WorkerSettings settings, BiFunction<String, Integer, QueueRunner> maker) {
    this.home = home;
    this.settings = settings;
    this.maker = maker;
    this.keptNanos = settings.lease().toNanos() * KEPT_LEASES;
    settings
        .queues()
        .forEach((queue, concurrency) -> runners.put(queue, maker.apply(queue, concurrency)));
  }

  Collection<QueueRunner> all() {
    return runners.values();
  }

  @Nullable QueueRunner of(String queue) {
    return runners.get(queue);
  }

  synchronized void start() {
    started = true;
    all().forEach(QueueRunner::start);
  }

  /** From now on none is added and none goes. */
  synchronized void close() {
    closed = true;
  }

  /** Somebody has announced an event of this queue. */
  void heard(String queue) {
    QueueRunner runner = runners.get(queue);
    if (runner == null && settings.everyQueue() > 0) {
      add(queue);
      runner = runners.get(queue);
    }
    if (runner != null) {
      runner.heard();
    }
  }

  /** Looks in which queues something waits. */
  void look() {
    List<String> waiting = new ArrayList<>();
    for (int shard = 0; shard < home.shards(); shard++) {
      int of = shard;
      waiting.addAll(
          home.step(
              () -> "looking for queues",
              connection -> home.depths().waiting(connection, of, MOST * 2)));
    }
    waiting.forEach(this::add);
    letGo();
  }

  private synchronized void add(String queue) {
    // one that is going must be gone before it can come again
    if (closed || !started || settings.queues().containsKey(queue) || going.contains(queue)) {
      return;
    }
    if (!runners.containsKey(queue) && seen.size() >= MOST) {
      if (!full) {
        LOG.warn(
            "events wait in more than {} queues at once; those of '{}' and others wait until one of"
                + " them is empty",
            MOST,
            queue);
      }
      full = true;
      return;
    }
    seen.put(queue, System.nanoTime());
    if (!runners.containsKey(queue)) {
      QueueRunner runner = maker.apply(queue, settings.everyQueue());
      runners.put(queue, runner);
      runner.start();
    }
  }

  private synchronized void letGo() {
    long now = System.nanoTime();
    for (Map.Entry<String, Long> queue : List.copyOf(seen.entrySet())) {
      QueueRunner runner = runners.get(queue.getKey());
      if (!closed && runner != null && now - queue.getValue() > keptNanos) {
        letGo(queue.getKey(), runner);
      }
    }
  }

  /** First it claims no more; when that has ended and nothing is in its hands, it goes. */
  private void letGo(String queue, QueueRunner runner) {
    if (runner.inHands() == 0 && going.add(queue)) {
      runner.stopClaiming();
    } else if (runner.inHands() == 0 && runner.hasStoppedClaiming()) {
      runner.stopHandling();
      runners.remove(queue);
      seen.remove(queue);
      going.remove(queue);
      full = false;
    }
  }
}
