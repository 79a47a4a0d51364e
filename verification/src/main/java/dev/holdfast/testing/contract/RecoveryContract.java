package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.event.EventHandler;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventRecord;
import dev.holdfast.event.EventStatus;
import dev.holdfast.event.EventType;
import dev.holdfast.event.RetryPolicy;
import dev.holdfast.internal.event.store.ClaimCursor;
import dev.holdfast.internal.event.store.ClaimRequest;
import dev.holdfast.internal.event.store.ClaimedEvent;
import dev.holdfast.internal.event.store.EventStore;
import dev.holdfast.internal.event.store.EventStores;
import dev.holdfast.internal.event.store.Requeue;
import dev.holdfast.testing.InterceptingDataSource;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.transaction.Isolation;
import dev.holdfast.transaction.Transactions;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What becomes of the events of an instance that has stopped, or that others took for stopped. */
public abstract class RecoveryContract extends EventContract {
  private static final EventType<String> LIMITED = EventType.of("limited", String.class);
  private static final EventType<String> UNLIMITED = EventType.of("unlimited", String.class);
  private static final Duration LEASE = Duration.ofMinutes(10);

  private EventStore store;

  @SuppressWarnings("NullAway.Init")
  protected RecoveryContract(TestDatabase database) {
    super(database);
  }

  private interface Step<T> {
    T run(Connection connection) throws Exception;
  }

  @BeforeEach
  void openStore() {
    store = EventStores.of(holdfast.dialect(), "");
  }

  private <T> T step(Step<T> step) throws Exception {
    return Transactions.on(schema.unpooled())
        .isolation(Isolation.READ_COMMITTED)
        .retrying(20)
        .<T, Exception>call(tx -> step.run(tx.connection()));
  }

  private ClaimedEvent claim() throws Exception {
    long owner = step(connection -> store.register(connection, "an instance", LEASE));
    ClaimRequest wanted = new ClaimRequest(0, "default", List.of("text"), 10, owner, null);
    List<ClaimedEvent> claimed =
        step(connection -> store.claim(connection, wanted, new ClaimCursor()));
    assertThat(claimed).hasSize(1);
    return claimed.get(0);
  }

  /** Ends the leases of all instances, and recovers what they had. */
  private void rescue() throws Exception {
    schema.execute("update holdfast_instance set expires_at = timestamp '2020-01-01 00:00:00'");
    List<Long> expired = step(store::expired);
    assertThat(this.<Integer>step(connection -> store.rescue(connection, 0, expired, 10)))
        .isEqualTo(1);
  }

  private void uncount(ClaimedEvent claim) throws Exception {
    step(
        connection -> {
          store.uncountCrashes(connection, 0, List.of(claim));
          return true;
        });
  }

  @Test
  void aRecoveredEventKeepsItsPlace() throws Exception {
    Instant due = Instant.parse("2020-06-01T12:00:00Z");
    EventId id = schedule(TEXT.event("a").at(due));
    claim();
    rescue();
    EventRecord now = found(id);
    assertThat(now.status()).isEqualTo(EventStatus.PENDING);
    assertThat(now.dueAt()).isEqualTo(due);
    assertThat(now.error()).contains("instance stopped");
  }

  @Test
  void undoesCrashOfLivingInstanceOnce() throws Exception {
    EventId id = schedule(TEXT.event("a"));
    ClaimedEvent lost = claim();
    rescue();
    assertThat(found(id).crashes()).isEqualTo(1);
    uncount(lost);
    assertThat(found(id).crashes()).isZero();
    assertThat(found(id).error()).isNull();
    uncount(lost);
    assertThat(found(id).crashes()).isZero();
  }

  @Test
  void undoesCrashOfClaimedEvent() throws Exception {
    EventId id = schedule(TEXT.event("a"));
    ClaimedEvent lost = claim();
    rescue();
    claim();
    uncount(lost);
    assertThat(found(id).status()).isEqualTo(EventStatus.PROCESSING);
    assertThat(found(id).crashes()).isZero();
  }

  @Test
  void aLaterCrashIsNotTakenBack() throws Exception {
    EventId id = schedule(TEXT.event("a"));
    ClaimedEvent lost = claim();
    rescue();
    ClaimedEvent next = claim();
    step(connection -> store.begin(connection, 0, next.id(), next.version()));
    rescue();
    assertThat(found(id).crashes()).isEqualTo(2);
    uncount(lost);
    assertThat(found(id).crashes()).isEqualTo(2);
    uncount(next);
    assertThat(found(id).crashes()).isEqualTo(1);
  }

  @Test
  void undoesNothingForRequeuedEvent() throws Exception {
    EventId id = schedule(TEXT.event("a"));
    schema.execute("update holdfast_event set crashes = 1");
    ClaimedEvent claim = claim();
    Requeue back = new Requeue(claim.id(), claim.version(), null, null, false, null);
    step(connection -> store.putBack(connection, 0, List.of(back)));
    uncount(claim);
    assertThat(found(id).crashes()).isEqualTo(1);
  }

  private void giveBack(ClaimedEvent claim) throws Exception {
    Requeue back = new Requeue(claim.id(), claim.version(), null, null, false, null);
    assertThat(step(connection -> store.putBack(connection, 0, List.of(back)).size()).intValue())
        .isEqualTo(1);
  }

  @Test
  void crashLimitOneFailsRequeuedEventLater() throws Exception {
    EventId id = schedule(TEXT.event("a"));
    ClaimedEvent first = claim();
    step(connection -> store.begin(connection, 0, first.id(), first.version()));
    rescue();
    giveBack(claim());
    claim();
    rescue();
    AtomicInteger calls = new AtomicInteger();
    start(
        worker -> worker.maxCrashes(1).handle(TEXT, (payload, context) -> calls.incrementAndGet()));
    await(() -> found(id) + " must end", () -> found(id).status().isEnded());
    assertThat(calls).hasValue(0);
    assertThat(found(id).status()).isEqualTo(EventStatus.FAILED);
  }

  @Test
  void crashLimitOneIgnoresRequeue() throws Exception {
    EventId id = schedule(TEXT.event("a"));
    claim();
    rescue();
    ClaimedEvent begun = claim();
    step(connection -> store.begin(connection, 0, begun.id(), begun.version()));
    giveBack(begun);
    start(worker -> worker.maxCrashes(1).handle(TEXT, (payload, context) -> {}));
    await(() -> found(id) + " must end", () -> found(id).status().isEnded());
    assertThat(found(id).status()).isEqualTo(EventStatus.COMPLETED);
  }

  @Test
  void crashLimitOneIgnoresUndoneCrash() throws Exception {
    EventId id = schedule(TEXT.event("a"));
    ClaimedEvent lost = claim();
    step(connection -> store.begin(connection, 0, lost.id(), lost.version()));
    rescue();
    uncount(lost);
    claim();
    rescue();
    start(worker -> worker.maxCrashes(1).handle(TEXT, (payload, context) -> {}));
    await(() -> found(id) + " must end", () -> found(id).status().isEnded());
    assertThat(found(id).status()).isEqualTo(EventStatus.COMPLETED);
  }

  /** Leaves all events as an instance leaves them that has stopped while it handled them. */
  private void crash(String where, int crashesBefore) {
    schema.execute(
        "insert into holdfast_instance (id, name, started_at, expires_at, stopped) values (999,"
            + " 'dead', timestamp '2020-01-01 00:00:00', timestamp '2020-01-01 00:00:00', false)",
        "update holdfast_event set status = 1, version = 2, begun = 2, attempts = 1, owner = 999,"
            + " crashes = "
            + crashesBefore
            + " where "
            + where);
  }

  private void expires(String time) {
    schema.execute(
        "update holdfast_instance set expires_at = timestamp '" + time + "' where id = 999");
  }

  @Test
  void crashFailureNamesLimit() {
    EventId id = schedule(TEXT.event("a"));
    crash("1 = 1", 2);
    start(worker -> worker.handle(TEXT, (payload, context) -> {}));
    assertThat(awaitStatus(id, EventStatus.FAILED).error())
        .isEqualTo("3 of 3 crashes: the instance stopped while handling it");
  }

  @Test
  void aTypeHasItsOwnCrashLimitOrNone() {
    EventId ordinary = schedule(TEXT.event("a"));
    EventId limited = schedule(LIMITED.event("a"));
    EventId unlimited = schedule(UNLIMITED.event("a"));
    crash("1 = 1", 3);
    start(
        worker ->
            worker
                .maxCrashes(10)
                .handle(TEXT, (payload, context) -> {})
                .handle(EventHandler.of(LIMITED, (payload, context) -> {}).maxCrashes(4))
                .handle(EventHandler.of(UNLIMITED, (payload, context) -> {}).unlimitedCrashes()));
    assertThat(awaitStatus(limited, EventStatus.FAILED).error()).contains("4 of 4 crashes");
    awaitStatus(ordinary, EventStatus.COMPLETED);
    awaitStatus(unlimited, EventStatus.COMPLETED);
  }

  @Test
  void crashesUseNoAttemptsWithoutLimit() {
    EventId id = schedule(UNLIMITED.event("a"));
    crash("1 = 1", 50);
    // as it is where it is not noted that it was begun
    schema.execute("update holdfast_event set begun = null, attempts = 2");
    AtomicInteger begun = new AtomicInteger();
    start(
        worker ->
            worker.handle(
                EventHandler.of(
                        UNLIMITED,
                        (payload, context) ->
                            begun.set(
                                (int)
                                    schema.count(
                                        "select count(*) from holdfast_event where begun is not"
                                            + " null")))
                    .retry(RetryPolicy.standard().attempts(2))
                    .unlimitedCrashes()));
    assertThat(awaitStatus(id, EventStatus.COMPLETED).attempts()).isEqualTo(2);
    assertThat(begun).hasValue(0);
  }

  @Test
  void successClearsEarlierError() {
    EventId id = schedule(TEXT.event("a"));
    start(
        worker ->
            worker.handle(
                EventHandler.of(
                        TEXT,
                        (payload, context) -> {
                          if (context.attempt() == 1) {
                            throw new IllegalStateException("not yet");
                          }
                          assertThat(found(context.id()).error()).contains("not yet");
                        })
                    .retry(RetryPolicy.standard().backoff(Duration.ZERO, Duration.ZERO))));
    assertThat(awaitStatus(id, EventStatus.COMPLETED).error()).isNull();
  }

  @Test
  void recoveredEventsPrecedeBacklog() throws Exception {
    EventId first = schedule(TEXT.event("first"));
    crash("1 = 1", 0);
    expires("2037-01-01 00:00:00");
    int backlog = 3000;
    events.scheduleAll(IntStream.range(0, backlog).mapToObj(i -> TEXT.event("" + i)).toList());
    AtomicInteger handled = new AtomicInteger();
    AtomicInteger handledBeforeFirst = new AtomicInteger(-1);
    CountDownLatch some = new CountDownLatch(100);
    start(
        worker ->
            worker
                .leaseDuration(Duration.ofSeconds(3))
                .queue("default", 2)
                .handle(
                    TEXT,
                    (payload, context) -> {
                      if (payload.equals("first")) {
                        handledBeforeFirst.set(handled.get());
                      }
                      handled.incrementAndGet();
                      some.countDown();
                      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
                    }));
    await(some);
    expires("2020-01-01 00:00:00");
    awaitStatus(first, EventStatus.COMPLETED);
    assertThat(handledBeforeFirst.get()).isBetween(0, backlog - 100);
  }

  @Test
  void recoversWithinAFewHeartbeats() {
    EventId id = schedule(TEXT.event("a"));
    crash("1 = 1", 0);
    expires("2037-01-01 00:00:00");
    AtomicInteger heartbeats = new AtomicInteger();
    DataSource watched =
        InterceptingDataSource.of(
            schema.dataSource(),
            (connection, sql) -> {
              if (sql.startsWith("UPDATE holdfast_instance SET expires_at")) {
                heartbeats.incrementAndGet();
              }
            });
    start(
        Holdfast.create(watched),
        worker ->
            worker.leaseDuration(Duration.ofSeconds(3)).handle(TEXT, (payload, context) -> {}));
    await(() -> "it must be at work", () -> heartbeats.get() > 2);
    assertThat(found(id).status()).isEqualTo(EventStatus.PROCESSING);
    expires("2020-01-01 00:00:00");
    int before = heartbeats.get();
    awaitStatus(id, EventStatus.COMPLETED);
    // it looks once for each; where this instance had a gap itself, it waits for five more
    assertThat(heartbeats.get() - before).isLessThanOrEqualTo(10);
  }
}
