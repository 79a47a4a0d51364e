package dev.holdfast.internal.event.engine;

import dev.holdfast.internal.event.store.ClaimedEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The events of one queue that are in flight: claimed by this worker, and their outcome not stored
 * yet. Thread-safe.
 */
final class InFlightEvents {
  private final BlockingQueue<Held> waiting = new LinkedBlockingQueue<>();
  private final AtomicInteger notStarted = new AtomicInteger();
  private final List<Map<Long, Integer>> versions = new ArrayList<>();
  private final PayloadMemoryLimit memory;

  /** A claimed event, and the instance that has claimed it. */
  record Held(ClaimedEvent event, long instance) {}

  InFlightEvents(int shards) {
    this(shards, PayloadMemoryLimit.unlimited());
  }

  InFlightEvents(int shards, PayloadMemoryLimit memory) {
    this.memory = memory;
    for (int shard = 0; shard < shards; shard++) {
      versions.add(new ConcurrentHashMap<>());
    }
  }

  void add(List<ClaimedEvent> events, long instance) {
    notStarted.addAndGet(events.size());
    for (ClaimedEvent event : events) {
      versions.get(event.shard()).put(event.id(), event.version());
      memory.reserve(event.payload().size());
    }
    for (ClaimedEvent event : events) {
      waiting.add(new Held(event, instance));
    }
  }

  /** The next event to start, if there is one soon; it counts as waiting until {@link #started}. */
  @Nullable Held takeNext() throws InterruptedException {
    return waiting.poll(200, TimeUnit.MILLISECONDS);
  }

  /** This number of the events that were taken does not wait any more. */
  void started(int events) {
    notStarted.addAndGet(-events);
  }

  /** Takes up to this many waiting events of the same type and instance as the first. */
  List<Held> takeSimilar(Held first, int max) {
    List<Held> more = new ArrayList<>();
    for (Held held : waiting) {
      if (more.size() == max) {
        break;
      }
      boolean similar =
          held.instance() == first.instance() && held.event().type().equals(first.event().type());
      // another thread may have taken it
      if (similar && waiting.remove(held)) {
        more.add(held);
      }
    }
    return more;
  }

  /** Takes all waiting events; they are in flight until {@link #remove}. */
  List<Held> takeWaiting() {
    List<Held> rest = new ArrayList<>();
    notStarted.addAndGet(-waiting.drainTo(rest));
    return rest;
  }

  /** Takes the last waiting events, all but this many. */
  List<Held> takeWaiting(int butFor) {
    List<Held> all = new ArrayList<>();
    waiting.drainTo(all);
    int kept = Math.min(butFor, all.size());
    waiting.addAll(all.subList(0, kept));
    notStarted.addAndGet(kept - all.size());
    return all.subList(kept, all.size());
  }

  void remove(ClaimedEvent event) {
    if (versions.get(event.shard()).remove(event.id(), event.version())) {
      memory.release(event.payload().size());
    }
  }

  /** The events of a shard that are in flight, by their ids, and their versions. */
  Map<Long, Integer> versions(int shard) {
    return Map.copyOf(versions.get(shard));
  }

  /** How many wait for a handler, those that a handler has just taken included. */
  int waiting() {
    return notStarted.get();
  }

  /** Counts the payloads of these events, with those of other queues. */
  PayloadMemoryLimit memory() {
    return memory;
  }

  int size() {
    int sum = 0;
    for (Map<Long, Integer> ofShard : versions) {
      sum += ofShard.size();
    }
    return sum;
  }
}
