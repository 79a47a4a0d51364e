package dev.holdfast.internal.event.engine;

import dev.holdfast.event.EventStats;
import dev.holdfast.internal.event.store.QueueDepthFormat;
import dev.holdfast.internal.event.store.QueueDepthStatements;
import dev.holdfast.transaction.SqlError;
import dev.holdfast.transaction.Transactions;
import java.time.Duration;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts the depths of all queues, in one instance at a time and not more often than it costs.
 *
 * <ol>
 *   <li>Takes the turn: a conditional update of one row, for a limited time in case the instance
 *       dies.
 *   <li>Counts shard by shard, each in a transaction of its own, so that none is open for long.
 *   <li>Stores what it found, and that the next turn is fifty times as far away as this one was
 *       long.
 * </ol>
 */
final class QueueDepthSampler {
  private static final Logger LOG = LoggerFactory.getLogger(EventStats.class);
  private static final Duration MAX_STATEMENT = Duration.ofSeconds(5);
  private static final Duration MAX = Duration.ofSeconds(10);
  private static final Duration TURN = Duration.ofSeconds(30);
  private static final Duration MIN_DELAY = Duration.ofSeconds(2);
  private static final int SHARE = 50;

  private final EventBackend home;
  private final QueueDepthStatements depths;
  private final Transactions bounded;

  QueueDepthSampler(EventBackend home) {
    this.home = home;
    this.depths = home.depths();
    this.bounded = home.transactions().statementTimeout(MAX_STATEMENT);
  }

  boolean count() {
    OptionalLong turn = take();
    if (turn.isEmpty()) {
      return false;
    }
    long began = System.nanoTime();
    @Nullable String found = null;
    try {
      found = countAll(began);
    } catch (RuntimeException e) {
      LOG.info(
          "queue-depth-failed: could not count queue depth; keeping the last count: {}",
          e.toString());
    }
    String text = found;
    Duration pause = Duration.ofNanos(System.nanoTime() - began).multipliedBy(SHARE);
    Duration untilNext = pause.compareTo(MIN_DELAY) < 0 ? MIN_DELAY : pause;
    boolean saved =
        home.call(
            () -> "storing how much there is to do",
            connection -> depths.save(connection, turn.getAsLong(), text, untilNext));
    return saved && text != null;
  }

  private OptionalLong take() {
    OptionalLong turn = tryToTake();
    if (turn.isEmpty()
        && !home.call(() -> "looking whose turn it is to count", depths::exists)
        && create()) {
      turn = tryToTake();
    }
    return turn;
  }

  private OptionalLong tryToTake() {
    return home.call(() -> "taking the turn to count", connection -> depths.take(connection, TURN));
  }

  private boolean create() {
    try {
      return home.call(
          () -> "making the first turn to count",
          connection -> {
            depths.create(connection);
            return true;
          });
    } catch (RuntimeException e) {
      if (SqlError.of(e) == SqlError.UNIQUE_VIOLATION) {
        return false;
      }
      throw e;
    }
  }

  private String countAll(long began) {
    QueueDepthFormat all = new QueueDepthFormat();
    for (int shard = 0; shard < home.shards(); shard++) {
      int of = shard;
      if (System.nanoTime() - began > MAX.toNanos()) {
        throw new IllegalStateException("it takes longer than " + MAX);
      }
      home.with(bounded)
          .call(
              () -> "counting how much there is to do",
              connection -> {
                depths.count(connection, of, all);
                return true;
              });
    }
    return all.text();
  }
}
