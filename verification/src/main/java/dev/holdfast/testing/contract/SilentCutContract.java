package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.Holdfast;
import dev.holdfast.event.EventChangeResult;
import dev.holdfast.event.EventHandler;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventScheduleResult;
import dev.holdfast.event.EventStatus;
import dev.holdfast.event.Events;
import dev.holdfast.event.ManualWorker;
import dev.holdfast.event.QueueLimit;
import dev.holdfast.event.Worker;
import dev.holdfast.testing.TcpProxy;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.transaction.Transaction;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/**
 * An instance whose connection goes silent right after a statement that locks a row, as when it is
 * suspended or cut off: the sockets stay open, and nothing arrives any more. The others go on.
 */
public abstract class SilentCutContract extends EventContract {
  private static final Duration LEASE = Duration.ofSeconds(3);

  protected SilentCutContract(TestDatabase database) {
    super(database);
  }

  private interface OnOther {
    void run(Holdfast cutOff);
  }

  /** Runs {@code locking} over a connection that goes silent after this text, then the rest. */
  private void whileCutOffAfter(String text, OnOther locking, Runnable others) {
    TcpProxy proxy = TcpProxy.before(schema.url());
    // the proxy is closed first: drivers may wait for a silent connection when they close it
    try (HikariDataSource pool = Pools.of(proxy.url(), schema.user(), schema.password(), 6);
        proxy) {
      Holdfast cutOff = Holdfast.builder(pool).shards(shards()).build();
      proxy.holdAfter(text);
      Thread thread = new Thread(() -> locking.run(cutOff), "cut off");
      thread.setDaemon(true);
      thread.setUncaughtExceptionHandler((ended, failure) -> {});
      thread.start();
      await(() -> "the connection must go silent after " + text, proxy::isHolding);
      others.run();
    }
  }

  @Test
  void claimsUnderALimitGoOnElsewhere() {
    queues.setLimit(QueueLimit.queue("default").maxConcurrency(5));
    EventId id = schedule(TEXT.event("a"));
    whileCutOffAfter(
        "at_most, counted_at, ",
        cutOff -> {
          ManualWorker worker =
              cutOff
                  .worker()
                  .leaseDuration(LEASE)
                  .handle(TEXT, (payload, context) -> {})
                  .buildManual();
          worker.handleNext();
        },
        () -> {
          start(worker -> worker.leaseDuration(LEASE).handle(TEXT, (payload, context) -> {}));
          awaitStatus(id, EventStatus.COMPLETED);
        });
  }

  @Test
  void eventsAreClaimedElsewhere() {
    EventId id = schedule(TEXT.event("a"));
    whileCutOffAfter(
        "FOR UPDATE SKIP LOCKED",
        cutOff ->
            cutOff
                .worker()
                .leaseDuration(LEASE)
                .handle(
                    EventHandler.of(TEXT, (payload, context) -> {}).timeout(Duration.ofSeconds(1)))
                .buildManual()
                .handleNext(),
        () -> {
          start(worker -> worker.leaseDuration(LEASE).handle(TEXT, (payload, context) -> {}));
          awaitStatus(id, EventStatus.COMPLETED);
        });
  }

  @Test
  void completesElsewhereAfterSilentCut() {
    EventId id = schedule(TEXT.event("a"));
    AtomicReference<Worker> cut = new AtomicReference<>();
    whileCutOffAfter(
        "INSERT INTO holdfast_event_history",
        cutOff ->
            cut.set(
                cutOff
                    .worker()
                    .leaseDuration(LEASE)
                    .handle(TEXT, (payload, context) -> {})
                    .start()),
        () -> {
          start(worker -> worker.leaseDuration(LEASE).handle(TEXT, (payload, context) -> {}));
          awaitStatus(id, EventStatus.COMPLETED);
          cut.get().stop(Duration.ZERO);
        });
  }

  @Test
  void completesTransactionsElsewhereAfterSilentCut() {
    EventId id = schedule(TEXT.event("a"));
    AtomicReference<Worker> cut = new AtomicReference<>();
    whileCutOffAfter(
        "INSERT INTO holdfast_event_history",
        cutOff ->
            cut.set(
                cutOff
                    .worker()
                    .leaseDuration(LEASE)
                    .handle(
                        EventHandler.transactional(TEXT, (payload, tx, context) -> {})
                            .timeout(Duration.ofSeconds(1)))
                    .start()),
        () -> {
          start(worker -> worker.leaseDuration(LEASE).handle(TEXT, (payload, context) -> {}));
          awaitStatus(id, EventStatus.COMPLETED);
          cut.get().stop(Duration.ZERO);
        });
  }

  @Test
  void aLockedEventHoldsUpNoOthers() throws Exception {
    EventId locked = schedule(TEXT.event("locked"));
    CountDownLatch goOn = new CountDownLatch(1);
    start(
        worker ->
            worker
                .leaseDuration(LEASE)
                .queue("default", 2)
                .handle(
                    TEXT,
                    (payload, context) -> {
                      if (payload.equals("locked")) {
                        goOn.await();
                      }
                    }));
    awaitStatus(locked, EventStatus.PROCESSING);
    try (Connection connection = schema.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      assertThat(
              events.requestCancellation(
                  Transaction.of(connection), locked, found(locked).version()))
          .isInstanceOf(EventChangeResult.Applied.class);
      goOn.countDown();
      for (int i = 0; i < 5; i++) {
        EventId other = schedule(TEXT.event("other"));
        awaitStatus(other, EventStatus.COMPLETED);
      }
      connection.rollback();
    }
    awaitStatus(locked, EventStatus.COMPLETED);
  }

  /** With a lease of an hour, so that no limit of the network ends the wait for the lock. */
  @Test
  void lockedEventDoesNotBlockOthers() throws Exception {
    EventId locked = schedule(TEXT.event("locked"));
    CountDownLatch goOn = new CountDownLatch(1);
    start(
        worker ->
            worker
                .leaseDuration(Duration.ofHours(1))
                .queue("default", 2)
                .handle(
                    TEXT,
                    (payload, context) -> {
                      if (payload.equals("locked")) {
                        goOn.await();
                      }
                    }));
    awaitStatus(locked, EventStatus.PROCESSING);
    // as others recover it from an instance whose lease has ended
    schema.execute(
        "update holdfast_event set status = 0, version = version + 1, crashes = crashes + 1, owner"
            + " = null, due_at = timestamp '2037-01-01 00:00:00'");
    try (Connection connection = schema.dataSource().getConnection();
        Statement lock = connection.createStatement()) {
      connection.setAutoCommit(false);
      // by its primary key, so that MariaDB locks this row and no gap
      lock.execute(
          "update holdfast_event set priority = 4 where shard = %d and id = %d"
              .formatted(locked.shard(), locked.id()));
      goOn.countDown();
      for (int i = 0; i < 5; i++) {
        EventId other = schedule(TEXT.event("other"));
        awaitStatus(other, EventStatus.COMPLETED);
      }
      connection.rollback();
    }
    assertThat(found(locked).status()).isEqualTo(EventStatus.PENDING);
  }

  @Test
  void aLimitIsChangedElsewhere() {
    whileCutOffAfter(
        "INSERT INTO holdfast_limit",
        cutOff -> cutOff.queues().setLimit(QueueLimit.queue("default").maxConcurrency(5)),
        () -> {
          queues.setLimit(QueueLimit.queue("default").maxConcurrency(6));
          assertThat(queues.limits())
              .containsExactly(QueueLimit.queue("default").maxConcurrency(6));
        });
  }

  @Test
  void aKeyIsScheduledElsewhere() throws Exception {
    whileCutOffAfter(
        "INTO holdfast_event_key",
        cutOff -> cutOff.events().schedule(TEXT.event("a").key("k")),
        () ->
            assertThat(bounded(() -> events.schedule(TEXT.event("b").key("k"))))
                .isInstanceOf(EventScheduleResult.Scheduled.class));
  }

  @Test
  void changesEventElsewhereAfterSilentCut() {
    EventId id = schedule(TEXT.event("a").at(Instant.parse("2100-01-01T00:00:00Z")));
    whileCutOffAfter(
        "UPDATE holdfast_event",
        cutOff -> cutOff.events().changePriority(id, 1, 9),
        () -> {
          Events patient = events.lockTimeout(Duration.ofSeconds(40));
          bounded(() -> patient.changePriority(id, 1, 8));
          assertThat(found(id).priority()).isEqualTo(8);
        });
  }

  /** Fails where it takes longer than any of the limits, so that a test ends. */
  private static <T> T bounded(java.util.function.Supplier<T> work) {
    return CompletableFuture.supplyAsync(work)
        .orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS)
        .join();
  }
}
