package dev.holdfast.internal.event.engine;

import dev.holdfast.event.EventId;
import dev.holdfast.event.EventStatus;
import dev.holdfast.event.Worker;
import dev.holdfast.internal.event.store.ClaimedEvent;
import dev.holdfast.internal.event.store.CompletionUpdate;
import dev.holdfast.internal.event.store.LimitStatements;
import dev.holdfast.internal.event.store.Requeue;
import dev.holdfast.transaction.DatabaseException;
import dev.holdfast.transaction.SqlError;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores how events are completed, many in one transaction: what is added while one transaction
 * runs goes into the next. Events whose rows another session has locked, such as in a transaction
 * that requests the cancellation of one of them, are set aside, so that they do not hold up the
 * others. Thread-safe.
 */
final class BatchCompleter {
  private static final Logger LOG = LoggerFactory.getLogger(Worker.class);
  private static final HealthIssue COMPLETING =
      new HealthIssue("event-completion-failed", "completing events");
  private static final int MAX = 1000;
  private static final long MAX_DELAY_MILLIS = 1000;
  private static final HealthIssue LOCKED =
      new HealthIssue("event-locked", "completing events that another session has locked");

  private final EventBackend home;

  /** In transactions that wait for a lock no longer than other steps do. */
  private final EventBackend limited;

  private final Consumer<Completion> onStored;
  private final HealthIssues issues;
  private final WorkerCounters stats;
  private final BlockingQueue<Completion> queue = new LinkedBlockingQueue<>();
  private final BlockingQueue<Completion> locked = new LinkedBlockingQueue<>();
  private volatile boolean stopping;

  /**
   * @param onStored is called for each event that is not in flight any more
   */
  BatchCompleter(
      EventBackend home, Consumer<Completion> onStored, HealthIssues issues, WorkerCounters stats) {
    this.home = home;
    this.limited = home.with(home.transactions().lockTimeout(LimitStatements.MAX_WAIT));
    this.onStored = onStored;
    this.issues = issues;
    this.stats = stats;
  }

  void add(Completion completion) {
    queue.add(completion);
  }

  /** An event that has completed in its handler's transaction. */
  void completed(ClaimedEvent event) {
    stats.completed(event);
    stored(Completion.end(event, EventStatus.COMPLETED, null));
  }

  /** An event whose completion another call has stored. */
  void stored(Completion completion) {
    onStored.accept(completion);
  }

  /** An event that another instance has recovered in the meantime. */
  void lost(ClaimedEvent event) {
    uncountCrashes(event.shard(), List.of(event));
    stored(Completion.end(event, EventStatus.COMPLETED, null));
  }

  /** Stores until {@link #stop}, and then until nothing is left. */
  void run() {
    List<Completion> batch = new ArrayList<>();
    while (true) {
      try {
        Completion first = queue.poll(100, TimeUnit.MILLISECONDS);
        if (first == null) {
          if (stopping && queue.isEmpty()) {
            return;
          }
          continue;
        }
        batch.add(first);
        queue.drainTo(batch, MAX - 1);
        storeUntilItWorks(batch);
      } catch (InterruptedException e) {
        // only stopping ends it
        stopping = true;
      } catch (Error e) {
        // such as for want of memory: none of it may be lost
        queue.addAll(batch);
      }
      batch.clear();
    }
  }

  /** Stores those that were set aside, until {@link #stop} and nothing is left. */
  void runLocked() {
    while (true) {
      try {
        Completion next = locked.poll(100, TimeUnit.MILLISECONDS);
        if (next != null) {
          storeLocked(next);
        } else if (stopping) {
          return;
        } else {
          issues.over(LOCKED);
        }
      } catch (InterruptedException e) {
        // only stopping ends it
        stopping = true;
      }
    }
  }

  private void storeLocked(Completion next) throws InterruptedException {
    try {
      storeOne(next);
    } catch (RuntimeException | Error e) {
      if (stopping) {
        giveUp(List.of(next));
        return;
      }
      locked.add(next);
      if (issues.failed(LOCKED, e)) {
        LOG.warn(
            "event-completion-failed: could not store the outcome of event {}{}; retrying: {}",
            new EventId(next.event().shard(), next.event().id()),
            isLocked(e) ? ", another session has locked its row" : "",
            HealthIssues.text(e));
      }
      Thread.sleep(ThreadLocalRandom.current().nextLong(MAX_DELAY_MILLIS) + 1);
    }
  }

  private void storeOne(Completion one) {
    // a part of its batch may have been stored
    store(List.of(one), /* again= */ true);
    onStored.accept(one);
  }

  private static boolean isLocked(Throwable failure) {
    return failure instanceof DatabaseException sql && sql.error() == SqlError.LOCK_TIMEOUT;
  }

  /** Stores the events of a batch one by one, and sets those aside that are locked. */
  private void storeApart(List<Completion> batch) {
    for (Completion one : batch) {
      try {
        storeOne(one);
      } catch (RuntimeException | Error e) {
        if (isLocked(e)) {
          locked.add(one);
        } else {
          queue.add(one);
        }
      }
    }
  }

  private void giveUp(List<Completion> batch) {
    LOG.warn(
        "event-completion-abandoned: {} outcomes not stored at shutdown; other instances will"
            + " recover the events",
        batch.size());
    batch.forEach(onStored);
  }

  /** Stores what was added, in the calling thread; what cannot be stored is kept for the next. */
  void flush() {
    List<Completion> batch = new ArrayList<>();
    queue.drainTo(batch);
    try {
      store(batch, false);
    } catch (RuntimeException e) {
      queue.addAll(batch);
      throw e;
    }
    batch.forEach(onStored);
  }

  /** Ends {@link #run()} once everything is stored; gives up what the database does not take. */
  void stop() {
    stopping = true;
  }

  private void storeUntilItWorks(List<Completion> batch) throws InterruptedException {
    boolean again = false;
    for (int failures = 0; ; failures++) {
      try {
        store(batch, again);
        issues.over(COMPLETING);
        batch.forEach(onStored);
        return;
      } catch (RuntimeException | Error e) {
        if (isLocked(e) && !stopping) {
          storeApart(batch);
          return;
        }
        if (issues.failed(COMPLETING, e)) {
          LOG.warn(
              "event-completion-failed: could not store the outcome of {} events; retrying: {}",
              batch.size(),
              HealthIssues.text(e));
        }
        // if only the response was lost, what was stored is rejected now
        again = true;
        if (stopping && failures >= 3) {
          giveUp(batch);
          return;
        }
        long pause = Math.min(MAX_DELAY_MILLIS, 10L << Math.min(failures, 10));
        Thread.sleep(ThreadLocalRandom.current().nextLong(pause) + 1);
      }
    }
  }

  /** Stores a batch, and logs which events this instance did not own any more. */
  void store(Collection<Completion> batch, boolean again) {
    Map<Integer, List<Completion>> byShard = new TreeMap<>();
    for (Completion completion : batch) {
      byShard
          .computeIfAbsent(completion.event().shard(), ignored -> new ArrayList<>())
          .add(completion);
    }
    byShard.forEach((shard, ofShard) -> store(shard, ofShard, again));
  }

  private void store(int shard, List<Completion> batch, boolean again) {
    List<CompletionUpdate> updates = new ArrayList<>(batch.size());
    List<Requeue> requeues = new ArrayList<>();
    for (Completion completion : batch) {
      if (completion.update() != null) {
        updates.add(completion.update());
      } else if (completion.requeue() != null) {
        requeues.add(completion.requeue());
      }
    }
    Set<Long> changed = new HashSet<>();
    if (!updates.isEmpty()) {
      changed.addAll(
          home.step(
              () -> "ending " + updates.size() + " events",
              connection -> home.store().end(connection, shard, updates)));
    }
    if (!requeues.isEmpty()) {
      changed.addAll(
          home.step(
              () -> "requeuing " + requeues.size() + " events",
              connection -> home.store().putBack(connection, shard, requeues)));
    }
    stats.count(batch, changed);
    if (changed.size() < batch.size()) {
      List<Completion> refused =
          batch.stream().filter(one -> !changed.contains(one.event().id())).toList();
      uncountCrashes(shard, refused.stream().map(Completion::event).toList());
      if (!again) {
        warnOf(shard, refused.stream().filter(one -> !one.isInDoubt()).toList());
      }
    }
  }

  private static void warnOf(int shard, List<Completion> refused) {
    if (!refused.isEmpty()) {
      ClaimedEvent first = refused.get(0).event();
      LOG.warn(
          "event-lease-lost: outcome of {} events rejected, the first is event {} (version {});"
              + " another instance owns them now",
          refused.size(),
          new EventId(shard, first.id()),
          first.version());
    }
  }

  /**
   * Others have recovered events of this instance, and it lives: that was no crash. Another session
   * may have locked a row, so this waits no longer than other steps do; then the crash stays
   * counted.
   */
  private void uncountCrashes(int shard, List<ClaimedEvent> recovered) {
    try {
      limited.call(
          () -> "uncounting the crashes of " + recovered.size() + " events",
          connection -> {
            home.store().uncountCrashes(connection, shard, recovered);
            return true;
          });
    } catch (RuntimeException e) {
      LOG.info(
          "event-crash-count-failed: could not reset the crash count of {} events; they stay"
              + " counted as crashed: {}",
          recovered.size(),
          HealthIssues.text(e));
    }
  }
}
