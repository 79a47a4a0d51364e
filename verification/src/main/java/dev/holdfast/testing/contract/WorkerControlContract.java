package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.event.EventChangeResult;
import dev.holdfast.event.EventHandler;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventRecord;
import dev.holdfast.event.EventStatus;
import dev.holdfast.event.EventType;
import dev.holdfast.event.RetryPolicy;
import dev.holdfast.event.Worker;
import dev.holdfast.testing.InterceptingDataSource;
import dev.holdfast.testing.TestDatabase;
import java.io.IOException;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** How workers are stopped, paused, and made to give up, and how others take over from the dead. */
public abstract class WorkerControlContract extends EventContract {
  private static final EventType<String> OTHER = EventType.of("other", String.class);
  private static final Duration LEASE = Duration.ofSeconds(4);

  protected WorkerControlContract(TestDatabase database) {
    super(database);
  }

  /** A handler that runs until it is interrupted. */
  private static void runUntilInterrupted(CountDownLatch begun) throws InterruptedException {
    begun.countDown();
    new CountDownLatch(1).await();
  }

  @Test
  void aPausedQueueIsLeftAlone() {
    queues.pause("paused");
    queues.pause("paused");
    assertThat(queues.paused()).containsExactly("paused");
    EventId waiting = schedule(TEXT.event("a").queue("paused"));
    EventId other = schedule(TEXT.event("a").queue("other"));
    start(
        worker ->
            worker
                .queues(Map.of("paused", 2, "other", 2))
                .leaseDuration(LEASE)
                .handle(TEXT, (payload, context) -> {}));
    awaitStatus(other, EventStatus.COMPLETED);
    assertThat(found(waiting).version()).isEqualTo(1);
    queues.resume("paused");
    queues.resume("paused");
    assertThat(queues.paused()).isEmpty();
    awaitStatus(waiting, EventStatus.COMPLETED);
  }

  @Test
  void aPausedTypeIsLeftAlone() {
    queues.pauseType(TEXT);
    assertThat(queues.pausedTypes()).containsExactly(TEXT.name());
    EventId waiting = schedule(TEXT.event("a").priority(9));
    EventId other = schedule(OTHER.event("a"));
    start(
        worker ->
            worker
                .leaseDuration(LEASE)
                .handle(TEXT, (payload, context) -> {})
                .handle(OTHER, (payload, context) -> {}));
    awaitStatus(other, EventStatus.COMPLETED);
    assertThat(found(waiting).version()).isEqualTo(1);
    queues.resumeType(TEXT);
    assertThat(queues.pausedTypes()).isEmpty();
    awaitStatus(waiting, EventStatus.COMPLETED);
  }

  @Test
  void aWorkerThatRunsIsPausedToo() {
    start(
        worker ->
            worker
                .leaseDuration(LEASE)
                .handle(TEXT, (payload, context) -> {})
                .handle(OTHER, (payload, context) -> {}));
    awaitStatus(schedule(TEXT.event("a")), EventStatus.COMPLETED);
    queues.pauseType(TEXT);
    List<EventId> left = new ArrayList<>();
    await(
        () -> "the worker must hear of the pause",
        () -> {
          EventId paused = schedule(TEXT.event("a").priority(9));
          awaitStatus(schedule(OTHER.event("later, and less urgent")), EventStatus.COMPLETED);
          left.add(paused);
          return found(paused).status() == EventStatus.PENDING;
        });
    queues.resumeType(TEXT);
    left.forEach(id -> awaitStatus(id, EventStatus.COMPLETED));
  }

  @Test
  void aRunningHandlerIsAskedToStop() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    EventId id = schedule(TEXT.event("a"));
    start(
        worker ->
            worker
                .leaseDuration(LEASE)
                .handle(TEXT, (payload, context) -> runUntilInterrupted(begun)));
    await(begun);
    assertThat(events.requestCancellation(id, 2)).isEqualTo(new EventChangeResult.Applied(2));
    assertThat(awaitStatus(id, EventStatus.CANCELLED).error()).contains("cancelled");
  }

  @Test
  void aHandlerThatTakesTooLongHasFailed() {
    EventId id = schedule(TEXT.event("a"));
    start(
        worker ->
            worker.handle(
                EventHandler.of(
                        TEXT, (payload, context) -> runUntilInterrupted(new CountDownLatch(1)))
                    .timeout(Duration.ofMillis(100))
                    .retry(
                        RetryPolicy.standard().backoff(Duration.ZERO, Duration.ZERO).attempts(2))));
    EventRecord ended = awaitStatus(id, EventStatus.FAILED);
    assertThat(ended.error()).contains("PT0.1S");
    assertThat(ended.attempts()).isEqualTo(2);
  }

  @Test
  void stopRequeuesWithoutCountingAttempt() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    List<EventId> ids = IntStream.range(0, 20).mapToObj(i -> schedule(TEXT.event("" + i))).toList();
    Worker worker =
        start(
            builder ->
                builder
                    .queue("default", 1)
                    .handle(TEXT, (payload, context) -> runUntilInterrupted(begun)));
    await(begun);
    assertThat(worker.stop(Duration.ofMillis(50))).isFalse();
    assertThat(worker.inFlight()).isZero();
    assertThat(worker.health().isWorking()).isFalse();
    for (EventId id : ids) {
      EventRecord now = found(id);
      assertThat(now.status()).as(now.toString()).isEqualTo(EventStatus.PENDING);
      assertThat(now.attempts()).isZero();
      assertThat(now.crashes()).isZero();
    }
  }

  @Test
  void aWorkerThatStopsLetsItsHandlersEnd() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    EventId id = schedule(TEXT.event("a"));
    Worker worker =
        start(
            builder ->
                builder.handle(
                    TEXT,
                    (payload, context) -> {
                      begun.countDown();
                      await(go);
                    }));
    await(begun);
    Thread stopping = new Thread(() -> worker.stop(LIMIT));
    stopping.start();
    go.countDown();
    stopping.join(LIMIT.toMillis());
    assertThat(found(id).status()).isEqualTo(EventStatus.COMPLETED);
    assertThat(worker.stop(LIMIT)).isTrue();
  }

  @Test
  void theLeaseIsRenewedWhileAWorkerStops() throws Exception {
    AtomicInteger heartbeats = new AtomicInteger();
    DataSource watched =
        InterceptingDataSource.of(
            schema.dataSource(),
            (connection, sql) -> {
              if (sql.startsWith("UPDATE holdfast_instance SET expires_at")) {
                heartbeats.incrementAndGet();
              }
            });
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    EventId id = schedule(TEXT.event("a"));
    Worker worker =
        start(
            Holdfast.builder(watched).shards(shards()).build(),
            builder ->
                builder
                    .leaseDuration(Duration.ofSeconds(3))
                    .handle(
                        TEXT,
                        (payload, context) -> {
                          begun.countDown();
                          await(go);
                        }));
    await(begun);
    Thread stopping = new Thread(() -> worker.stop(LIMIT));
    stopping.start();
    int before = heartbeats.get();
    await(() -> "it must outlive its lease", () -> heartbeats.get() > before + 7);
    go.countDown();
    stopping.join(LIMIT.toMillis());
    assertThat(found(id).status()).isEqualTo(EventStatus.COMPLETED);
    assertThat(found(id).attempts()).isEqualTo(1);
    assertThat(schema.count("select count(*) from holdfast_instance")).isEqualTo(1);
  }

  @Test
  void usesVirtualThreadsIfAvailable() {
    AtomicReference<Thread> thread = new AtomicReference<>();
    EventId id = schedule(TEXT.event("a"));
    start(worker -> worker.handle(TEXT, (payload, context) -> thread.set(Thread.currentThread())));
    awaitStatus(id, EventStatus.COMPLETED);
    boolean isVirtual = thread.get().getClass().getName().contains("VirtualThread");
    assertThat(isVirtual).isEqualTo(Runtime.version().feature() >= 21);
    assertThat(thread.get().isDaemon()).isTrue();
  }

  @Test
  void defaultNameIsHostAndProcess() {
    start(worker -> worker.handle(TEXT, (payload, context) -> {}));
    await(() -> "it must be registered", () -> !holdfast.stats().instances().isEmpty());
    String name = holdfast.stats().instances().get(0).name();
    assertThat(name)
        .endsWith(" pid " + ProcessHandle.current().pid())
        .isEqualTo(Worker.defaultName());
    assertThat(name.indexOf(" pid ")).as("a host in front of it").isPositive();
  }

  @Test
  void stopAfterStartLeavesNothing() {
    for (int round = 0; round < 10; round++) {
      events.scheduleAll(IntStream.range(0, 20).mapToObj(i -> TEXT.event("" + i)));
      start(worker -> worker.handle(TEXT, (payload, context) -> {})).stop(LIMIT);
      assertThat(schema.count("select count(*) from holdfast_event where status = 1"))
          .as("round %d", round)
          .isZero();
    }
  }

  @Test
  void expiredInstanceClaimsNothing() {
    start(worker -> worker.handle(TEXT, (payload, context) -> {}));
    awaitStatus(schedule(TEXT.event("a")), EventStatus.COMPLETED);
    long expired = schema.count("select max(id) from holdfast_instance");
    schema.execute(
        "update holdfast_instance set expires_at = timestamp '2020-01-01 00:00:00' where id = "
            + expired);
    EventId id = schedule(TEXT.event("b"));
    awaitStatus(id, EventStatus.COMPLETED);
    assertThat(schema.count("select owner from holdfast_event_history where id = " + id.id()))
        .isGreaterThan(expired);
  }

  @Test
  void eventsOfADeadInstanceAreTakenOver() {
    EventId id = schedule(TEXT.event("a").orderingKey("o"));
    EventId next = schedule(TEXT.event("b").orderingKey("o"));
    kill(id, 0);
    Queue<Integer> versions = new ConcurrentLinkedQueue<>();
    start(worker -> worker.handle(TEXT, (payload, context) -> versions.add(context.version())));
    EventRecord ended = awaitStatus(id, EventStatus.COMPLETED);
    assertThat(ended.crashes()).isEqualTo(1);
    assertThat(ended.attempts()).isEqualTo(2);
    assertThat(ended.version()).isEqualTo(4);
    assertThat(ended.error()).isNull();
    assertThat(versions).startsWith(4);
    awaitStatus(next, EventStatus.COMPLETED);
  }

  @Test
  void anEventThatKillsItsInstancesFails() {
    EventId id = schedule(TEXT.event("a"));
    kill(id, 2);
    start(worker -> worker.handle(TEXT, (payload, context) -> {}));
    EventRecord ended = awaitStatus(id, EventStatus.FAILED);
    assertThat(ended.crashes()).isEqualTo(3);
    assertThat(ended.version()).isEqualTo(4);
    assertThat(ended.error()).contains("3 of 3 crashes");
    assertThat(schema.count("select count(*) from holdfast_event")).isZero();
  }

  /** Leaves an event as an instance leaves it that is gone and whose lease has run out. */
  private void kill(EventId id, int crashesBefore) {
    String running = database().name().equals("PostgreSQL") ? "" : ", running_key = ordering_key";
    schema.execute(
        "insert into holdfast_instance (id, name, started_at, expires_at, stopped) values (999,"
            + " 'dead', timestamp '2020-01-01 00:00:00', timestamp '2020-01-01 00:00:00', false)",
        "update holdfast_event set status = 1, version = 2, begun = 2, attempts = 1, owner = 999,"
            + " crashes = "
            + crashesBefore
            + running
            + " where id = "
            + id.id());
  }

  @Test
  void findsEventDueBetweenClaimAndPoll() {
    int count = 3;
    List<EventId> ids = new CopyOnWriteArrayList<>();
    DataSource deaf =
        InterceptingDataSource.of(
            schema.dataSource(),
            (connection, sql) -> {
              if (sql.startsWith("LISTEN")) {
                throw new SQLException("nothing is heard");
              }
            });
    FaultyDataSource slow =
        new FaultyDataSource(deaf)
            .afterEffect(
                sql -> sql.contains("due_at <= "),
                connection -> {
                  if (ids.size() < count) {
                    // clearly after the claim
                    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
                    await(() -> "time", () -> System.nanoTime() - end > 0);
                    ids.add(schedule(TEXT.event("just now")));
                  }
                });
    // the first may be found because the worker is woken when it gets its lease
    start(
        Holdfast.builder(slow.dataSource()).shards(shards()).build(),
        worker -> worker.pollInterval(Duration.ofHours(1)).handle(TEXT, (text, context) -> {}));
    await(() -> "it must go on, was at " + ids.size(), () -> ids.size() == count);
    ids.forEach(id -> awaitStatus(id, EventStatus.COMPLETED));
  }

  @Test
  void rollsBackLateTransactionalHandler() {
    schema.execute("create table late (id bigint)");
    EventId id = schedule(TEXT.event("late"));
    start(
        worker ->
            worker.handle(
                EventHandler.transactional(
                        TEXT,
                        (text, tx, context) -> {
                          try (Statement insert = tx.connection().createStatement()) {
                            insert.execute("insert into late values (1)");
                          }
                          await(() -> "asked to stop", context::isCancelled);
                        })
                    .timeout(Duration.ofMillis(50))
                    .retry(RetryPolicy.standard().attempts(1))));
    assertThat(awaitStatus(id, EventStatus.FAILED).error()).contains("PT0.05S");
    assertThat(schema.count("select count(*) from late")).isZero();
  }

  @Test
  void theErrorOfAnEventNamesWhatCausedIt() {
    EventId id = schedule(TEXT.event("a"));
    start(
        worker ->
            worker.handle(
                EventHandler.of(
                        TEXT,
                        (text, context) -> {
                          throw new IllegalStateException("outer", new IOException("inner"));
                        })
                    .retry(RetryPolicy.standard().attempts(1))));
    assertThat(awaitStatus(id, EventStatus.FAILED).error()).contains("outer", "IOException: inner");
  }
}
