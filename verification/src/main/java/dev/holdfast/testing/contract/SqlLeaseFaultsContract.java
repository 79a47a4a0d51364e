package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastException;
import dev.holdfast.internal.lease.store.SqlLeaseStore;
import dev.holdfast.internal.sql.Dialect;
import dev.holdfast.lease.Lease;
import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.LeaseNotAcquiredException;
import dev.holdfast.lease.LeaseRequest;
import dev.holdfast.lease.LeaseRequest.Target;
import dev.holdfast.lease.Leases;
import dev.holdfast.lease.spi.LeaseStore;
import dev.holdfast.testing.ConcurrentActors;
import dev.holdfast.testing.InterceptingDataSource;
import dev.holdfast.testing.TcpProxy;
import dev.holdfast.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Leases in a database whose connections break, hang or answer strangely. */
public abstract class SqlLeaseFaultsContract extends DatabaseContract {
  private static final Duration LONG = LeaseTests.LONG;
  private static final Duration LIMIT = LeaseTests.LIMIT;

  /** Shorter than the lock timeout that MariaDB has by default. */
  private static final Duration BEFORE_ANY_OTHER_LIMIT = Duration.ofSeconds(30);

  /** All of those that take a transaction, the first where its queue is used. */
  private static final List<Target> TARGETS =
      List.of(Target.exclusive("x"), Target.write("x"), Target.permits("x", 1, 1));

  protected SqlLeaseFaultsContract(TestDatabase database) {
    super(database);
  }

  @BeforeEach
  void makeTables() {
    Holdfast.create(schema.dataSource()).migrations().migrate();
  }

  private static LeaseStore store(DataSource dataSource) {
    try (Connection connection = dataSource.getConnection()) {
      return SqlLeaseStore.create(dataSource, Dialect.of(connection), null, 1);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** One that goes silent then must not stop what else is done in the background. */
  @Test
  void cleanupHasNetworkTimeout() {
    assumeTrue(hasNetwork(), "H2 runs in the process");
    List<Integer> limits = new CopyOnWriteArrayList<>();
    DataSource watched =
        InterceptingDataSource.of(
            schema.dataSource(),
            (connection, sql) -> {
              if (sql.startsWith("DELETE FROM holdfast_lease") || sql.contains("holdfast_fence")) {
                limits.add(connection.getNetworkTimeout());
              }
            });
    int unused = store(watched).prune(LONG);
    assertThat(limits).hasSizeGreaterThanOrEqualTo(3).allMatch(millis -> millis > 0);
  }

  /** Galera answers an upsert that it had to repeat with the rows of both attempts. */
  @Test
  void lastResultOfRepeatedUpsertCounts() {
    assumeTrue(database().name().equals("MariaDB"), "upserts return rows on MariaDB only");
    AtomicInteger repeated = new AtomicInteger();
    Leases leases = Holdfast.createLeases(store(RepeatedUpserts.on(schema.dataSource(), repeated)));
    try (Lease lease = Holdfast.createLeases(store(schema.dataSource())).acquire("x", LONG)) {
      assertThat(leases.tryAcquire("x", LONG)).isEmpty();
      assertThat(repeated).hasPositiveValue();
      assertThat(lease.isValid()).isTrue();
    }
    Lease next = leases.tryAcquire("x", LONG).orElseThrow();
    assertThat(next.token()).isEqualTo(leases.find(next.key()).orElseThrow().token());
  }

  /** Neither in the transaction of a shared lease nor in that of a queue. */
  @Test
  void disconnectedAcquirerBlocksBriefly() throws Exception {
    assumeTrue(hasNetwork(), "H2 runs in the process");
    for (Target target : TARGETS) {
      Leases others = Holdfast.createLeases(store(schema.dataSource()));
      Lease held = others.acquire(fair(target, LONG).waitTimeout(LIMIT));
      try (CutOff cut = new CutOff(target)) {
        cut.await();
        Callable<Object> releasing = () -> List.of(held.renew(), held.release());
        Callable<Object> trying =
            () -> {
              others.tryAcquire(fair(target, LONG)).ifPresent(Lease::close);
              return "tried";
            };
        Callable<Object> waiting =
            () -> {
              others.acquire(fair(target, LONG).waitTimeout(BEFORE_ANY_OTHER_LIMIT)).close();
              return "waited";
            };
        List<Object> answers =
            ConcurrentActors.run(BEFORE_ANY_OTHER_LIMIT, List.of(releasing, trying, waiting))
                .resultsOrThrow();
        assertThat(answers.get(0))
            .isEqualTo(List.of(Lease.RenewResult.RENEWED, Lease.ReleaseResult.RELEASED));
      }
      Lease next = others.acquire(fair(target, LONG).waitTimeout(LIMIT));
      try (CutOff cut = new CutOff(target)) {
        cut.await();
        Callable<Object> forcing = () -> others.forceRelease(target.key()).isPresent();
        Callable<Object> keepingToTheWait =
            () ->
                catchThrowable(
                    () ->
                        others
                            .acquire(fair(target, LONG).waitTimeout(Duration.ofSeconds(1)))
                            .close());
        List<Object> answers =
            ConcurrentActors.run(BEFORE_ANY_OTHER_LIMIT, List.of(forcing, keepingToTheWait))
                .resultsOrThrow();
        assertThat(answers.get(0)).isEqualTo(true);
      }
      assertThat(next.release()).isEqualTo(Lease.ReleaseResult.LOST);
    }
  }

  private static LeaseRequest fair(Target target, Duration duration) {
    return LeaseTests.lease(target, duration).fair();
  }

  private boolean hasNetwork() {
    return !database().name().equals("H2");
  }

  /** A process whose network drops everything, right after it has locked the row of a lease. */
  private final class CutOff implements AutoCloseable {
    private final TcpProxy proxy = TcpProxy.before(schema.url());
    private final HikariDataSource pool =
        Pools.of(proxy.url(), schema.user(), schema.password(), 1);
    private final Thread thread;

    CutOff(Target target) {
      Leases leases = Holdfast.createLeases(store(pool));
      proxy.holdAfter("FOR UPDATE");
      thread =
          new Thread(
              () -> {
                Throwable unused =
                    catchThrowable(
                        () ->
                            leases.acquire(fair(target, Duration.ofSeconds(3)).waitTimeout(LIMIT)));
              });
      thread.start();
    }

    void await() {
      LeaseTests.await("it must be cut off", proxy::isHolding);
    }

    @Override
    public void close() {
      thread.interrupt();
      proxy.close();
      pool.close();
    }
  }

  /** The commit has happened, and its answer is lost: asked again, the same owner has it. */
  @Test
  void aLostAnswerToACommitIsFoundOut() {
    for (Target target : TARGETS) {
      AtomicInteger lost = new AtomicInteger();
      FaultyDataSource faulty = new FaultyDataSource(schema.dataSource());
      Leases leases = Holdfast.createLeases(store(faulty.dataSource()));
      faulty.afterCommit(connection -> loseOnce(lost));

      Lease lease = leases.acquire(fair(target, LONG).waitTimeout(LIMIT));
      assertThat(lost).hasValueGreaterThan(0);
      assertThat(leases.find(target.key()).orElseThrow().holders())
          .singleElement()
          .satisfies(holder -> assertThat(holder.token()).isEqualTo(lease.token()));
      assertThat(lease.isValid()).isTrue();
      faulty.afterCommit(FaultyDataSource.Fault.NONE);
      assertThat(lease.release()).isEqualTo(Lease.ReleaseResult.RELEASED);
      Target shared = Target.permits("y", 1, 1);
      lost.set(0);
      faulty.afterCommit(connection -> loseOnce(lost));
      assertThat(leases.tryAcquire(fair(shared, LONG))).isPresent();
      assertThat(lost).hasValueGreaterThan(0);
      leases.forceRelease(shared.key());
    }
  }

  private static void loseOnce(AtomicInteger lost) throws SQLException {
    if (lost.incrementAndGet() == 1) {
      throw FaultyDataSource.connectionLost();
    }
  }

  /** As an exclusive one: by the one who released it, and later in the background. */
  @Test
  void retriesFailedReleaseOfSharedLease() {
    for (Target target : List.of(Target.write("x"), Target.permits("x", 1, 1))) {
      FaultyDataSource faulty = new FaultyDataSource(schema.dataSource());
      Leases leases = Holdfast.createLeases(store(faulty.dataSource()));
      Lease lease = leases.acquire(LeaseTests.lease(target, LONG).waitTimeout(LIMIT));
      AtomicInteger failures = new AtomicInteger();
      faulty.beforeCommit(
          connection -> {
            failures.incrementAndGet();
            throw FaultyDataSource.connectionLost();
          });
      assertThatThrownBy(lease::release).isInstanceOf(HoldfastException.class);
      LeaseTests.await("it must go on trying", () -> failures.get() > 4);
      faulty.beforeCommit(FaultyDataSource.Fault.NONE);

      LeaseTests.await("it must be free", () -> isFree(target.key()));
    }
  }

  /** Each question fails at once, and is repeated until the wait is over: not 30 s, nor never. */
  @Test
  void keepsQueuedWaitWhileDatabaseFails() {
    FaultyDataSource faulty = new FaultyDataSource(schema.dataSource());
    Leases leases = Holdfast.createLeases(store(faulty.dataSource()));
    AtomicInteger failures = new AtomicInteger();
    for (Target target : TARGETS) {
      faulty.onPrepare(
          connection -> {
            failures.incrementAndGet();
            throw FaultyDataSource.connectionLost();
          });
      long begun = System.nanoTime();
      assertThatThrownBy(
              () -> leases.acquire(fair(target, LONG).waitTimeout(Duration.ofMillis(400))))
          .isInstanceOfSatisfying(
              HoldfastException.class, e -> assertThat(e.isRetryable()).isTrue());
      assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(20));

      failures.set(0);
      Thread repair =
          new Thread(
              () -> {
                LeaseTests.await("it must have failed often", () -> failures.get() > 12);
                faulty.onPrepare(FaultyDataSource.Fault.NONE);
              });
      repair.start();
      leases.acquire(fair(target, LONG).waitTimeout(LIMIT)).close();
    }
  }

  /** For longer than one acquisition waits for it, in a row. */
  @Test
  void keepsQueuedWaitWhileRowIsLocked() throws Exception {
    Leases leases = Holdfast.createLeases(store(schema.dataSource()));
    for (Target target : TARGETS) {
      leases.acquire(fair(target, LONG).waitTimeout(LIMIT)).close();
      FaultyLeaseStore counting = new FaultyLeaseStore(store(schema.dataSource()));
      Leases waiting = Holdfast.createLeases(counting);
      try (Connection locking = schema.dataSource().getConnection()) {
        locking.setAutoCommit(false);
        try (Statement statement = locking.createStatement()) {
          statement.executeQuery("select * from holdfast_lease for update").close();
        }
        assertThatThrownBy(
                () -> waiting.acquire(fair(target, LONG).waitTimeout(Duration.ofSeconds(2))))
            .isInstanceOf(LeaseNotAcquiredException.class);

        Thread unlock =
            new Thread(
                () -> {
                  int before = counting.acquires.get();
                  LeaseTests.await("it must ask again", () -> counting.acquires.get() > before + 1);
                  assertThatCode(locking::rollback).doesNotThrowAnyException();
                });
        unlock.start();
        waiting.acquire(fair(target, LONG).waitTimeout(LIMIT)).close();
        unlock.join();
      }
    }
  }

  /** All connections of the work are in use for longer than the lease lasts. */
  @Test
  void renewalUsesItsOwnConnections() throws SQLException {
    DataSource work = schema.dataSource(1);
    Leases leases =
        Holdfast.builder(work).leaseRenewalDataSource(schema.dataSource(1)).build().leases();
    Duration brief = Duration.ofSeconds(3);
    for (Target target : List.of(Target.exclusive("x"), Target.read("x"))) {
      Lease lease = leases.acquire(LeaseTests.lease(target, brief).autoRenew().waitTimeout(LIMIT));
      try (Connection all = work.getConnection()) {
        long end = System.nanoTime() + brief.toNanos() * 3 / 2;
        LeaseTests.await("time passes", () -> System.nanoTime() - end > 0);
        assertThat(lease.isValid()).isTrue();
        assertThat(all.isClosed()).isFalse();
      }
      assertThat(lease.release()).isEqualTo(Lease.ReleaseResult.RELEASED);
    }
  }

  private boolean isFree(LeaseKey key) {
    return Holdfast.createLeases(store(schema.dataSource()))
        .find(key)
        .map(found -> found.holders().isEmpty())
        .orElse(true);
  }
}
