package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.event.EventHandler;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventRecord;
import dev.holdfast.event.EventStatus;
import dev.holdfast.event.EventType;
import dev.holdfast.event.Outcome;
import dev.holdfast.event.RetryPolicy;
import dev.holdfast.event.Worker;
import dev.holdfast.testing.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** What the death of instances means for events, and what events may miss that wait in hands. */
public abstract class WorkerCrashContract extends EventContract {
  private static final EventType<String> MANY = EventType.of("many", String.class);
  private static final EventType<String> SAFE = EventType.of("safe", String.class);

  /** So long that nothing in these tests waits for it. */
  private static final Duration LEASE = Duration.ofHours(1);

  private static final RetryPolicy ONCE = RetryPolicy.standard().attempts(1);

  protected WorkerCrashContract(TestDatabase database) {
    super(database);
  }

  /** Leaves events as an instance leaves them that is gone and whose lease has run out. */
  private void kill(String begun, int crashesBefore) {
    schema.execute(
        "insert into holdfast_instance (id, name, started_at, expires_at, stopped) values (999,"
            + " 'dead', timestamp '2020-01-01 00:00:00', timestamp '2020-01-01 00:00:00', false)",
        "update holdfast_event set status = 1, version = 2, begun = "
            + begun
            + ", attempts = 1, owner = 999, crashes = "
            + crashesBefore);
  }

  private void crashed(int crashes) {
    schema.execute("update holdfast_event set crashes = " + crashes);
  }

  @Test
  void outcomeResetsCrashes() {
    EventId snoozed = schedule(TEXT.event("snooze"));
    EventId retried = schedule(TEXT.event("retry"));
    crashed(2);
    start(
        worker ->
            worker.handle(
                EventHandler.returning(
                    TEXT,
                    (payload, context) ->
                        payload.equals("snooze")
                            ? Outcome.snooze(Duration.ofDays(1))
                            : Outcome.retryAfter(Duration.ofDays(1), "not yet"))));
    for (EventId id : List.of(snoozed, retried)) {
      await(() -> found(id) + " must be put back", () -> found(id).version() == 3);
      assertThat(found(id).crashes()).isZero();
    }
  }

  @Test
  void requeueKeepsCrashes() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    EventId id = schedule(TEXT.event("a"));
    crashed(2);
    Worker worker =
        start(
            builder ->
                builder.handle(
                    TEXT,
                    (payload, context) -> {
                      begun.countDown();
                      await(new CountDownLatch(1));
                    }));
    await(begun);
    worker.stop(Duration.ZERO);
    assertThat(awaitStatus(id, EventStatus.PENDING).crashes()).isEqualTo(2);
    assertThat(found(id).attempts()).isZero();
  }

  @Test
  void prefetchedEventDoesNotCountCrash() {
    EventId id = schedule(TEXT.event("a"));
    kill("null", 2);
    start(worker -> worker.handle(TEXT, (payload, context) -> {}));
    EventRecord ended = awaitStatus(id, EventStatus.COMPLETED);
    assertThat(ended.crashes()).as("not begun, so not counted").isEqualTo(2);
    assertThat(ended.attempts()).as("nor is its attempt").isEqualTo(1);
    assertThat(ended.version()).isEqualTo(4);
  }

  @Test
  void earlierStartDoesNotCountCrash() {
    EventId id = schedule(TEXT.event("a"));
    kill("1", 2);
    start(worker -> worker.handle(TEXT, (payload, context) -> {}));
    awaitStatus(id, EventStatus.COMPLETED);
  }

  @Test
  void crashLimitOneCountsStartedOnly() {
    EventId waited = schedule(TEXT.event("a"));
    kill("null", 0);
    start(worker -> worker.maxCrashes(1).handle(TEXT, (payload, context) -> {}));
    awaitStatus(waited, EventStatus.COMPLETED);
  }

  @Test
  void recordsStartAfterCrashBeforeHandler() {
    Queue<String> noted = new ConcurrentLinkedQueue<>();
    schedule(TEXT.event("text"));
    schedule(SAFE.event("safe"));
    schedule(MANY.event("many"));
    crashed(1);
    startAll(worker -> worker, payload -> noted.add(payload + " " + begun(payload)));
    await(() -> "all must be called, were " + noted, () -> noted.size() == 3);
    assertThat(noted).containsExactlyInAnyOrder("text 1", "safe 1", "many 1");
  }

  @Test
  void whatHasSeenNoCrashIsNotNoted() {
    Queue<String> noted = new ConcurrentLinkedQueue<>();
    schedule(TEXT.event("text"));
    startAll(worker -> worker, payload -> noted.add(payload + " " + begun(payload)));
    await(() -> "it must be called", () -> noted.size() == 1);
    assertThat(noted).containsExactly("text 0");
  }

  @Test
  void whereOneCrashIsEnoughEveryBeginIsNoted() {
    Queue<String> noted = new ConcurrentLinkedQueue<>();
    schedule(TEXT.event("text"));
    startAll(worker -> worker.maxCrashes(1), payload -> noted.add(payload + " " + begun(payload)));
    await(() -> "it must be called", () -> noted.size() == 1);
    assertThat(noted).containsExactly("text 1");
  }

  private long begun(String type) {
    return schema.count(
        "select count(*) from holdfast_event where begun = version and type = '" + type + "'");
  }

  private interface Called {
    void with(String payload) throws Exception;
  }

  /** Starts a worker with a handler of each kind, all of which do the same. */
  private Worker startAll(UnaryOperator<Worker.Builder> settings, Called called) {
    return start(
        worker ->
            settings
                .apply(worker.leaseDuration(LEASE))
                .handle(TEXT, (payload, context) -> called.with(payload))
                .handle(
                    EventHandler.transactional(
                        SAFE, (payload, tx, context) -> called.with(payload)))
                .handle(
                    EventHandler.batch(
                        MANY,
                        2,
                        items -> {
                          for (var item : items) {
                            called.with(item.payload());
                          }
                        })));
  }

  @Test
  void doesNotStartHandlerAfterLostClaim() throws Exception {
    Queue<String> calls = new ConcurrentLinkedQueue<>();
    CountDownLatch go = new CountDownLatch(1);
    for (String begun : List.of("first", "a", "c")) {
      schedule(TEXT.event(begun).priority(9));
    }
    schedule(SAFE.event("b").priority(9));
    // of a batch of two for each thread, these wait for one
    schedule(TEXT.event("d"));
    schedule(SAFE.event("e"));
    schedule(MANY.event("f"));
    Worker worker =
        startAll(
            // so that each is noted, not only those that have seen a crash
            builder -> builder.maxCrashes(1).queue("default", 4),
            payload -> {
              calls.add(payload);
              await(go);
            });
    await(() -> "four must be called, were " + calls, () -> calls.size() == 4);
    await(() -> "all must be in hands, are " + worker.inFlight(), () -> worker.inFlight() == 7);
    schema.execute(
        "update holdfast_event set version = version + 1, owner = null where begun is null");
    go.countDown();
    await(() -> "nothing must be left in hands", () -> worker.inFlight() == 0);
    assertThat(calls).containsExactlyInAnyOrder("first", "a", "b", "c");
    assertThat(schema.count("select count(*) from holdfast_event")).isEqualTo(3);
  }

  @Test
  void requeuesEventThatCannotStart() {
    EventId id = schedule(TEXT.event("a"));
    crashed(1);
    AtomicInteger failures = new AtomicInteger();
    FaultyDataSource faulty =
        new FaultyDataSource(schema.dataSource())
            .onPrepare(
                sql -> sql.contains("SET begun = "),
                connection -> {
                  if (failures.incrementAndGet() <= 2) {
                    throw FaultyDataSource.connectionLost();
                  }
                });
    start(
        Holdfast.create(faulty.dataSource()),
        worker -> worker.leaseDuration(LEASE).handle(TEXT, (payload, context) -> {}));
    EventRecord ended = awaitStatus(id, EventStatus.COMPLETED);
    assertThat(ended.attempts()).isEqualTo(1);
    assertThat(ended.crashes()).isEqualTo(1);
    assertThat(failures).hasValue(3);
  }

  @Test
  void anAttemptInWhichTheInstanceDiedWasOne() {
    Queue<String> calls = new ConcurrentLinkedQueue<>();
    EventId text = schedule(TEXT.event("a"));
    EventId safe = schedule(SAFE.event("b"));
    EventId many = schedule(MANY.event("c"));
    kill("null", 0);
    start(
        worker ->
            worker
                .handle(EventHandler.of(TEXT, (payload, context) -> calls.add(payload)).retry(ONCE))
                .handle(
                    EventHandler.transactional(SAFE, (payload, tx, context) -> calls.add(payload))
                        .retry(ONCE))
                .handle(EventHandler.batch(MANY, 2, items -> calls.add("batch")).retry(ONCE)));
    for (EventId id : List.of(text, safe, many)) {
      assertThat(awaitStatus(id, EventStatus.FAILED).error()).contains("attempts", "used up");
    }
    assertThat(calls).isEmpty();
  }

  @Test
  void honorsDeadlineOfPrefetchedEvent() throws Exception {
    Queue<String> calls = new ConcurrentLinkedQueue<>();
    CountDownLatch go = new CountDownLatch(1);
    for (String begun : List.of("first", "second", "third")) {
      schedule(TEXT.event(begun).priority(9));
    }
    // of a batch of two for each thread, these wait for one
    Instant deadline = Instant.now().plusSeconds(6);
    List<EventId> late =
        List.of(
            schedule(TEXT.event("a").deadline(deadline)),
            schedule(SAFE.event("b").deadline(deadline)),
            schedule(MANY.event("c").deadline(deadline)));
    Worker worker =
        startAll(
            builder -> builder.queue("default", 3),
            payload -> {
              calls.add(payload);
              await(go);
            });
    await(() -> "three must be called, were " + calls, () -> calls.size() == 3);
    await(() -> "all must be in hands, are " + worker.inFlight(), () -> worker.inFlight() == 6);
    await(() -> "late", () -> Instant.now().isAfter(deadline.plusMillis(100)));
    go.countDown();
    for (EventId id : late) {
      assertThat(awaitStatus(id, EventStatus.CANCELLED).error()).contains("deadline");
    }
    assertThat(calls).containsExactlyInAnyOrder("first", "second", "third");
  }
}
