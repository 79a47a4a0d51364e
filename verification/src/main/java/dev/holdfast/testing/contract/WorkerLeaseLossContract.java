package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.event.EventHandler;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventRecord;
import dev.holdfast.event.EventStatus;
import dev.holdfast.event.RetryPolicy;
import dev.holdfast.event.Worker;
import dev.holdfast.testing.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A worker that loses its connection at the moment when what it asked for has happened. */
public abstract class WorkerLeaseLossContract extends EventContract {
  /** So long that nothing in these tests waits for it. */
  private static final Duration LEASE = Duration.ofHours(1);

  private static final RetryPolicy AT_ONCE =
      RetryPolicy.standard().backoff(Duration.ZERO, Duration.ZERO);

  protected WorkerLeaseLossContract(TestDatabase database) {
    super(database);
  }

  private static boolean claims(String sql) {
    return sql.contains("claimed_at = ");
  }

  private static boolean ends(String sql) {
    return sql.contains("INSERT INTO holdfast_event_history");
  }

  private static boolean effects(String sql) {
    return sql.contains("into effect");
  }

  private static FaultyDataSource.Fault once(AtomicBoolean struck) {
    return connection -> {
      if (struck.compareAndSet(false, true)) {
        throw FaultyDataSource.connectionLost();
      }
    };
  }

  @Test
  void requeuesAfterLostClaimResponse() {
    List<EventId> ids =
        IntStream.range(0, 5)
            .mapToObj(i -> schedule(TEXT.event("" + i).orderingKey("o" + i % 4)))
            .toList();
    AtomicBoolean struck = new AtomicBoolean();
    AtomicInteger calls = new AtomicInteger();
    FaultyDataSource faulty =
        new FaultyDataSource(schema.dataSource())
            .afterEffect(WorkerLeaseLossContract::claims, once(struck));
    Worker worker =
        start(
            Holdfast.create(faulty.dataSource()),
            builder ->
                builder
                    .leaseDuration(LEASE)
                    .handle(TEXT, (payload, context) -> calls.incrementAndGet()));
    for (EventId id : ids) {
      EventRecord ended = awaitStatus(id, EventStatus.COMPLETED);
      assertThat(ended.attempts()).isEqualTo(1);
      assertThat(ended.crashes()).isZero();
    }
    assertThat(struck).isTrue();
    assertThat(found(ids.get(0)).version()).as("claimed, given back, claimed").isEqualTo(4);
    assertThat(calls).hasValue(5);
    await(() -> "nothing must be left in hands", () -> worker.inFlight() == 0);
  }

  @Test
  void requeuesAClaimThatTakesEffectLate() {
    AtomicBoolean struck = new AtomicBoolean();
    FaultyDataSource faulty =
        new FaultyDataSource(schema.dataSource())
            .onPrepare(WorkerLeaseLossContract::claims, once(struck));
    EventId other = schedule(TEXT.event("b"));
    start(
        Holdfast.create(faulty.dataSource()),
        builder -> builder.leaseDuration(LEASE).handle(TEXT, (payload, context) -> {}));
    awaitStatus(other, EventStatus.COMPLETED);
    assertThat(struck).as("a claim has failed").isTrue();
    // not due, so that no other claim finds it; what the failed one does late is done here
    EventId id = schedule(TEXT.event("a").delay(Duration.ofHours(1)));
    schema.execute(
        "update holdfast_event set status = 1, version = version + 1, attempts = 1, claimed_at ="
            + " due_at, owner = (select min(id) from holdfast_instance) where id = "
            + id.id());
    awaitStatus(id, EventStatus.PENDING);
  }

  @Test
  void unknownCommitTakesEffectOnce() {
    FaultyDataSource faulty = new FaultyDataSource(schema.dataSource());
    EventRecord ended =
        endedWithOneEffect(
            faulty, struck -> faulty.afterEffect(WorkerLeaseLossContract::effects, once(struck)));
    assertThat(ended.attempts()).isEqualTo(1);
    assertThat(ended.version()).isEqualTo(2);
  }

  @Test
  void lostCommitTakesEffectOnceAfterRetry() {
    FaultyDataSource faulty = new FaultyDataSource(schema.dataSource());
    AtomicBoolean armed = new AtomicBoolean();
    faulty.onPrepare(WorkerLeaseLossContract::effects, connection -> armed.set(true));
    EventRecord ended =
        endedWithOneEffect(
            faulty,
            struck ->
                faulty.beforeCommit(
                    connection -> {
                      if (armed.get() && holds(connection) && struck.compareAndSet(false, true)) {
                        throw FaultyDataSource.connectionLost();
                      }
                    }));
    assertThat(ended.attempts()).isEqualTo(2);
    assertThat(ended.version()).isEqualTo(4);
  }

  /** Whether this transaction has the effect. */
  private static boolean holds(java.sql.Connection connection) throws java.sql.SQLException {
    return !Sql.ask(connection, "select count(*) from effect").equals("0");
  }

  private interface Breaking {
    void arm(AtomicBoolean struck);
  }

  private EventRecord endedWithOneEffect(FaultyDataSource faulty, Breaking breaking) {
    schema.execute("create table effect (attempt integer)");
    EventId id = schedule(TEXT.event("a"));
    AtomicBoolean struck = new AtomicBoolean();
    breaking.arm(struck);
    Worker worker =
        start(
            Holdfast.create(faulty.dataSource()),
            builder ->
                builder
                    .leaseDuration(LEASE)
                    .handle(
                        EventHandler.transactional(
                                TEXT,
                                (payload, tx, context) -> {
                                  try (var insert =
                                      tx.connection()
                                          .prepareStatement("insert into effect values (?)")) {
                                    insert.setInt(1, context.attempt());
                                    insert.executeUpdate();
                                  }
                                })
                            .retry(AT_ONCE)));
    EventRecord ended = awaitStatus(id, EventStatus.COMPLETED);
    await(() -> "nothing must be left in hands", () -> worker.inFlight() == 0);
    assertThat(struck).isTrue();
    assertThat(schema.count("select count(*) from effect")).isEqualTo(1);
    assertThat(schema.count("select count(*) from holdfast_event_history")).isEqualTo(1);
    return ended;
  }

  @Test
  void lostCompletionResponseLogsNoLostLease() {
    for (boolean immediate : new boolean[] {false, true}) {
      AtomicBoolean struck = new AtomicBoolean();
      AtomicInteger calls = new AtomicInteger();
      EventHandler<String> counting =
          EventHandler.of(TEXT, (payload, context) -> calls.incrementAndGet());
      FaultyDataSource faulty =
          new FaultyDataSource(schema.dataSource())
              .afterEffect(WorkerLeaseLossContract::ends, once(struck));
      EventId id = schedule(TEXT.event("a"));
      String log =
          logOf(
              () -> {
                Worker worker =
                    start(
                        Holdfast.create(faulty.dataSource()),
                        builder ->
                            builder
                                .leaseDuration(LEASE)
                                .handle(immediate ? counting.completeImmediately() : counting));
                awaitStatus(id, EventStatus.COMPLETED);
                await(() -> "nothing must be left in hands", () -> worker.inFlight() == 0);
                worker.stop(LIMIT);
              });
      assertThat(struck).isTrue();
      assertThat(calls).hasValue(1);
      assertThat(found(id).attempts()).isEqualTo(1);
      assertThat(found(id).version()).isEqualTo(2);
      assertThat(log)
          .as("immediate: %s", immediate)
          .doesNotContain("rejected")
          // that is advice for those who commit themselves
          .doesNotContain("find out by reading");
    }
    assertThat(schema.count("select count(*) from holdfast_event_history")).isEqualTo(2);
  }
}
