package dev.holdfast.bench.events;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;

/** The events that handlers have seen in one drain, and since when. Thread-safe. */
final class Handled {
  private static final int PATIENCE_SECONDS = 60;

  private final int expected;
  private final AtomicInteger count = new AtomicInteger();
  private final AtomicLong firstAt = new AtomicLong();
  private final CountDownLatch all = new CountDownLatch(1);

  Handled(int expected) {
    this.expected = expected;
  }

  /** What a handler does: nothing but count. */
  void add(int events) {
    if (firstAt.get() == 0) {
      firstAt.compareAndSet(0, System.nanoTime());
    }
    if (count.addAndGet(events) >= expected) {
      all.countDown();
    }
  }

  /** Waits for all handlers, and gives up when none was called for a minute. */
  void await() throws InterruptedException {
    int before;
    do {
      before = count.get();
      if (all.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        return;
      }
    } while (count.get() > before);
    throw new IllegalStateException(
        "all %d events must be handled, was %d and none for %d s"
            .formatted(expected, before, PATIENCE_SECONDS));
  }

  /**
   * Waits for all handlers, and then until this query, of one boolean, answers with false; answers
   * like {@link #sinceFirst}.
   */
  Duration awaitStored(DataSource dataSource, String unfinished)
      throws InterruptedException, SQLException {
    await();
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      while (isTrue(statement, unfinished)) {
        if (System.nanoTime() - deadline > 0) {
          throw new IllegalStateException(
              "all %d events are handled, and must be stored as such within %d s"
                  .formatted(expected, PATIENCE_SECONDS));
        }
        TimeUnit.MILLISECONDS.sleep(1);
      }
    }
    return sinceFirst();
  }

  /**
   * The time from the first handler until now.
   *
   * @throws IllegalStateException unless each event was handled exactly once
   */
  Duration sinceFirst() {
    Duration time = Duration.ofNanos(System.nanoTime() - firstAt.get());
    if (count.get() != expected) {
      throw new IllegalStateException(
          "each of %d events must be handled once, handlers ran %d times"
              .formatted(expected, count.get()));
    }
    return time;
  }

  private static boolean isTrue(Statement statement, String query) throws SQLException {
    try (ResultSet answer = statement.executeQuery(query)) {
      return answer.next() && answer.getBoolean(1);
    }
  }
}
