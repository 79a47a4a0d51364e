package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.InvalidArgumentException;
import dev.holdfast.internal.lease.store.SqlLeaseStore;
import dev.holdfast.internal.sql.Dialect;
import dev.holdfast.lease.Fence;
import dev.holdfast.lease.Lease;
import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.LeaseRequest;
import dev.holdfast.lease.StaleTokenException;
import dev.holdfast.lease.spi.LeaseStore;
import dev.holdfast.testing.ConcurrentActors;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.transaction.SqlError;
import dev.holdfast.transaction.Transaction;
import dev.holdfast.transaction.TransactionRolledBackException;
import dev.holdfast.transaction.TransactionStateException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The fence, and leases beside transactions, on every database. */
public abstract class FenceContract extends DatabaseContract {
  private static final Duration LONG = Duration.ofMinutes(10);

  private Holdfast holdfast;
  private Fence fence;

  @SuppressWarnings("NullAway.Init")
  protected FenceContract(TestDatabase database) {
    super(database);
  }

  @BeforeEach
  void makeTables() {
    holdfast = Holdfast.create(schema.dataSource());
    holdfast.migrations().migrate();
    fence = holdfast.fence();
  }

  private void pass(String resource, long token) {
    transactions.run(tx -> fence.check(tx, resource, token));
  }

  @Test
  void aTokenThatIsNotOlderThanTheNewestPasses() {
    pass("a", 5);
    pass("a", 5);
    pass("a", 6);
    pass("b", 1);
    pass("a ", 1);
    pass("A", 1);

    assertThat(schema.count("select max(token) from holdfast_fence")).isEqualTo(6);
  }

  @Test
  void rejectsStaleTokenAndRollsBack() {
    schema.execute("create table effects (text varchar(100))");
    pass("a", 5);

    assertThatThrownBy(
            () ->
                transactions.run(
                    tx -> {
                      tx.connection()
                          .createStatement()
                          .execute("insert into effects values ('stale')");
                      fence.check(tx, "a", 4);
                    }))
        .isInstanceOfSatisfying(
            StaleTokenException.class,
            stale -> {
              assertThat(stale.resource()).isEqualTo("a");
              assertThat(stale.token()).isEqualTo(4);
              if (!database().name().equals("PostgreSQL")) {
                assertThat(stale.newestToken()).hasValue(5);
                assertThat(stale)
                    .hasMessageContaining("with the token 4: the newer token 5 was used");
              }
              assertThat(SqlError.isRetryable(stale)).isFalse();
            });
    assertThat(schema.count("select count(*) from effects")).isZero();
  }

  @Test
  void swallowedRejectionRollsBack() {
    pass("a", 5);

    assertThatThrownBy(
            () ->
                transactions.run(
                    tx -> {
                      try {
                        fence.check(tx, "a", 4);
                      } catch (StaleTokenException e) {
                        assertThat(e.token()).isEqualTo(4);
                      }
                    }))
        .isInstanceOf(TransactionRolledBackException.class);
  }

  @Test
  void tokenCountsAfterCommit() {
    assertThatThrownBy(
            () ->
                transactions.run(
                    tx -> {
                      fence.check(tx, "a", 9);
                      throw new IllegalStateException("not this time");
                    }))
        .isInstanceOf(IllegalStateException.class);

    pass("a", 5);
  }

  @Test
  void aFenceNeedsATransaction() throws Exception {
    try (Connection connection = schema.dataSource().getConnection()) {
      assertThatThrownBy(() -> fence.check(Transaction.of(connection), "a", 1))
          .isInstanceOf(InvalidArgumentException.class)
          .hasMessageContaining("autocommit");
    }
    assertThatThrownBy(() -> pass("", 1)).isInstanceOf(InvalidArgumentException.class);
    assertThatThrownBy(() -> pass("a", 0)).isInstanceOf(InvalidArgumentException.class);
  }

  @Test
  void whatPassesAtOnceIsInTheOrderOfTheTokens() {
    schema.execute(
        "create table numbers (id bigint primary key, token bigint)",
        "insert into numbers values (1, 0)");
    ConcurrentActors.run(
            6,
            index -> {
              Random random = new Random(index);
              for (int i = 0; i < 20; i++) {
                long token = 1L + random.nextInt(1000);
                try {
                  transactions.retrying(20).run(tx -> write(tx.connection(), token));
                } catch (StaleTokenException e) {
                  assertThat(e.token()).isEqualTo(token);
                }
              }
              return index;
            })
        .resultsOrThrow();

    assertThat(schema.count("select token from numbers"))
        .isEqualTo(schema.count("select token from holdfast_fence"));
  }

  /** Writes the token, which must never be less than the one before. */
  private void write(Connection connection, long token) {
    fence.check(Transaction.of(connection), "n", token);
    try (var update =
        connection.prepareStatement("update numbers set token = ? where token <= ?")) {
      update.setLong(1, token);
      update.setLong(2, token);
      assertThat(update.executeUpdate()).isEqualTo(1);
    } catch (java.sql.SQLException e) {
      throw new dev.holdfast.transaction.DatabaseException("writing the number", e);
    }
  }

  @Test
  void aColumnOfOnesOwnIsGuarded() {
    schema.execute(
        "create table accounts (id bigint primary key, fence bigint)",
        "insert into accounts values (1, null)");
    Fence.Column column = Fence.column("accounts", "fence");

    for (long token : List.of(5L, 5L, 7L)) {
      transactions.run(
          tx ->
              assertThat(column.check(tx, "id", 1L, token)).isEqualTo(Fence.Column.Result.PASSED));
    }
    assertThatThrownBy(() -> transactions.run(tx -> column.check(tx, "id", 1L, 6)))
        .isInstanceOf(StaleTokenException.class)
        .hasMessageContaining("accounts 1")
        .hasMessageContaining("with the token 6: the newer token 7 was used");
    transactions.run(
        tx -> assertThat(column.check(tx, "id", 2L, 6)).isEqualTo(Fence.Column.Result.NOT_FOUND));
    assertThat(schema.count("select fence from accounts")).isEqualTo(7);
  }

  @Test
  void acceptsTokenUntilNextHolderPasses() {
    Lease first = holdfast.leases().acquire("a", LONG);
    pass("a", first.token());
    holdfast.leases().forceRelease(LeaseKey.exclusive("a"));
    Lease second = holdfast.leases().acquire("a", LONG);
    pass("a", second.token());

    assertThatThrownBy(() -> pass("a", first.token())).isInstanceOf(StaleTokenException.class);
  }

  /** redisson#6510: one row for each resource would stay for ever. */
  @Test
  void whatWasNotPassedForAMonthIsForgotten() {
    pass("old", 5);
    pass("young", 5);
    schema.execute(
        IntStream.range(0, 1100)
            .mapToObj(i -> "(0, 'r" + i + "', 5, timestamp '2020-01-01 00:00:00')")
            .collect(
                Collectors.joining(
                    ", ",
                    "insert into holdfast_fence (shard, resource, token, seen_at) values ",
                    "")));
    schema.execute(
        "update holdfast_fence set seen_at = timestamp '2020-01-01 00:00:00' where resource ="
            + " 'old'");

    store().prune(Duration.ofDays(1));

    assertThat(schema.count("select count(*) from holdfast_fence")).isEqualTo(1);
    assertThatThrownBy(() -> pass("young", 4)).isInstanceOf(StaleTokenException.class);
    pass("old", 6);
    assertThatThrownBy(() -> pass("old", 5)).isInstanceOf(StaleTokenException.class);
  }

  private LeaseStore store() {
    try (Connection connection = schema.dataSource().getConnection()) {
      return SqlLeaseStore.create(schema.dataSource(), Dialect.of(connection), null, 1);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aLeaseIsNotAcquiredInsideATransaction() {
    assertThatThrownBy(() -> transactions.run(tx -> holdfast.leases().tryAcquire("a", LONG)))
        .isInstanceOf(TransactionStateException.class)
        .hasMessageContaining("Acquire the lease before the transaction begins");

    transactions.run(
        tx ->
            assertThat(
                    holdfast.leases().tryAcquire(LeaseRequest.of("a", LONG).allowInTransaction()))
                .isPresent());
  }

  @Test
  void rejectsLeasesInsideTransaction() throws SQLException {
    Lease lease = holdfast.leases().acquire("b", LONG);
    try (Connection owner = schema.dataSource().getConnection()) {
      owner.setAutoCommit(false);
      assertThatThrownBy(
              () ->
                  transactions.run(
                      Transaction.of(owner), tx -> holdfast.leases().tryAcquire("a", LONG)))
          .isInstanceOf(TransactionStateException.class);
      assertThatThrownBy(() -> transactions.run(Transaction.of(owner), tx -> lease.release()))
          .isInstanceOf(TransactionStateException.class);
      owner.rollback();
    }
    assertThat(holdfast.leases().tryAcquire("a", LONG)).as("it was not acquired").isPresent();
    assertThat(lease.release()).isEqualTo(Lease.ReleaseResult.RELEASED);
  }

  @Test
  void aLeaseIsNotReleasedInsideATransaction() {
    Lease lease = holdfast.leases().acquire("a", LONG);

    assertThatThrownBy(() -> transactions.run(tx -> lease.release()))
        .isInstanceOf(TransactionStateException.class)
        .hasMessageContaining("End the transaction before the lease");

    assertThat(lease.isValid()).isTrue();
    lease.close();
    assertThat(holdfast.leases().tryAcquire("a", LONG)).isPresent();
  }
}
