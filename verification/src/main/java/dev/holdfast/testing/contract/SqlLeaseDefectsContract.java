package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastException;
import dev.holdfast.LeaseLostException;
import dev.holdfast.cache.CacheStore;
import dev.holdfast.internal.lease.store.SqlLeaseStore;
import dev.holdfast.internal.sql.Dialect;
import dev.holdfast.lease.Fence;
import dev.holdfast.lease.Lease;
import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.LeaseRequest.Target;
import dev.holdfast.lease.Leases;
import dev.holdfast.lease.StaleTokenException;
import dev.holdfast.lease.spi.LeaseStore;
import dev.holdfast.testing.ConcurrentActors;
import dev.holdfast.testing.SettableClock;
import dev.holdfast.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.TimeZone;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Defects of locks in a database, which depend on its clock and its transactions. */
public abstract class SqlLeaseDefectsContract extends DatabaseContract {
  private static final Duration LONG = LeaseTests.LONG;
  private static final Duration SHORT = LeaseTests.SHORT;
  private static final Duration LIMIT = LeaseTests.LIMIT;
  private static final Duration HOUR = Duration.ofHours(1);

  private static final List<Target> TARGETS =
      List.of(Target.exclusive("x"), Target.write("x"), Target.permits("x", 1, 1));

  protected SqlLeaseDefectsContract(TestDatabase database) {
    super(database);
  }

  @BeforeEach
  void makeTables() {
    Holdfast.create(schema.dataSource()).migrations().migrate();
  }

  private Leases on(DataSource dataSource) {
    return Holdfast.createLeases(store(dataSource));
  }

  private static LeaseStore store(DataSource dataSource) {
    try (Connection connection = dataSource.getConnection()) {
      return SqlLeaseStore.create(dataSource, Dialect.of(connection), null, 1);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private boolean isFree(LeaseKey key) {
    return on(schema.dataSource()).find(key).map(found -> found.holders().isEmpty()).orElse(true);
  }

  /** Connections on which something was done when they were made. */
  private DataSource with(Setting setting) {
    DataSource pool = schema.dataSource();
    return JdbcProxy.of(
        DataSource.class,
        (self, method, arguments) -> {
          Object answer = JdbcProxy.pass(method, pool, arguments);
          if (answer instanceof Connection connection) {
            setting.on(connection);
          }
          return answer;
        });
  }

  private interface Setting {
    void on(Connection connection) throws SQLException;
  }

  /** ShedLock and Spring Integration compare the application's clock with that of others. */
  @Test
  void clockDifferenceChangesNothing() {
    for (Duration apart : List.of(HOUR, HOUR.negated())) {
      SettableClock clock = new SettableClock(Instant.now().plus(apart));
      Leases moved = on(clock.over(schema.dataSource()));
      for (Target target : TARGETS) {
        Lease lease = moved.acquire(LeaseTests.lease(target, LONG).waitTimeout(LIMIT));
        assertThat(lease.remaining()).isBetween(LONG.minusMinutes(1), LONG);
        assertThat(moved.find(target.key()).orElseThrow().holders().get(0).remaining())
            .isEqualTo(LONG);
        assertThat(moved.tryAcquire(LeaseTests.lease(target, LONG))).isEmpty();
        assertThat(lease.renew()).isEqualTo(Lease.RenewResult.RENEWED);

        clock.advance(LONG.minusNanos(1000));
        assertThat(moved.tryAcquire(LeaseTests.lease(target, LONG)))
            .as("not before its end")
            .isEmpty();
        clock.advance(Duration.ofNanos(1000));
        Lease next = moved.tryAcquire(LeaseTests.lease(target, LONG)).orElseThrow();
        assertThat(next.token()).isGreaterThan(lease.token());
        assertThat(lease.release()).isEqualTo(Lease.ReleaseResult.LOST);
        assertThat(next.release()).isEqualTo(Lease.ReleaseResult.RELEASED);
      }
      schema.execute("delete from holdfast_lease_entry", "delete from holdfast_lease");
    }
  }

  /** Redisson's tokens are lost with their keys; here the row remembers them. */
  @Test
  void tokensGrowWhenClockStepsBack() {
    SettableClock clock = new SettableClock(Instant.now());
    Leases leases = on(clock.over(schema.dataSource()));
    for (Target target : TARGETS) {
      Lease first = leases.acquire(LeaseTests.lease(target, LONG).waitTimeout(LIMIT));
      clock.set(clock.instant().minus(HOUR));

      assertThat(leases.tryAcquire(LeaseTests.lease(target, LONG))).isEmpty();
      assertThat(first.release()).isEqualTo(Lease.ReleaseResult.RELEASED);
      Lease next = leases.tryAcquire(LeaseTests.lease(target, LONG)).orElseThrow();
      assertThat(next.token()).isGreaterThan(first.token());
      assertThat(leases.forceRelease(target.key()).orElseThrow()).isGreaterThan(next.token());
    }
  }

  /** Times without a zone, as ShedLock keeps them, mean something else in each session. */
  @Test
  void otherTimeZonesSeeSameTime() {
    TimeZone before = TimeZone.getDefault();
    try {
      List<Leases> all =
          List.of(on(with(inZone("+13:00"))), on(with(inZone("-11:00"))), on(schema.dataSource()));
      int round = 0;
      for (String zone : List.of("Pacific/Kiritimati", "Pacific/Pago_Pago", "America/New_York")) {
        TimeZone.setDefault(TimeZone.getTimeZone(zone));
        for (Target target : TARGETS) {
          Lease held =
              all.get(round++ % 3).acquire(LeaseTests.lease(target, LONG).waitTimeout(LIMIT));
          for (Leases other : all) {
            assertThat(other.tryAcquire(LeaseTests.lease(target, LONG))).isEmpty();
            assertThat(other.find(target.key()).orElseThrow().holders().get(0).remaining())
                .isBetween(LONG.minusMinutes(1), LONG);
          }
          assertThat(held.renew()).isEqualTo(Lease.RenewResult.RENEWED);
          assertThat(held.release()).isEqualTo(Lease.ReleaseResult.RELEASED);
        }
      }
      all.get(0).acquire("y", SHORT);
      LeaseTests.await("it must run out", () -> all.get(1).tryAcquire("y", LONG).isPresent());
    } finally {
      TimeZone.setDefault(before);
    }
  }

  /** The shared cache counts by the same clock. */
  @Test
  void aCachedValueIsAsOldInEveryTimeZone() {
    List<CacheStore> all =
        List.of(CacheStore.using(with(inZone("+13:00"))), CacheStore.using(with(inZone("-11:00"))));
    for (int i = 0; i < 2; i++) {
      String name = "x" + i;
      all.get(i).put(new CacheStore.Value(name, new byte[1], i + 1, 0, SHORT, LONG));
      for (CacheStore store : all) {
        CacheStore.Entry entry = Objects.requireNonNull(store.get(name).entry());
        assertThat(entry.freshFor()).isLessThanOrEqualTo(SHORT);
        assertThat(entry.keptFor()).isBetween(LONG.minusMinutes(1), LONG);
      }
    }
  }

  private Setting inZone(String offset) {
    String set =
        switch (database().name()) {
          case "PostgreSQL" -> "SET TIME ZONE INTERVAL '" + offset + "' HOUR TO MINUTE";
          case "H2" -> "SET TIME ZONE '" + offset + "'";
          default -> "SET time_zone = '" + offset + "'";
        };
    return connection -> {
      try (Statement statement = connection.createStatement()) {
        statement.execute(set);
      }
    };
  }

  /** spring-integration#2467, #3294, #3445, #3567, #3733: isolation of the pool, and failures. */
  @Test
  void poolIsolationDoesNotMatter() {
    for (int isolation :
        List.of(Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE)) {
      LeaseStore store = store(with(it -> it.setTransactionIsolation(isolation)));
      Leases leases = Holdfast.createLeases(store);
      for (Target target : TARGETS) {
        AtomicInteger inside = new AtomicInteger();
        ConcurrentActors.run(
                6,
                index -> {
                  for (int i = 0; i < 15; i++) {
                    leases
                        .tryAcquire(LeaseTests.lease(target, LONG))
                        .ifPresent(
                            lease -> {
                              assertThat(inside.incrementAndGet()).isEqualTo(1);
                              inside.decrementAndGet();
                              assertThat(lease.release()).isEqualTo(Lease.ReleaseResult.RELEASED);
                            });
                  }
                  return index;
                })
            .resultsOrThrow();
      }
    }
  }

  /** A pool without autocommit gets its connections back as they were, also after a failure. */
  @Test
  void aPoolWithoutAutocommitIsLeftAsItWas() throws Exception {
    try (BarePool pool = new BarePool(schema.unpooled(), false)) {
      Leases leases = on(pool.dataSource());
      Lease lease = leases.acquire("x", LONG);
      assertThat(isFree(lease.key())).as("it is committed").isFalse();
      schema.execute("alter table holdfast_lease rename to elsewhere");
      assertThatThrownBy(lease::renew).isInstanceOf(HoldfastException.class);
      schema.execute("alter table elsewhere rename to holdfast_lease");
      try (Connection connection = pool.dataSource().getConnection()) {
        assertThat(connection.getAutoCommit()).isFalse();
      }
      assertThat(lease.renew()).isEqualTo(Lease.RenewResult.RENEWED);
      assertThat(lease.release()).isEqualTo(Lease.ReleaseResult.RELEASED);
    }
  }

  /** ShedLock#3577: the time of PostgreSQL's now() stands still in a transaction. */
  @Test
  void longTransactionDoesNotFreezeLeaseClock() {
    Leases leases = on(schema.dataSource());
    transactions.run(
        tx -> {
          query(tx.connection(), "select count(*) from holdfast_lease");
          for (Target target : TARGETS) {
            Lease first =
                leases.acquire(
                    LeaseTests.lease(target, SHORT).allowInTransaction().waitTimeout(LIMIT));
            Lease next =
                leases.acquire(
                    LeaseTests.lease(target, SHORT).allowInTransaction().waitTimeout(LIMIT));
            assertThat(next.token()).isGreaterThan(first.token());
          }
        });
  }

  /** ShedLock#132, #3577: those who were held up between their clock and their write. */
  @Test
  void grantsOneOfRequestsDelayedPastExpiry() throws Exception {
    assumeFalse(
        database().name().equals("H2"),
        "H2 has a lock timeout of a second or so, so that nobody is held up past the end");
    Leases leases = on(schema.dataSource());
    for (Target target : TARGETS) {
      Lease first =
          leases.acquire(LeaseTests.lease(target, Duration.ofMillis(600)).waitTimeout(LIMIT));
      CountDownLatch locked = new CountDownLatch(1);
      CountDownLatch go = new CountDownLatch(1);
      Thread blocker = new Thread(() -> lockRows(locked, go));
      blocker.start();
      locked.await();
      Callable<Integer> asking =
          () -> leases.tryAcquire(LeaseTests.lease(target, LONG)).isPresent() ? 1 : 0;
      Callable<Integer> freeing =
          () -> {
            LeaseTests.await("it must run out", () -> !first.isValid());
            long later = System.nanoTime() + SHORT.toNanos();
            LeaseTests.await("also there", () -> System.nanoTime() - later > 0);
            go.countDown();
            return 0;
          };
      List<Integer> granted =
          ConcurrentActors.run(List.of(asking, asking, asking, asking, freeing)).resultsOrThrow();

      assertThat(granted.stream().mapToInt(Integer::intValue).sum()).isLessThanOrEqualTo(1);
      blocker.join();
      assertThat(first.release()).isEqualTo(Lease.ReleaseResult.LOST);
      leases.forceRelease(target.key());
      leases.acquire(LeaseTests.lease(target, LONG).waitTimeout(LIMIT)).close();
    }
  }

  /** Its statement began before the end, and waited for a row lock until after it. */
  @Test
  void delayedRenewalDoesNotRevive() throws Exception {
    FaultyLeaseStore store = new FaultyLeaseStore(store(schema.dataSource()));
    Leases leases = Holdfast.createLeases(store);
    Leases others = on(schema.dataSource());
    Fence fence = Holdfast.create(schema.dataSource()).fence();
    for (Target target : TARGETS) {
      int answered = store.renewed.get();
      LeaseTests.await(
          "a renewal must be answered after the end",
          () -> {
            Lease late =
                leases.acquire(LeaseTests.lease(target, Duration.ofSeconds(2)).waitTimeout(LIMIT));
            Throwable failure = renewBehindARowLock(late);

            assertThat(late.isValid()).isFalse();
            assertThatThrownBy(() -> late.ensureValid(Duration.ZERO))
                .isInstanceOf(LeaseLostException.class);
            Lease next = others.acquire(LeaseTests.lease(target, LONG).waitTimeout(LIMIT));
            assertThat(next.token()).isGreaterThan(late.token());
            assertThat(late.isValid()).isFalse();
            assertThat(late.renew()).isEqualTo(Lease.RenewResult.LOST);
            pass(fence, next.token());
            assertThatThrownBy(() -> pass(fence, late.token()))
                .isInstanceOf(StaleTokenException.class);
            assertThat(late.release()).isEqualTo(Lease.ReleaseResult.LOST);
            assertThat(next.release()).isEqualTo(Lease.ReleaseResult.RELEASED);
            return failure == null && store.renewed.get() > answered;
          });
    }
  }

  private void pass(Fence fence, long token) {
    transactions.run(tx -> fence.check(tx, "x", token));
  }

  /** The row is locked until the lease has ended; the renewal is sent shortly before that. */
  private @Nullable Throwable renewBehindARowLock(Lease lease) {
    CountDownLatch locked = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    Thread blocker = new Thread(() -> lockRows(locked, go));
    blocker.start();
    LeaseTests.await("it must be locked", () -> locked.getCount() == 0);
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    Callable<Integer> renewing =
        () -> {
          LeaseTests.await("shortly before", () -> lease.remaining().toMillis() < 300);
          failure.set(
              catchThrowable(() -> assertThat(lease.renew()).isEqualTo(Lease.RenewResult.LOST)));
          return 0;
        };
    Callable<Integer> freeing =
        () -> {
          LeaseTests.await("it must run out", () -> !lease.isValid());
          go.countDown();
          return 0;
        };
    ConcurrentActors.run(List.of(renewing, freeing)).resultsOrThrow();
    if (failure.get() instanceof AssertionError wrong) {
      throw wrong;
    }
    return failure.get();
  }

  private void lockRows(CountDownLatch locked, CountDownLatch go) {
    transactions.run(
        tx -> {
          query(tx.connection(), "select * from holdfast_lease for update");
          query(tx.connection(), "select * from holdfast_lease_entry for update");
          locked.countDown();
          LeaseTests.await("may go on", () -> go.getCount() == 0);
        });
  }

  private static void query(Connection connection, String sql) {
    try (Statement statement = connection.createStatement()) {
      statement.executeQuery(sql).close();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** redisson#6510: 25 million keys of tokens that never expire. */
  @Test
  void prunesUnusedNamesAndKeepsTokensGrowing() {
    LeaseStore store = store(schema.dataSource());
    Leases leases = Holdfast.createLeases(store);
    Lease kept = leases.acquire("kept", LONG);
    for (Target target : TARGETS) {
      leases.acquire(LeaseTests.lease(target, LONG).waitTimeout(LIMIT)).close();
    }
    Lease last = leases.tryAcquire("last", Leases.MIN_DURATION).orElseThrow();
    LeaseTests.await("it must run out", () -> isFree(last.key()));

    LeaseTests.await(
        "they must be forgotten",
        () -> {
          store.prune(Duration.ofNanos(1000));
          return schema.count("select count(*) from holdfast_lease where kind > 0") == 0;
        });

    assertThat(store.find(last.key())).isEmpty();
    assertThat(schema.count("select count(*) from holdfast_lease_entry")).isZero();
    assertThat(kept.renew()).isEqualTo(Lease.RenewResult.RENEWED);
    assertThat(leases.acquire("last", LONG).token()).isGreaterThan(last.token());
  }
}
