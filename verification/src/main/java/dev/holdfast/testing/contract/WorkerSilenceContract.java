package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.Holdfast;
import dev.holdfast.event.EventHandler;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventStatus;
import dev.holdfast.event.EventType;
import dev.holdfast.event.Worker;
import dev.holdfast.testing.InterceptingDataSource;
import dev.holdfast.testing.TcpProxy;
import dev.holdfast.testing.TestDatabase;
import java.sql.Connection;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A worker whose database does not answer: its packets are dropped, or it is gone or suspended. */
public abstract class WorkerSilenceContract extends EventContract {
  private static final EventType<String> SAFE = EventType.of("safe", String.class);
  private static final Duration LEASE = Duration.ofSeconds(2);

  /** Far more than the limit of 2 s and its grace, and far less than without a limit. */
  private static final Duration STOPPED = Duration.ofSeconds(20);

  private static final Duration LONGER_THAN_THE_LIMIT = Duration.ofSeconds(6);

  private TcpProxy proxy;
  private HikariDataSource pool;

  @SuppressWarnings("NullAway.Init")
  protected WorkerSilenceContract(TestDatabase database) {
    super(database);
  }

  /** Without socketTimeout, and with the connectionTimeout of 30 s that a pool has by default. */
  @BeforeEach
  void openPool() {
    proxy = TcpProxy.before(schema.url());
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(proxy.url());
    config.setUsername(schema.user());
    config.setPassword(schema.password());
    config.setMaximumPoolSize(6);
    config.setValidationTimeout(1000);
    pool = new HikariDataSource(config);
  }

  @AfterEach
  void closePool() {
    proxy.close();
    pool.close();
  }

  private Worker startBehindProxy(UnaryOperator<Worker.Builder> handlers) {
    return start(Holdfast.create(pool), worker -> handlers.apply(worker.leaseDuration(LEASE)));
  }

  /** The lease is over before the limit, so it is the loss that cancels the handler. */
  @Test
  void lostLeaseDoesNotStopWorker() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    schedule(TEXT.event("held"));
    Worker worker =
        startBehindProxy(
            builder ->
                builder.handle(
                    TEXT,
                    (payload, context) -> {
                      begun.countDown();
                      await(new CountDownLatch(1));
                    }));
    await(begun);
    AtomicInteger complete = new AtomicInteger(-1);
    Thread stopping = new Thread(() -> complete.set(worker.stop(LIMIT) ? 1 : 0), "stopping");
    stopping.setDaemon(true);
    stopping.start();
    await(() -> "the stop has begun", () -> stopping.getState() == Thread.State.TIMED_WAITING);
    proxy.freeze();
    await(() -> "the lease has ended locally", () -> !worker.health().isWorking());
    // the database ends it a little later; until then the renewal that is held back would succeed
    awaitNanos(LEASE.toNanos());
    proxy.letGo();
    await(() -> "the stop ends with the lost lease", () -> complete.get() >= 0);
    assertThat(complete).hasValue(0);
  }

  private static void awaitNanos(long nanos) {
    long end = System.nanoTime() + nanos;
    await(() -> "the lease has ended in the database", () -> System.nanoTime() - end > 0);
  }

  @Test
  void recoversFromSilentConnections() {
    Worker worker = startBehindProxy(builder -> builder.handle(TEXT, (payload, context) -> {}));
    awaitStatus(schedule(TEXT.event("before")), EventStatus.COMPLETED);

    proxy.hold();

    awaitStatus(schedule(TEXT.event("after")), EventStatus.COMPLETED);
    assertComesBack(worker);
  }

  /** The server does not notice, so that it would keep the locks of an open transaction. */
  @Test
  void recoversFromDisconnectInHeartbeat() {
    proxy.holdAfter("UPDATE holdfast_instance SET expires_at");
    Worker worker = startBehindProxy(builder -> builder.handle(TEXT, (payload, context) -> {}));
    await(() -> "it must be cut off", proxy::isHolding);
    awaitNanos(2 * LEASE.toNanos());

    assertComesBack(worker);
    awaitStatus(schedule(TEXT.event("after")), EventStatus.COMPLETED);
  }

  /** So a silent connection keeps no queue idle for longer than a lease and five seconds. */
  @Test
  void networkTimeoutIsBoundedByLease() {
    Map<String, Integer> longest = new ConcurrentHashMap<>();
    DataSource watched =
        InterceptingDataSource.of(
            schema.dataSource(8),
            (connection, sql) -> {
              int limit = connection.getNetworkTimeout();
              longest.merge(
                  Thread.currentThread().getName(),
                  limit == 0 ? Integer.MAX_VALUE : limit,
                  Math::max);
            });
    start(
        Holdfast.create(watched),
        worker -> worker.leaseDuration(LEASE).handle(TEXT, (payload, context) -> {}));
    awaitStatus(schedule(TEXT.event("a")), EventStatus.COMPLETED);
    assertThat(longest).containsKeys("holdfast-heart-0", "holdfast-claim-default-0");
    // these fire and delete in the background, or listen, so that no event waits for them
    Map<String, Integer> others = new HashMap<>(longest);
    others
        .keySet()
        .removeIf(
            name ->
                name.matches(
                    "main|holdfast-(history|listen)-.*|holdfast-schedules"
                        + "|holdfast-idempotency-cleaner"));
    assertThat(others.values())
        .as(others.toString())
        .allMatch(millis -> millis < LEASE.plusSeconds(5).toMillis());
  }

  @Test
  void reportsOverdueHeartbeat() {
    Worker worker = startBehindProxy(builder -> builder.handle(TEXT, (payload, context) -> {}));
    awaitStatus(schedule(TEXT.event("before")), EventStatus.COMPLETED);

    proxy.freeze();
    await(
        () -> "its health must tell, is " + worker.health(),
        () ->
            worker.health().issues().stream()
                .anyMatch(one -> one.message().contains("last heartbeat")));

    proxy.letGo();
    assertComesBack(worker);
    awaitStatus(schedule(TEXT.event("after")), EventStatus.COMPLETED);
  }

  private void assertComesBack(Worker worker) {
    await(() -> "it must come back, is " + worker.health(), () -> worker.health().isWorking());
    await(
        () -> "it must have no trouble any more, has " + worker.health(),
        () -> worker.health().issues().isEmpty());
  }

  @Test
  void silentListenerIsNotListening() {
    Worker worker = startBehindProxy(builder -> builder.handle(TEXT, (payload, context) -> {}));
    awaitStatus(schedule(TEXT.event("before")), EventStatus.COMPLETED);
    if (database().name().equals("PostgreSQL")) {
      await(
          () -> "it must listen, is " + worker.health(),
          () -> worker.health().details().containsValue("listening"));
    }

    proxy.freeze();

    await(
        () -> "it must not listen, is " + worker.health(),
        () -> worker.health().details().containsValue("polling"));
  }

  @Test
  void stopsInTimeWhenItsConnectionsGoSilent() throws Exception {
    assertStopsInTime(TcpProxy::hold);
  }

  @Test
  void stopsInTimeWhenTheDatabaseIsFrozen() throws Exception {
    assertStopsInTime(TcpProxy::freeze);
  }

  @Test
  void stopsInTimeWhenTheDatabaseIsGone() throws Exception {
    assertStopsInTime(TcpProxy::close);
  }

  /** Stops it while the result of one event cannot be stored, and another is being handled. */
  private void assertStopsInTime(Consumer<TcpProxy> fault) throws Exception {
    CountDownLatch begun = new CountDownLatch(2);
    CountDownLatch go = new CountDownLatch(1);
    EventId stored = schedule(TEXT.event("stored"));
    EventId held = schedule(TEXT.event("held"));
    Worker worker =
        startBehindProxy(
            builder ->
                builder
                    .leaseDuration(LONGER_THAN_THE_LIMIT)
                    .handle(
                        TEXT,
                        (payload, context) -> {
                          begun.countDown();
                          await(payload.equals("held") ? new CountDownLatch(1) : go);
                        }));
    await(begun);
    fault.accept(proxy);
    go.countDown();
    AtomicInteger complete = new AtomicInteger(-1);
    Thread stopping =
        new Thread(() -> complete.set(worker.stop(Duration.ofSeconds(2)) ? 1 : 0), "stopping");
    stopping.setDaemon(true);
    stopping.start();
    stopping.join(STOPPED.toMillis());
    assertThat(complete).as("stopped in time").hasValue(0);
    assertThat(worker.health().isWorking()).isFalse();

    // others recover both
    start(builder -> builder.leaseDuration(LEASE).handle(TEXT, (payload, context) -> {}));
    awaitStatus(stored, EventStatus.COMPLETED);
    awaitStatus(held, EventStatus.COMPLETED);
  }

  @Test
  void returnsConnectionsWithoutNetworkTimeout() throws Exception {
    Queue<Integer> atClose = new ConcurrentLinkedQueue<>();
    Queue<Integer> inHandler = new ConcurrentLinkedQueue<>();
    Duration timeout = Duration.ofMinutes(3);
    Worker worker =
        start(
            Holdfast.create(noting(schema.unpooled(), atClose)),
            builder ->
                builder
                    .leaseDuration(LEASE)
                    .handle(TEXT, (payload, context) -> {})
                    .handle(
                        EventHandler.transactional(
                                SAFE,
                                (payload, tx, context) ->
                                    inHandler.add(tx.connection().getNetworkTimeout()))
                            .timeout(timeout)));
    awaitStatus(schedule(TEXT.event("a")), EventStatus.COMPLETED);
    awaitStatus(schedule(SAFE.event("b")), EventStatus.COMPLETED);
    worker.stop(LIMIT);
    assertThat(atClose).isNotEmpty().containsOnly(0);
    assertThat(inHandler).hasSize(1).allMatch(millis -> millis >= timeout.toMillis());
  }

  private static DataSource noting(DataSource real, Queue<Integer> atClose) {
    return JdbcProxy.of(
        DataSource.class,
        (proxy, method, arguments) -> {
          Object answer = JdbcProxy.pass(method, real, arguments);
          return answer instanceof Connection connection
              ? JdbcProxy.of(
                  Connection.class,
                  (self, called, given) -> {
                    if (called.getName().equals("close") && !connection.isClosed()) {
                      atClose.add(connection.getNetworkTimeout());
                    }
                    return JdbcProxy.pass(called, connection, given);
                  })
              : answer;
        });
  }
}
