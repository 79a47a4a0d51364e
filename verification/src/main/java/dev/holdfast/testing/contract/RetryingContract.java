package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.testing.ConcurrentActors;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.transaction.Isolation;
import dev.holdfast.transaction.RetriesExhaustedException;
import dev.holdfast.transaction.Retrying;
import dev.holdfast.transaction.SqlError;
import dev.holdfast.transaction.Transaction;
import dev.holdfast.transaction.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a fresh transaction cures on a real database, and that it is a fresh one. */
public abstract class RetryingContract extends FloorContract {
  private static final int THREADS = 32;
  private static final int INCREMENTS = 4;
  private static final String READ = "select n from counter where id = 1";

  protected RetryingContract(TestDatabase database) {
    super(database);
  }

  @BeforeEach
  void createCounter() {
    schema.execute(
        "create table counter (id bigint primary key, n bigint not null)",
        "insert into counter values (1, 0), (2, 0)");
  }

  @Test
  void everyAttemptIsAFreshTransaction() throws SQLException {
    List<Integer> attempts = new ArrayList<>();
    List<Long> seen = new ArrayList<>();

    long answer =
        retrying(transactions.isolation(Isolation.REPEATABLE_READ))
            .alsoOn(IllegalStateException.class::isInstance)
            .call(
                tx -> {
                  attempts.add(tx.attempt());
                  seen.add(Sql.number(tx.connection(), READ));
                  execute(tx.connection(), "update counter set n = n + 100 where id = 2");
                  if (tx.attempt() < 3) {
                    // so that the next attempt has something new to see
                    schema.execute("update counter set n = n + 1 where id = 1");
                    throw new IllegalStateException("not yet");
                  }
                  return Sql.number(tx.connection(), "select n from counter where id = 2");
                });

    assertThat(attempts).containsExactly(1, 2, 3);
    assertThat(seen).containsExactly(0L, 1L, 2L);
    assertThat(answer).as("writes of the failed attempts are gone").isEqualTo(100);
    assertThat(schema.count("select n from counter where id = 2")).isEqualTo(100);
  }

  @Test
  void retriesLoseNoIncrement() {
    Retrying retrying = retrying(serializable());
    assertNoIncrementIsLost(
        index -> {
          for (int turn = 0; turn < INCREMENTS; turn++) {
            retrying.run(tx -> increment(tx, Sql.number(tx.connection(), READ)));
          }
          return index;
        });
  }

  @Test
  void controlWithoutRetryFails() {
    CyclicBarrier allHaveRead = new CyclicBarrier(THREADS);
    assertThatThrownBy(() -> assertNoIncrementIsLost(readThenWrite(serializable(), allHaveRead)))
        .isInstanceOf(AssertionError.class)
        .satisfies(
            error ->
                assertThat(error.getSuppressed())
                    .isNotEmpty()
                    .allMatch(SqlError::isRetryable, "would have been cured by a retry"));
  }

  @Test
  void controlWithWeakIsolationFails() {
    CyclicBarrier allHaveRead = new CyclicBarrier(THREADS);
    assertThatThrownBy(
            () ->
                assertNoIncrementIsLost(
                    readThenWrite(wide().isolation(Isolation.READ_COMMITTED), allHaveRead)))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("sum of all increments");
  }

  private static ConcurrentActors.Actor<Integer> readThenWrite(
      Transactions transactions, CyclicBarrier allHaveRead) {
    return index -> {
      for (int turn = 0; turn < INCREMENTS; turn++) {
        boolean first = turn == 0;
        transactions.run(
            tx -> {
              long seen = Sql.number(tx.connection(), READ);
              if (first) {
                allHaveRead.await(30, TimeUnit.SECONDS);
              }
              increment(tx, seen);
            });
      }
      return index;
    };
  }

  private void assertNoIncrementIsLost(ConcurrentActors.Actor<Integer> increments) {
    ConcurrentActors.run(THREADS, increments).resultsOrThrow();
    assertThat(schema.count(READ))
        .as("sum of all increments")
        .isEqualTo((long) THREADS * INCREMENTS);
  }

  private static void increment(Transaction tx, long seen) throws SQLException {
    execute(tx.connection(), "update counter set n = " + (seen + 1) + " where id = 1");
  }

  private Transactions serializable() {
    return wide().isolation(Isolation.SERIALIZABLE);
  }

  /** With a connection for each thread. */
  private Transactions wide() {
    return Transactions.on(schema.dataSource());
  }

  @Test
  void aDeadlockIsCured() {
    CyclicBarrier bothHaveLocked = new CyclicBarrier(2);

    List<Integer> attempts =
        ConcurrentActors.run(
                2,
                index ->
                    retrying(transactions)
                        .<Integer, Exception>call(
                            tx -> {
                              noticeDeadlocksFast(tx.connection());
                              add(tx, 1 + index);
                              if (tx.attempt() == 1) {
                                bothHaveLocked.await(30, TimeUnit.SECONDS);
                              }
                              add(tx, 2 - index);
                              return tx.attempt();
                            }))
            .resultsOrThrow();

    assertThat(attempts.stream().mapToInt(Integer::intValue).sum()).isGreaterThan(2);
    assertThat(schema.count("select sum(n) from counter")).isEqualTo(4);
  }

  /** Databases that wait before they look for deadlocks may be told to wait less. */
  protected void noticeDeadlocksFast(Connection connection) throws SQLException {}

  @Test
  void aConnectionLostInTheMiddleIsCured() throws SQLException {
    // the pool gives out dead connections of H2 again: their errors lack the SQLSTATE it looks for
    Transactions losing =
        server == ServerProbe.H2 ? Transactions.on(schema.unpooled()) : transactions;

    int attempts =
        retrying(losing)
            .call(
                tx -> {
                  add(tx, 1);
                  if (tx.attempt() == 1) {
                    kill(tx.connection());
                  }
                  add(tx, 2);
                  return tx.attempt();
                });

    assertThat(attempts).isEqualTo(2);
    assertThat(schema.count("select sum(n) from counter")).isEqualTo(2);
  }

  @Test
  void aLockTimeoutIsCuredOnceTheLockIsFree() throws SQLException {
    try (Connection holder = connect()) {
      holder.setAutoCommit(false);
      execute(holder, "update counter set n = n + 1 where id = 1");

      int attempts =
          retrying(transactions.lockTimeout(Duration.ofMillis(50)))
              .call(
                  tx -> {
                    if (tx.attempt() == 2) {
                      holder.commit();
                    }
                    add(tx, 1);
                    return tx.attempt();
                  });

      assertThat(attempts).isEqualTo(2);
    }
    assertThat(schema.count(READ)).isEqualTo(2);
  }

  @Test
  void givesUpWithEveryErrorOfTheDatabase() throws SQLException {
    try (Connection holder = connect()) {
      holder.setAutoCommit(false);
      execute(holder, "update counter set n = n + 1 where id = 1");

      assertThatThrownBy(
              () ->
                  transactions
                      .retrying(3)
                      .run(
                          tx ->
                              execute(
                                  tx.connection(),
                                  "select n from counter where id = 1 for update nowait")))
          .isInstanceOfSatisfying(
              RetriesExhaustedException.class,
              givenUp -> {
                assertThat(givenUp.reason()).isEqualTo(RetriesExhaustedException.Reason.ATTEMPTS);
                assertThat(givenUp.failures())
                    .hasSize(3)
                    .allMatch(e -> SqlError.of(e) == SqlError.LOCK_TIMEOUT);
              });
      holder.rollback();
    }
  }

  private static Retrying retrying(Transactions transactions) {
    return transactions
        .retrying(1000)
        .within(Duration.ofMinutes(5))
        .backoff(Duration.ofMillis(1), Duration.ofMillis(20));
  }

  private static void add(Transaction tx, int id) throws SQLException {
    execute(tx.connection(), "update counter set n = n + 1 where id = " + id);
  }
}
