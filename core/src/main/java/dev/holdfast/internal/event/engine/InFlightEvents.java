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
 * The events of one queue that a worker has in its hands: claimed, and their end not stored yet.
 * Thread-safe.
 */
final class InFlightEvents {
  private final BlockingQueue<Held> waiting = new LinkedBlockingQueue<>();
  private final AtomicInteger notBegun = new AtomicInteger();
  private final List<Map<Long, Integer>> versions = new ArrayList<>();

  /** A claimed event, and the instance that has claimed it. */
  record Held(ClaimedEvent event, long owner) {}

  private final PayloadMemoryLimit room;

  InFlightEvents(int shards) {
    this(shards, PayloadMemoryLimit.unlimited());
  }

  InFlightEvents(int shards, PayloadMemoryLimit room) {
    this.room = room;
    for (int shard = 0; shard < shards; shard++) {
      versions.add(new ConcurrentHashMap<>());
    }
  }

  void take(List<ClaimedEvent> events, long owner) {
    notBegun.addAndGet(events.size());
    for (ClaimedEvent event : events) {
      versions.get(event.shard()).put(event.id(), event.version());
      room.take(event.payload().size());
    }
    for (ClaimedEvent event : events) {
      waiting.add(new Held(event, owner));
    }
  }

  /** The next event to begin, if there is one within a moment; it waits until {@link #begun}. */
  @Nullable Held next() throws InterruptedException {
    return waiting.poll(200, TimeUnit.MILLISECONDS);
  }

  /** So many of those that were taken out are counted as begun by now. */
  void begun(int events) {
    notBegun.addAndGet(-events);
  }

  /** Up to so many more that are like this one, of those that are not begun; they are taken out. */
  List<Held> alike(Held first, int most) {
    List<Held> more = new ArrayList<>();
    for (Held held : waiting) {
      if (more.size() == most) {
        break;
      }
      boolean alike =
          held.owner() == first.owner() && held.event().type().equals(first.event().type());
      // another thread may have begun it meanwhile
      if (alike && waiting.remove(held)) {
        more.add(held);
      }
    }
    return more;
  }

  /** Takes out all that are not begun; they stay in hands until {@link #out}. */
  List<Held> notBegun() {
    List<Held> rest = new ArrayList<>();
    notBegun.addAndGet(-waiting.drainTo(rest));
    return rest;
  }

  /** Takes out the last ones of those that are not begun, all but so many. */
  List<Held> notBegun(int butFor) {
    List<Held> all = new ArrayList<>();
    waiting.drainTo(all);
    int kept = Math.min(butFor, all.size());
    waiting.addAll(all.subList(0, kept));
    notBegun.addAndGet(kept - all.size());
    return all.subList(kept, all.size());
  }

  void out(ClaimedEvent event) {
    if (versions.get(event.shard()).remove(event.id(), event.version())) {
      room.giveBack(event.payload().size());
    }
  }

  /** The events of a shard that are in hands now, by their ids, and their versions. */
  Map<Long, Integer> versions(int shard) {
    return Map.copyOf(versions.get(shard));
  }

  /** How many wait for a handler, those on their way to one included. */
  int waiting() {
    return notBegun.get();
  }

  /** Where the payloads of its events are counted, with those of other queues. */
  PayloadMemoryLimit room() {
    return room;
  }

  int size() {
    int sum = 0;
    for (Map<Long, Integer> ofShard : versions) {
      sum += ofShard.size();
    }
    return sum;
  }
}
