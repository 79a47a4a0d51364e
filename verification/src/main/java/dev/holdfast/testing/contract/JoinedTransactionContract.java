package dev.holdfast.testing.contract;

import static dev.holdfast.testing.contract.SqlConflictsContract.jdbcLevel;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.transaction.Isolation;
import dev.holdfast.transaction.SqlError;
import dev.holdfast.transaction.Transaction;
import dev.holdfast.transaction.TransactionRolledBackException;
import dev.holdfast.transaction.TransactionStateException;
import dev.holdfast.transaction.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a part of somebody else's transaction does, and above all what it does not. */
public abstract class JoinedTransactionContract extends FloorContract {
  private static final String INSERT = "insert into orders values (1)";
  private static final Set<Isolation> ASKED_FOR =
      EnumSet.range(Isolation.READ_COMMITTED, Isolation.SERIALIZABLE);
  private static final Duration SHORT = Duration.ofMillis(50);

  protected JoinedTransactionContract(TestDatabase database) {
    super(database);
  }

  @BeforeEach
  void createOrders() {
    schema.execute(
        "create table orders (id bigint primary key)",
        "create table locked (id bigint primary key, n integer)",
        "insert into locked values (1, 1)");
  }

  @Test
  void endsWithTheTransactionOfItsOwner() throws SQLException {
    assertEndsWithItsOwner(transactions, 1);
    assertEndsWithItsOwner(limited(), 2);
  }

  private void assertEndsWithItsOwner(Transactions joining, int order) throws SQLException {
    String insert = "insert into orders values (" + order + ")";
    try (Connection owner = beginning()) {
      String answer =
          joining.call(
              Transaction.of(owner),
              tx -> {
                execute(tx.connection(), insert);
                return "done";
              });

      assertThat(answer).isEqualTo("done");
      assertThat(orders()).as("before the owner has ended it").isEqualTo(order - 1);
      owner.rollback();
      assertThat(orders()).as("after the owner has rolled back").isEqualTo(order - 1);

      joining.run(Transaction.of(owner), tx -> execute(tx.connection(), insert));
      owner.commit();
      assertThat(orders()).as("after the owner has committed").isEqualTo(order);
    }
  }

  @Test
  void reportsSwallowedErrorToOwner() throws SQLException {
    try (Connection owner = beginning()) {
      IllegalStateException swallowed = new IllegalStateException("out of stock");

      assertThatThrownBy(
              () -> transactions.run(Transaction.of(owner), tx -> tx.setRollbackOnly(swallowed)))
          .isInstanceOf(TransactionRolledBackException.class)
          .hasCause(swallowed);
      owner.rollback();
    }
  }

  @Test
  void leavesAFailureToItsOwner() throws SQLException {
    try (Connection owner = beginning()) {
      IllegalStateException thrown = new IllegalStateException("out of stock");

      Throwable caught =
          catchThrowable(
              () ->
                  transactions.run(
                      Transaction.of(owner),
                      tx -> {
                        execute(tx.connection(), INSERT);
                        tx.setRollbackOnly(thrown);
                        throw thrown;
                      }));

      assertThat(caught).isSameAs(thrown).hasNoSuppressedExceptions();
      // the owner may know better
      owner.commit();
      assertThat(orders()).isEqualTo(1);
    }
  }

  @Test
  void refusesWhatIsNoTransaction() throws SQLException {
    Connection connection = connect();
    try (connection) {
      assertThatThrownBy(() -> transactions.run(Transaction.of(connection), tx -> {}))
          .isInstanceOf(InvalidArgumentException.class)
          .hasMessageContaining("autocommit");
    }
    assertThatThrownBy(() -> transactions.run(Transaction.of(connection), tx -> {}))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("closed");
  }

  @Test
  void refusesAnotherIsolationThanItNeeds() throws SQLException {
    for (Isolation actual : ASKED_FOR) {
      try (Connection owner = connect()) {
        owner.setTransactionIsolation(jdbcLevel(actual));
        owner.setAutoCommit(false);
        assertJoinsOnly(actual, owner);
        owner.rollback();
      }
      transactions.isolation(actual).run(tx -> assertJoinsOnly(actual, tx.connection()));
    }
  }

  @Test
  void requiresCommittedReads() throws SQLException {
    Transactions committed = transactions.isolation(Isolation.READ_COMMITTED);
    try (Connection owner = connect()) {
      owner.setTransactionIsolation(Connection.TRANSACTION_READ_UNCOMMITTED);
      owner.setAutoCommit(false);
      if (database().name().equals("PostgreSQL")) {
        committed.run(Transaction.of(owner), tx -> {});
      } else {
        assertThatThrownBy(() -> committed.run(Transaction.of(owner), tx -> {}))
            .isInstanceOf(TransactionStateException.class)
            .hasMessageContainingAll("must be READ COMMITTED", "was READ UNCOMMITTED");
      }
    }
    assertThatThrownBy(() -> transactions.isolation(Isolation.READ_UNCOMMITTED))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("READ UNCOMMITTED");
  }

  private void assertJoinsOnly(Isolation actual, Connection owner) {
    for (Isolation asked : ASKED_FOR) {
      Throwable refusal =
          catchThrowable(() -> transactions.isolation(asked).run(Transaction.of(owner), tx -> {}));
      if (asked == actual) {
        assertThat(refusal).isNull();
      } else {
        assertThat(refusal)
            .isInstanceOf(TransactionStateException.class)
            .hasMessageContaining(asked.name().replace('_', ' '))
            .hasMessageContaining(actual.name().replace('_', ' '));
      }
    }
  }

  @Test
  void refusesToWriteWhereItOnlyReads() throws SQLException {
    try (Connection owner = beginning()) {
      assertThatThrownBy(
              () ->
                  transactions
                      .readOnly()
                      .run(Transaction.of(owner), tx -> tx.requireWritable(() -> "an update")))
          .isInstanceOf(TransactionStateException.class)
          .hasMessageContaining("read-only");
      transactions.run(Transaction.of(owner), tx -> tx.requireWritable(() -> "an update"));
    }
  }

  @Test
  void itsTimeLimitsAreInForce() throws SQLException {
    try (Connection holder = beginning();
        Connection owner = beginning()) {
      execute(holder, "update locked set n = 2");

      assertError(
          SqlError.LOCK_TIMEOUT,
          "lock timeout",
          catchThrowable(
              () ->
                  transactions
                      .lockTimeout(SHORT)
                      .run(
                          Transaction.of(owner),
                          tx -> execute(tx.connection(), "update locked set n = 3"))));
      owner.rollback();
      assertError(
          SqlError.STATEMENT_TIMEOUT,
          "statement timeout",
          catchThrowable(
              () ->
                  transactions
                      .statementTimeout(SHORT)
                      .run(Transaction.of(owner), tx -> execute(tx.connection(), server.endless))));
    }
  }

  @Test
  void theTimeLimitsOfItsOwnerAreRestored() throws SQLException {
    Transactions limited = limited();
    transactions
        .lockTimeout(Duration.ofSeconds(11))
        .statementTimeout(Duration.ofSeconds(12))
        .run(
            owner -> {
              String before = timeLimits(owner);
              assertThat(before).contains("11", "12");

              limited.run(owner, tx -> assertThat(timeLimits(tx)).contains("5", "6"));
              assertThat(timeLimits(owner)).as("after success").isEqualTo(before);

              mustFail(
                  () ->
                      limited.run(
                          owner,
                          tx -> {
                            throw new IllegalStateException("out of stock");
                          }));
              assertThat(timeLimits(owner)).as("after failure").isEqualTo(before);
            });
  }

  @Test
  void restoresTimeoutsAfterRejection() throws SQLException {
    try (Connection owner = beginning()) {
      String before = timeLimits(Transaction.of(owner));
      for (String refused : List.of("selekt 1", "insert into orders values (null)")) {
        mustFail(
            () -> limited().run(Transaction.of(owner), tx -> execute(tx.connection(), refused)));
        owner.rollback();
        assertThat(timeLimits(Transaction.of(owner))).as(refused).isEqualTo(before);
      }
    }
  }

  @Test
  void lostConnectionKeepsFirstError() throws SQLException {
    try (Connection owner = beginning()) {
      IllegalStateException thrown = new IllegalStateException("out of stock");
      Throwable caught =
          catchThrowable(
              () ->
                  limited()
                      .run(
                          Transaction.of(owner),
                          tx -> {
                            kill(tx.connection());
                            throw thrown;
                          }));
      assertThat(caught).isSameAs(thrown);
      assertThat(caught.getSuppressed()).hasSize(1);
    }
  }

  @Test
  void newTransactionUsesOtherConnection() throws SQLException {
    try (Connection owner = beginning()) {
      transactions.run(
          Transaction.of(owner),
          joined ->
              transactions
                  .requiresNew()
                  .run(
                      own -> {
                        assertThat(ask(own.connection(), server.session))
                            .isNotEqualTo(ask(joined.connection(), server.session));
                        execute(own.connection(), INSERT);
                      }));
      owner.rollback();
    }
    assertThat(orders()).isEqualTo(1);
  }

  private Transactions limited() {
    return transactions.lockTimeout(Duration.ofSeconds(5)).statementTimeout(Duration.ofSeconds(6));
  }

  private String timeLimits(Transaction tx) throws SQLException {
    return ask(tx.connection(), server.lockTimeout)
        + ", "
        + ask(tx.connection(), server.statementTimeout);
  }

  private Connection beginning() throws SQLException {
    Connection owner = connect();
    owner.setAutoCommit(false);
    return owner;
  }

  private long orders() {
    return schema.count("select count(*) from orders");
  }
}
