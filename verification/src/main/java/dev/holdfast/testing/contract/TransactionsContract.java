package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.transaction.CommitUnknownException;
import dev.holdfast.transaction.DatabaseException;
import dev.holdfast.transaction.Isolation;
import dev.holdfast.transaction.Retrying;
import dev.holdfast.transaction.SqlError;
import dev.holdfast.transaction.Transaction;
import dev.holdfast.transaction.TransactionRolledBackException;
import dev.holdfast.transaction.Transactions;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How a transaction of Holdfast's own begins and ends. */
public abstract class TransactionsContract extends FloorContract {
  private static final String INSERT = "insert into orders values (1)";

  protected TransactionsContract(TestDatabase database) {
    super(database);
  }

  @BeforeEach
  void createOrders() {
    schema.execute("create table orders (id bigint primary key)");
  }

  @Test
  void commitsAndReturnsResult() throws SQLException {
    String answer =
        transactions.call(
            tx -> {
              execute(tx.connection(), INSERT);
              return "done";
            });

    assertThat(answer).isEqualTo("done");
    assertThat(orders()).isEqualTo(1);
  }

  @Test
  @SuppressWarnings("NullAway") // it does not see from outside of core that an answer may be null
  void passesNullAsAnAnswer() {
    assertThat(transactions.<String, RuntimeException>call(tx -> null)).isNull();
  }

  @Test
  void rollsBackAndRethrows() {
    assertPassesAsItIs(new IllegalStateException("unchecked"));
    assertPassesAsItIs(new IOException("checked"));
    assertPassesAsItIs(new AssertionError("error"));
    assertPassesAsItIs(new SQLException("of the work's own"));
  }

  private void assertPassesAsItIs(Throwable thrown) {
    Throwable caught =
        catchThrowable(
            () ->
                transactions.run(
                    tx -> {
                      insertOrder(tx);
                      throwAnything(thrown);
                    }));

    assertThat(caught).isSameAs(thrown).hasNoSuppressedExceptions();
    assertThat(orders()).isZero();
  }

  @SuppressWarnings("unchecked")
  private static <X extends Throwable> void throwAnything(Throwable thrown) throws X {
    throw (X) thrown;
  }

  @Test
  void swallowedFailurePreventsCommit() {
    Throwable reason = new IllegalStateException("a guard has failed");

    assertThatThrownBy(
            () ->
                transactions.run(
                    tx -> {
                      insertOrder(tx);
                      tx.setRollbackOnly(reason);
                      tx.setRollbackOnly(new IllegalStateException("a later one"));
                    }))
        .isInstanceOf(TransactionRolledBackException.class)
        .hasCause(reason)
        .hasMessageContaining("a guard has failed");
    assertThat(orders()).isZero();
  }

  @Test
  void lostConnectionKeepsFirstError() {
    IllegalStateException thrown = new IllegalStateException("out of stock");

    Throwable caught =
        catchThrowable(
            () ->
                transactions.run(
                    tx -> {
                      insertOrder(tx);
                      kill(tx.connection());
                      throw thrown;
                    }));

    assertThat(caught).isSameAs(thrown);
    assertThat(caught.getSuppressed())
        .isNotEmpty()
        .allSatisfy(suppressed -> assertThat(suppressed).isInstanceOf(SQLException.class));
    assertThat(orders()).isZero();
  }

  @Test
  void discardsConnectionThatCannotRollBack() throws SQLException {
    FaultyDataSource faulty = new FaultyDataSource(schema.unpooled()).failing("rollback");
    IllegalStateException thrown = new IllegalStateException("out of stock");

    Throwable caught =
        catchThrowable(
            () ->
                Transactions.on(faulty.dataSource())
                    .run(
                        tx -> {
                          insertOrder(tx);
                          throw thrown;
                        }));

    assertThat(caught).isSameAs(thrown);
    assertThat(caught.getSuppressed())
        .anySatisfy(error -> assertThat(error).hasMessageContaining("rollback does not work"));
    assertThrownAway(faulty);
    assertThat(orders()).isZero();
  }

  @Test
  void discardsConnectionThatCannotBeReset() throws SQLException {
    FaultyDataSource faulty =
        new FaultyDataSource(schema.unpooled()).failing("setAutoCommit", true);

    String answer =
        Transactions.on(faulty.dataSource())
            .call(
                tx -> {
                  insertOrder(tx);
                  return "done";
                });

    assertThat(answer).isEqualTo("done");
    assertThrownAway(faulty);
    assertThat(orders()).isEqualTo(1);
  }

  @Test
  void discardsConnectionThatCannotBegin() throws SQLException {
    FaultyDataSource faulty =
        new FaultyDataSource(schema.unpooled()).failing("setAutoCommit", false);

    assertThatThrownBy(
            () ->
                Transactions.on(faulty.dataSource())
                    .lockTimeout(Duration.ofSeconds(3))
                    .run(TransactionsContract::insertOrder))
        .isInstanceOf(DatabaseException.class)
        .hasMessageContaining("beginning a transaction failed")
        .hasMessageContaining("setAutoCommit does not work");
    assertThrownAway(faulty);
    assertThat(orders()).isZero();
  }

  @Test
  void failedCloseDoesNotChangeResult() throws SQLException {
    FaultyDataSource faulty = new FaultyDataSource(schema.unpooled()).failing("close");

    Transactions.on(faulty.dataSource()).run(TransactionsContract::insertOrder);

    assertThat(orders()).isEqualTo(1);
    faulty.given().get(0).close();
  }

  @Test
  void unknownCommitFailureIsNotRetried() throws SQLException {
    assertUnknownCommit(new FaultyDataSource(schema.unpooled()).failing("commit"));
    assertUnknownCommit(
        new FaultyDataSource(schema.unpooled())
            .failing("commit")
            .throwing(new IllegalStateException(new SQLException("lost", "08006"))));
  }

  private void assertUnknownCommit(FaultyDataSource faulty) {
    AtomicInteger runs = new AtomicInteger();
    Retrying eager = Transactions.on(faulty.dataSource()).retrying(5).alsoOn(anything -> true);

    assertThatThrownBy(() -> eager.run(tx -> runs.incrementAndGet()))
        .isInstanceOf(CommitUnknownException.class);
    assertThat(runs).hasValue(1);
  }

  @Test
  void failedRollbackKeepsFirstError() throws SQLException {
    FaultyDataSource faulty =
        new FaultyDataSource(schema.unpooled())
            .failing("rollback")
            .throwing(new IllegalStateException("no rollback"));
    IllegalStateException thrown = new IllegalStateException("out of stock");

    assertThatThrownBy(
            () ->
                Transactions.on(faulty.dataSource())
                    .run(
                        tx -> {
                          throw thrown;
                        }))
        .isSameAs(thrown)
        .hasSuppressedException(new IllegalStateException("no rollback"));
    assertThrownAway(faulty);
  }

  private static void assertThrownAway(FaultyDataSource faulty) throws SQLException {
    assertThat(faulty.given()).hasSize(1);
    assertThat(faulty.given().get(0).isClosed()).isTrue();
  }

  @Test
  void noConnectionIsLeakedByAThousandFailures() throws SQLException {
    HikariDataSource pool = (HikariDataSource) schema.dataSource(2);
    Transactions narrow = Transactions.on(pool);
    schema.execute(INSERT);

    for (int turn = 0; turn < 1_000; turn++) {
      int kind = turn % 4;
      Throwable failure =
          catchThrowable(
              () ->
                  narrow
                      .isolation(Isolation.SERIALIZABLE)
                      .run(
                          tx -> {
                            switch (kind) {
                              case 0 -> throw new IllegalStateException("unchecked");
                              case 1 -> insertOrder(tx);
                              case 2 -> tx.setRollbackOnly(new IOException("swallowed"));
                              default -> execute(tx.connection(), "selekt 1");
                            }
                          }));
      assertThat(failure).isNotNull();
    }

    assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
    try (Connection one = pool.getConnection();
        Connection other = pool.getConnection()) {
      assertThat(ask(one, "select 1")).isEqualTo(ask(other, "select 1"));
    }
  }

  @Test
  void anInterruptedThreadCanStillCommit() throws SQLException {
    transactions.run(
        tx -> {
          insertOrder(tx);
          Thread.currentThread().interrupt();
        });

    assertThat(Thread.interrupted()).as("interrupt flag").isTrue();
    assertThat(orders()).isEqualTo(1);
  }

  @Test
  void anInterruptedThreadCanStillRollBack() {
    assertThatThrownBy(
            () ->
                transactions.run(
                    tx -> {
                      insertOrder(tx);
                      Thread.currentThread().interrupt();
                      throw new InterruptedException();
                    }))
        .isInstanceOf(InterruptedException.class);

    assertThat(Thread.interrupted()).as("interrupt flag").isTrue();
    assertThat(orders()).isZero();
  }

  @Test
  void newTransactionIsIndependent() {
    assertThatThrownBy(
            () ->
                transactions.run(
                    outer -> {
                      execute(outer.connection(), "insert into orders values (2)");
                      transactions
                          .requiresNew()
                          .run(
                              inner -> {
                                assertThat(ask(inner.connection(), server.session))
                                    .isNotEqualTo(ask(outer.connection(), server.session));
                                insertOrder(inner);
                              });
                      throw new IllegalStateException("the outer one changed its mind");
                    }))
        .isInstanceOf(IllegalStateException.class);

    assertThat(schema.count("select id from orders")).isEqualTo(1);
  }

  @Test
  void missingTableIsObjectNotFound() {
    assertThatThrownBy(
            () -> transactions.run(tx -> execute(tx.connection(), "select * from nowhere")))
        .isInstanceOfSatisfying(
            SQLException.class,
            failure -> assertThat(SqlError.of(failure)).isEqualTo(SqlError.OBJECT_NOT_FOUND));
  }

  private static void insertOrder(Transaction tx) throws SQLException {
    execute(tx.connection(), INSERT);
  }

  private long orders() {
    return schema.count("select count(*) from orders");
  }
}
