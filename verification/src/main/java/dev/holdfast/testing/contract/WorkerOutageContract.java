package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.event.EventContext;
import dev.holdfast.event.EventHandler;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventRecord;
import dev.holdfast.event.EventStatus;
import dev.holdfast.event.EventType;
import dev.holdfast.event.Outcome;
import dev.holdfast.event.PayloadCodec;
import dev.holdfast.event.Worker;
import dev.holdfast.testing.InterceptingDataSource;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.transaction.DatabaseException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** Workers that cannot reach their database for longer than their lease, and then can again. */
public abstract class WorkerOutageContract extends EventContract {
  private static final Duration LEASE = Duration.ofSeconds(2);

  protected WorkerOutageContract(TestDatabase database) {
    super(database);
  }

  /** The database as some instances see it: they reach it, or not. */
  private final class Network {
    private final AtomicBoolean down = new AtomicBoolean();
    private final AtomicBoolean storing = new AtomicBoolean(true);
    private final AtomicInteger renewals = new AtomicInteger();
    private final DataSource source =
        InterceptingDataSource.of(schema.dataSource(8), (connection, sql) -> see(sql));
    private final Holdfast holdfast = Holdfast.create(source);

    private void see(String sql) throws SQLException {
      boolean stores = sql.contains("INTO holdfast_event_history");
      if (down.get() || (stores && !storing.get())) {
        throw FaultyDataSource.connectionLost();
      }
      if (sql.startsWith("UPDATE holdfast_instance SET expires_at")) {
        renewals.incrementAndGet();
      }
    }

    Worker start(UnaryOperator<Worker.Builder> handlers) {
      return WorkerOutageContract.this.start(
          holdfast, worker -> handlers.apply(worker.leaseDuration(LEASE)));
    }

    void down(Worker... cutOff) {
      down.set(true);
      for (Worker worker : cutOff) {
        await(() -> "the lease must run out", () -> !worker.health().isWorking());
      }
    }

    void up(Worker... back) {
      down.set(false);
      for (Worker worker : back) {
        await(() -> "it must come back", () -> worker.health().isWorking());
      }
    }
  }

  private void awaitExpired() {
    await(
        () -> "all leases must have run out in the database",
        () -> holdfast.stats().instances().stream().noneMatch(instance -> instance.isAlive()));
  }

  @Test
  void storesOutcomesAfterOutage() throws Exception {
    assertResultsAreStored(false);
  }

  /** It has no heartbeat from before the outage, so it sees no gap between two of them. */
  @Test
  void newInstanceDoesNotRecoverDuringOutage() throws Exception {
    assertResultsAreStored(true);
  }

  private void assertResultsAreStored(boolean secondStartsDuringOutage) throws Exception {
    int count = 40;
    Network network = new Network();
    CountDownLatch begun = new CountDownLatch(count);
    CountDownLatch go = new CountDownLatch(1);
    Queue<String> calls = new ConcurrentLinkedQueue<>();
    UnaryOperator<Worker.Builder> handler =
        worker ->
            worker
                // so that storing late is far from what is too late
                .leaseDuration(LEASE.multipliedBy(4))
                .queue("default", count)
                .handle(
                    TEXT,
                    (payload, context) -> {
                      calls.add(payload);
                      begun.countDown();
                      awaitIgnoringInterrupts(go);
                    });
    List<EventId> ids =
        IntStream.range(0, count).mapToObj(i -> schedule(TEXT.event("" + i))).toList();
    Worker one = network.start(handler);
    Worker two = null;
    if (!secondStartsDuringOutage) {
      two = network.start(handler);
    }
    await(begun);
    network.down(one);
    if (two == null) {
      two = network.start(handler);
    }
    go.countDown();
    awaitExpired();
    network.storing.set(false);
    network.up(one, two);
    int before = network.renewals.get();
    await(() -> "some heartbeats", () -> network.renewals.get() >= before + 4);
    network.storing.set(true);
    for (EventId id : ids) {
      EventRecord ended = awaitStatus(id, EventStatus.COMPLETED);
      assertThat(ended.crashes()).isZero();
      assertThat(ended.attempts()).isEqualTo(1);
    }
    assertThat(calls).doesNotHaveDuplicates().hasSize(count);
  }

  private static void awaitIgnoringInterrupts(CountDownLatch latch) {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (latch.getCount() > 0 && System.nanoTime() - end < 0) {
      boolean unused = Thread.interrupted();
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
  }

  @Test
  void requeuesClaimedEventsAfterOutage() throws Exception {
    Network network = new Network();
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    List<EventId> ids = IntStream.range(0, 20).mapToObj(i -> schedule(TEXT.event("" + i))).toList();
    Worker worker =
        network.start(
            builder ->
                builder
                    .queue("default", 1)
                    .handle(
                        TEXT,
                        (payload, context) -> {
                          begun.countDown();
                          awaitIgnoringInterrupts(go);
                        }));
    await(begun);
    network.down(worker);
    go.countDown();
    awaitExpired();
    network.up(worker);
    for (EventId id : ids) {
      EventRecord ended = awaitStatus(id, EventStatus.COMPLETED);
      assertThat(ended.crashes()).isZero();
      assertThat(ended.attempts()).isEqualTo(1);
    }
  }

  @Test
  void recoveredEventCountsNoCrashAfterReturn() throws Exception {
    Network network = new Network();
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    EventId id = schedule(TEXT.event("a"));
    Worker cutOff =
        network.start(
            worker ->
                worker.handle(
                    TEXT,
                    (payload, context) -> {
                      begun.countDown();
                      awaitIgnoringInterrupts(go);
                    }));
    await(begun);
    network.down(cutOff);
    CountDownLatch begunAgain = new CountDownLatch(1);
    CountDownLatch checked = new CountDownLatch(1);
    start(
        worker ->
            worker
                .leaseDuration(LEASE)
                .handle(
                    TEXT,
                    (payload, context) -> {
                      begunAgain.countDown();
                      await(checked);
                    }));
    await(begunAgain);
    assertThat(found(id).crashes()).isEqualTo(1);
    go.countDown();
    network.up(cutOff);
    await(() -> found(id) + " must have no crash", () -> found(id).crashes() == 0);
    checked.countDown();
    awaitStatus(id, EventStatus.COMPLETED);
  }

  @Test
  void waitForConnectionDoesNotLoseLease() throws Exception {
    Duration lease = Duration.ofSeconds(3);
    AtomicBoolean armed = new AtomicBoolean();
    AtomicBoolean waited = new AtomicBoolean();
    AtomicInteger renewals = new AtomicInteger();
    FaultyDataSource faulty =
        new FaultyDataSource(slowToConnect(schema.dataSource(8), armed, waited, lease))
            .onPrepare(
                sql -> sql.startsWith("UPDATE holdfast_instance SET expires_at"),
                connection -> {
                  if (armed.get()) {
                    throw FaultyDataSource.connectionLost();
                  }
                  renewals.incrementAndGet();
                });
    AtomicInteger cancelled = new AtomicInteger();
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    Worker worker =
        start(
            Holdfast.create(faulty.dataSource()),
            builder ->
                builder
                    .leaseDuration(lease)
                    .handle(
                        TEXT,
                        (payload, context) -> {
                          begun.countDown();
                          try {
                            end.await();
                          } catch (InterruptedException e) {
                            cancelled.incrementAndGet();
                            throw e;
                          }
                        }));
    schedule(TEXT.event("a"));
    await(begun);
    armed.set(true);
    await(() -> "the heartbeat must have waited for a connection", waited::get);
    await(() -> "it must come back", () -> worker.health().isWorking());
    int before = renewals.get();
    await(() -> "the new lease must be renewed", () -> renewals.get() >= before + 4);
    assertThat(schema.count("select count(*) from holdfast_instance")).isEqualTo(2);
    assertThat(cancelled).hasValue(1);
    end.countDown();
  }

  /** Lets the thread of the heartbeat wait once for longer than a lease. */
  private static DataSource slowToConnect(
      DataSource real, AtomicBoolean armed, AtomicBoolean waited, Duration lease) {
    return JdbcProxy.of(
        DataSource.class,
        (proxy, method, arguments) -> {
          if (method.getName().equals("getConnection")
              && armed.get()
              && Thread.currentThread().getName().startsWith("holdfast-heart")) {
            LockSupport.parkNanos(lease.toNanos() * 3 / 2);
            armed.set(false);
            waited.set(true);
          }
          return JdbcProxy.pass(method, real, arguments);
        });
  }

  /** A payload that takes its time to be read. */
  private record Slow(String text) {}

  @Test
  void startsNoHandlerAfterLeaseExpired() throws Exception {
    Network network = new Network();
    CountDownLatch reading = new CountDownLatch(4);
    CountDownLatch go = new CountDownLatch(1);
    PayloadCodec codec =
        new PayloadCodec() {
          @Override
          public String write(Object payload) {
            return ((Slow) payload).text();
          }

          @Override
          public <P> P read(String text, Class<P> type) {
            reading.countDown();
            awaitIgnoringInterrupts(go);
            return type.cast(new Slow(text));
          }
        };
    EventType<Slow> single = EventType.of("single", Slow.class, codec);
    EventType<Slow> safe = EventType.of("safe", Slow.class, codec);
    EventType<Slow> many = EventType.of("many", Slow.class, codec);
    EventType<Slow> later = EventType.of("later", Slow.class, codec);
    List<EventId> ids =
        Stream.of(single, safe, many, later)
            .map(type -> schedule(type.event(new Slow(type.name()))))
            .toList();
    Queue<String> calls = new ConcurrentLinkedQueue<>();
    Worker worker =
        network.start(
            builder ->
                builder
                    .handle(single, (payload, context) -> note(calls, context))
                    .handle(
                        EventHandler.transactional(
                            safe, (payload, tx, context) -> note(calls, context)))
                    .handle(
                        EventHandler.batch(many, 1, items -> note(calls, items.get(0).context())))
                    .handle(
                        EventHandler.async(
                            later,
                            (payload, context) -> {
                              note(calls, context);
                              return CompletableFuture.completedFuture(Outcome.complete());
                            })));
    await(reading);
    network.down(worker);
    go.countDown();
    awaitExpired();
    network.up(worker);
    ids.forEach(id -> awaitStatus(id, EventStatus.COMPLETED));
    assertThat(calls)
        .containsExactlyInAnyOrder("single true", "safe true", "many true", "later true");
  }

  /** Leaves all events as an instance leaves them that is cut off while it handles them. */
  private void ownedByAnother(String expires) {
    schema.execute(
        "insert into holdfast_instance (id, name, started_at, expires_at, stopped) values (999,"
            + " 'another', timestamp '2020-01-01 00:00:00', timestamp '"
            + expires
            + "', false)",
        "update holdfast_event set status = 1, version = 2, attempts = 1, owner = 999");
  }

  @Test
  void delayedRecoveryRecoversNothing() {
    EventId id = schedule(TEXT.event("a"));
    ownedByAnother("2037-01-01 00:00:00");
    AtomicInteger renewals = new AtomicInteger();
    AtomicBoolean looks = new AtomicBoolean();
    CountDownLatch heartIsFrozen = new CountDownLatch(1);
    CountDownLatch lookIsFrozen = new CountDownLatch(1);
    AtomicBoolean frozen = new AtomicBoolean();
    DataSource source =
        InterceptingDataSource.of(
            schema.dataSource(8),
            (connection, sql) -> {
              if (sql.startsWith("UPDATE holdfast_instance SET expires_at")) {
                renewals.incrementAndGet();
                if (frozen.get()) {
                  awaitIgnoringInterrupts(heartIsFrozen);
                }
              }
              if (frozen.get()
                  && sql.startsWith("SELECT id FROM holdfast_instance WHERE expires")) {
                looks.set(true);
                awaitIgnoringInterrupts(lookIsFrozen);
              }
            });
    Worker worker =
        start(
            Holdfast.create(source),
            builder -> builder.leaseDuration(LEASE).handle(TEXT, (payload, context) -> {}));
    await(() -> "it must be at work", () -> renewals.get() > 2);
    frozen.set(true);
    await(() -> "it must look for dead instances", looks::get);
    await(() -> "its lease must run out", () -> !worker.health().isWorking());
    schema.execute(
        "update holdfast_instance set expires_at = timestamp '2020-01-01 00:00:00' where id = 999");
    lookIsFrozen.countDown();
    LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1));
    assertThat(found(id).status())
        .as("whatever has stopped its heartbeats may have stopped those of the other")
        .isEqualTo(EventStatus.PROCESSING);
    heartIsFrozen.countDown();
    awaitStatus(id, EventStatus.COMPLETED);
  }

  @Test
  void recoversWithSlowHeartbeats() {
    Duration lease = Duration.ofSeconds(4);
    EventId id = schedule(TEXT.event("a"));
    ownedByAnother("2037-01-01 00:00:00");
    AtomicInteger renewals = new AtomicInteger();
    DataSource source =
        InterceptingDataSource.of(
            schema.dataSource(8),
            (connection, sql) -> {
              if (sql.startsWith("UPDATE holdfast_instance SET expires_at")) {
                // with the pause between two heartbeats more than half of a lease
                LockSupport.parkNanos(lease.toNanos() * 2 / 5);
                renewals.incrementAndGet();
              }
            });
    start(
        Holdfast.create(source),
        builder -> builder.leaseDuration(lease).handle(TEXT, (payload, context) -> {}));
    await(() -> "it must be at work", () -> renewals.get() > 2);
    schema.execute(
        "update holdfast_instance set expires_at = timestamp '2020-01-01 00:00:00' where id = 999");
    awaitStatus(id, EventStatus.COMPLETED);
  }

  private static void note(Queue<String> calls, EventContext context) {
    calls.add(context.type() + " " + context.isOwned());
  }

  @Test
  void failedStepRestoresConnection() {
    Queue<Boolean> autocommit = new ConcurrentLinkedQueue<>();
    FaultyDataSource faulty =
        new FaultyDataSource(withoutAutocommit(schema.unpooled(), autocommit))
            .onPrepare(
                sql -> sql.contains("holdfast_instance"),
                connection -> {
                  throw FaultyDataSource.connectionLost();
                });
    Holdfast failing = Holdfast.create(faulty.dataSource());
    autocommit.clear();
    assertThatThrownBy(failing.stats()::instances).isInstanceOf(DatabaseException.class);
    assertThat(autocommit).containsExactly(false);
  }

  private static DataSource withoutAutocommit(DataSource real, Queue<Boolean> atClose) {
    return JdbcProxy.of(
        DataSource.class,
        (proxy, method, arguments) -> {
          Object answer = JdbcProxy.pass(method, real, arguments);
          return answer instanceof Connection connection ? noting(connection, atClose) : answer;
        });
  }

  private static Connection noting(Connection real, Queue<Boolean> atClose) throws SQLException {
    real.setAutoCommit(false);
    return JdbcProxy.of(
        Connection.class,
        (proxy, method, arguments) -> {
          if (method.getName().equals("close")) {
            atClose.add(real.getAutoCommit());
          }
          return JdbcProxy.pass(method, real, arguments);
        });
  }
}
