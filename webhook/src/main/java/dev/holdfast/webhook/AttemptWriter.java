package dev.holdfast.webhook;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
 * Writes attempts in the background, many with one statement, and forgets old ones every few
 * minutes.
 *
 * <p>Guaranteed: whoever adds one never waits, and no more than the queue holds are in memory. Not
 * guaranteed: that each is written. A process that is killed loses those of the last moment (about
 * a tenth of a second, or as long as the database was away), and where the queue is full further
 * ones are left out, counted and told in the log. The events themselves are not concerned.
 * Thread-safe.
 */
final class AttemptWriter implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AttemptWriter.class);
  private static final int MAX_WAITING = 20_000;
  private static final int BATCH = 500;
  private static final long GATHER_MILLIS = 50;
  private static final long LOOK_MILLIS = 200;
  private static final long MAX_DELAY_MILLIS = 5_000;
  private static final long CLOSE_MILLIS = 5_000;
  private static final long ROUND_NANOS = TimeUnit.MINUTES.toNanos(5);

  private final AttemptStore store;
  private final int shards;
  private final Duration kept;
  private final BlockingQueue<NewAttempt> waiting = new ArrayBlockingQueue<>(MAX_WAITING);
  private final LongAdder dropped = new LongAdder();
  private final Thread thread;
  private final CountDownLatch closing = new CountDownLatch(1);
  private long reportedDropped;
  private long nextRound = System.nanoTime();
  private @Nullable String told;

  AttemptWriter(AttemptStore store, int shards, Duration kept) {
    this.store = store;
    this.shards = shards;
    this.kept = kept;
    this.thread = new Thread(this::run, "holdfast-webhook-attempts");
    thread.setDaemon(true);
  }

  AttemptWriter start() {
    thread.start();
    return this;
  }

  /** To be written soon; left out where too many wait already. */
  void add(NewAttempt attempt) {
    if (!waiting.offer(attempt)) {
      dropped.increment();
    }
  }

  /** How many were left out because the queue was full. */
  long dropped() {
    return dropped.sum();
  }

  private void run() {
    try {
      while (!isClosing() || !waiting.isEmpty()) {
        write(gather());
        forgetNowAndThen();
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

  private List<NewAttempt> gather() throws InterruptedException {
    NewAttempt first = waiting.poll(LOOK_MILLIS, TimeUnit.MILLISECONDS);
    if (first == null) {
      return List.of();
    }
    List<NewAttempt> batch = new ArrayList<>(List.of(first));
    if (waiting.size() < BATCH - 1) {
      closesWithin(GATHER_MILLIS);
    }
    waiting.drainTo(batch, BATCH - 1);
    return batch;
  }

  private boolean closesWithin(long millis) throws InterruptedException {
    return closing.await(millis, TimeUnit.MILLISECONDS);
  }

  private void write(List<NewAttempt> batch) throws InterruptedException {
    Map<Integer, List<NewAttempt>> byShard = new LinkedHashMap<>();
    batch.forEach(
        one -> byShard.computeIfAbsent(one.event().shard(), shard -> new ArrayList<>()).add(one));
    for (List<NewAttempt> ofOne : byShard.values()) {
      long pause = GATHER_MILLIS;
      while (!tryTo("storing attempts", () -> dropped.add(store.insert(ofOne)))) {
        if (closesWithin(ThreadLocalRandom.current().nextLong(pause / 2, pause))) {
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

  private void forgetNowAndThen() {
    if (isClosing() || System.nanoTime() - nextRound < 0) {
      return;
    }
    nextRound =
        System.nanoTime() + ThreadLocalRandom.current().nextLong(ROUND_NANOS / 2, ROUND_NANOS);
    var unused = tryTo("deleting expired attempts", this::forgetSome);
  }

  /** Between batches of what is to be written, so that neither waits long for the other. */
  private void forgetSome() {
    for (int shard = 0; shard < shards; shard++) {
      if (store.forget(shard, kept)) {
        nextRound = System.nanoTime();
      }
    }
  }

  /** Says the same only once. */
  private boolean tryTo(String what, Runnable step) {
    try {
      step.run();
      told = null;
      return true;
    } catch (RuntimeException e) {
      if (!e.toString().equals(told)) {
        LOG.warn("webhook-log-failed: {} failed; retrying: {}", what, e.toString());
        told = e.toString();
      }
      return false;
    }
  }

  /** Writes what waits, if it can be written soon. */
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
