package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.event.EventHandler;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventStatus;
import dev.holdfast.event.Worker;
import dev.holdfast.testing.InterceptingDataSource;
import dev.holdfast.testing.TestDatabase;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** What a worker logs while things fail: enough to see what happens, and no flood. */
public abstract class WorkerLogContract extends EventContract {
  private static final int RETRIES = 4;

  protected WorkerLogContract(TestDatabase database) {
    super(database);
  }

  private static long lines(String log, String text) {
    return log.lines().filter(line -> line.contains(text)).count();
  }

  @Test
  void logsOutageOncePerOperation() {
    AtomicBoolean down = new AtomicBoolean();
    AtomicInteger claims = new AtomicInteger();
    AtomicInteger stores = new AtomicInteger();
    DataSource source =
        InterceptingDataSource.of(
            schema.dataSource(8),
            (connection, sql) -> {
              if (down.get()) {
                fail(claims, stores);
              }
            });
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    EventId id = schedule(TEXT.event("a"));
    String log =
        logOf(
            () -> {
              Worker worker =
                  start(
                      Holdfast.builder(source).shards(shards()).build(),
                      builder ->
                          builder.handle(
                              TEXT,
                              (payload, context) -> {
                                begun.countDown();
                                await(go);
                              }));
              await(() -> "the handler must be called", () -> begun.getCount() == 0);
              down.set(true);
              go.countDown();
              await(
                  () -> "each must fail again and again: " + claims + ", " + stores,
                  () -> claims.get() >= RETRIES && stores.get() >= RETRIES);
              down.set(false);
              awaitStatus(id, EventStatus.COMPLETED);
              worker.stop(LIMIT);
            });
    assertThat(lines(log, "event-claim-failed: could not claim from queue 'default'"))
        .as(log)
        .isEqualTo(1);
    assertThat(lines(log, "event-completion-failed: could not store the outcome of 1 events"))
        .as(log)
        .isEqualTo(1);
  }

  /** Fails what claims and what stores; the heartbeats go on. */
  private static void fail(AtomicInteger claims, AtomicInteger stores) throws SQLException {
    String thread = Thread.currentThread().getName();
    if (thread.startsWith("holdfast-claim")) {
      claims.incrementAndGet();
      throw FaultyDataSource.connectionLost();
    }
    if (thread.startsWith("holdfast-complete")) {
      stores.incrementAndGet();
      throw FaultyDataSource.connectionLost();
    }
  }

  /** Its row is locked twice, and then the connection is lost. */
  @Test
  void aResultIsOnlySaidToBeLockedWhileItIs() {
    AtomicInteger stores = new AtomicInteger();
    DataSource source =
        InterceptingDataSource.of(
            schema.dataSource(8),
            (connection, sql) -> {
              boolean stored = Thread.currentThread().getName().startsWith("holdfast-complete");
              if (stored && sql.contains("holdfast_event")) {
                failAsLocked(stores.getAndIncrement());
              }
            });
    EventId id = schedule(TEXT.event("a"));
    String log =
        logOf(
            () -> {
              Worker worker =
                  start(
                      Holdfast.builder(source).shards(shards()).build(),
                      builder -> builder.handle(TEXT, (payload, context) -> {}));
              awaitStatus(id, EventStatus.COMPLETED);
              worker.stop(LIMIT);
            });
    assertThat(lines(log, "event-completion-failed: could not store the outcome of event "))
        .as(log)
        .isEqualTo(1);
    assertThat(log).doesNotContain("another session has locked");
  }

  private static void failAsLocked(int store) throws SQLException {
    if (store < 2) {
      throw new SQLException("locked", "55P03");
    }
    if (store == 2) {
      throw FaultyDataSource.connectionLost();
    }
  }

  @Test
  void refusedResultsOfABatchAreOneLine() {
    int count = 10;
    AtomicInteger batches = new AtomicInteger();
    AtomicInteger handled = new AtomicInteger();
    events.scheduleAll(IntStream.range(0, count).mapToObj(i -> TEXT.event("" + i)));
    String log =
        logOf(
            () -> {
              Worker worker =
                  start(
                      builder ->
                          builder
                              .queue("default", 1)
                              .handle(
                                  EventHandler.batch(
                                          TEXT,
                                          count,
                                          items -> {
                                            batches.incrementAndGet();
                                            items.forEach(item -> takeAway(item.context().id()));
                                            handled.addAndGet(items.size());
                                          })
                                      .completeImmediately()));
              await(() -> handled + " must be all", () -> handled.get() == count);
              worker.stop(LIMIT);
            });
    assertThat(batches.get()).as("batches of more than one").isLessThan(count);
    assertThat(lines(log, "event-lease-lost: ")).as(log).isEqualTo(batches.get());
  }

  /** As if others had recovered the event meanwhile. */
  private void takeAway(EventId id) {
    schema.execute("update holdfast_event set version = version + 1 where id = " + id.id());
  }
}
