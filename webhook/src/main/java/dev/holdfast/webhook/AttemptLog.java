package dev.holdfast.webhook;

import dev.holdfast.event.EventId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes attempts in the background, many with one statement, and deletes expired ones every few
 * minutes.
 *
 * <p><b>Guarantees:</b> {@link #add} never waits, and memory is bounded by the queue.
 *
 * <p><b>Does not guarantee</b> that each attempt is written. A killed process loses the last ones
 * (about a tenth of a second, or as long as the database was unavailable). If the queue is full,
 * attempts are dropped, counted and logged. Events are not affected. Thread-safe.
 */
final class AttemptLog implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AttemptLog.class);
  private static final int QUEUE_SIZE = 20_000;
  private static final int BATCH = 500;
  private static final long BATCH_MILLIS = 50;
  private static final long POLL_MILLIS = 200;
  private static final long MAX_DELAY_MILLIS = 5_000;
  private static final long CLOSE_MILLIS = 5_000;
  private static final long DELETE_INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(5);

  private final Attempts store;
  private final String instanceName;
  private final int shards;
  private final Duration retention;
  private final BlockingQueue<Entry> queue = new ArrayBlockingQueue<>(QUEUE_SIZE);
  private final LongAdder dropped = new LongAdder();
  private final Thread thread;
  private final CountDownLatch closing = new CountDownLatch(1);
  private long reportedDropped;
  private long nextDelete = System.nanoTime();
  private @Nullable String reportedFailure;

  /**
   * An attempt that has ended.
   *
   * @param startedNanos by the monotonic clock of this JVM
   */
  record Entry(
      EventId event,
      int version,
      int number,
      long startedNanos,
      Duration duration,
      OptionalInt status,
      AttemptOutcome outcome,
      Optional<String> error,
      String excerpt,
      Optional<String> address) {}

  AttemptLog(Attempts store, String instanceName, int shards, Duration retention) {
    this.store = store;
    this.instanceName = instanceName;
    this.shards = shards;
    this.retention = retention;
    this.thread = new Thread(this::run, "holdfast-webhook-attempts");
    thread.setDaemon(true);
  }

  AttemptLog start() {
    thread.start();
    return this;
  }

  /** Writes an attempt soon, or drops it if the queue is full. */
  void add(Entry attempt) {
    if (!queue.offer(attempt)) {
      dropped.increment();
    }
  }

  /** Number of attempts that were not written. */
  long dropped() {
    return dropped.sum();
  }

  private void run() {
    try {
      while (!isClosing() || !queue.isEmpty()) {
        write(nextBatch());
        deleteExpiredIfDue();
      }
    } catch (InterruptedException e) {
      LOG.warn(
          "webhook-log-stopped: the log of attempts stopped, its thread was interrupted; attempts"
              + " are no longer recorded");
    }
  }

  private boolean isClosing() {
    return closing.getCount() == 0;
  }

  private List<Entry> nextBatch() throws InterruptedException {
    Entry first = queue.poll(POLL_MILLIS, TimeUnit.MILLISECONDS);
    if (first == null) {
      return List.of();
    }
    List<Entry> batch = new ArrayList<>(List.of(first));
    if (queue.size() < BATCH - 1) {
      isClosingWithin(BATCH_MILLIS);
    }
    queue.drainTo(batch, BATCH - 1);
    return batch;
  }

  private boolean isClosingWithin(long millis) throws InterruptedException {
    return closing.await(millis, TimeUnit.MILLISECONDS);
  }

  private void write(List<Entry> batch) throws InterruptedException {
    Map<Integer, List<Entry>> byShard = new LinkedHashMap<>();
    batch.forEach(
        one -> byShard.computeIfAbsent(one.event().shard(), shard -> new ArrayList<>()).add(one));
    for (List<Entry> ofOne : byShard.values()) {
      long pause = BATCH_MILLIS;
      while (!tryTo("storing attempts", () -> dropped.add(store.insert(instanceName, ofOne)))) {
        if (isClosingWithin(ThreadLocalRandom.current().nextLong(pause / 2, pause))) {
          dropped.add(ofOne.size());
          break;
        }
        pause = Math.min(MAX_DELAY_MILLIS, pause * 2);
      }
    }
    long all = dropped.sum();
    if (all != reportedDropped) {
      LOG.warn(
          "webhook-attempts-dropped: {} attempts were not recorded, the buffer was full or the"
              + " database rejected them; the deliveries are not affected",
          all - reportedDropped);
      reportedDropped = all;
    }
  }

  private void deleteExpiredIfDue() {
    if (isClosing() || System.nanoTime() - nextDelete < 0) {
      return;
    }
    nextDelete =
        System.nanoTime()
            + ThreadLocalRandom.current()
                .nextLong(DELETE_INTERVAL_NANOS / 2, DELETE_INTERVAL_NANOS);
    var unused = tryTo("deleting expired attempts", this::deleteExpired);
  }

  /** Alternates with batches of writes, so that neither waits long for the other. */
  private void deleteExpired() {
    for (int shard = 0; shard < shards; shard++) {
      if (store.deleteExpired(shard, retention)) {
        nextDelete = System.nanoTime();
      }
    }
  }

  /** Logs a repeated failure once. */
  private boolean tryTo(String what, Runnable step) {
    try {
      step.run();
      reportedFailure = null;
      return true;
    } catch (RuntimeException e) {
      if (!e.toString().equals(reportedFailure)) {
        LOG.warn("webhook-log-failed: {} failed; retrying: {}", what, e.toString());
        reportedFailure = e.toString();
      }
      return false;
    }
  }

  /** Writes the queued attempts if this is possible soon. */
  @Override
  public void close() {
    closing.countDown();
    try {
      thread.join(CLOSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
