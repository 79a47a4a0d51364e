package dev.holdfast.testing.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import dev.holdfast.transaction.CommitUnknownException;
import dev.holdfast.transaction.Isolation;
import dev.holdfast.transaction.RetriesExhaustedException;
import dev.holdfast.transaction.SqlError;
import dev.holdfast.transaction.Transaction;
import dev.holdfast.transaction.Transactions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The snippets of the guide to transactions, run. */
class TransactionsGuideIT {
  private final TestSchema schema = TestDatabase.postgreSql().newSchema();
  private final Transactions transactions = Transactions.on(schema.dataSource(4));
  private final Orders orders = new Orders();

  private static final class Orders {
    long create(Connection connection, long id) throws SQLException {
      try (PreparedStatement insert =
          connection.prepareStatement("insert into orders (id) values (?)")) {
        insert.setLong(1, id);
        return insert.executeUpdate();
      }
    }
  }

  @BeforeEach
  void createTable() {
    schema.execute("create table orders (id bigint primary key)");
  }

  @AfterEach
  void dropSchema() {
    schema.close();
  }

  @Test
  void oneTransaction() throws SQLException {
    long created = transactions.call(tx -> orders.create(tx.connection(), 1));

    assertThat(created).isEqualTo(1);
  }

  @Test
  void settings() throws SQLException {
    Transactions careful =
        transactions
            .isolation(Isolation.SERIALIZABLE)
            .statementTimeout(Duration.ofSeconds(5))
            .lockTimeout(Duration.ofSeconds(1));
    careful.run(tx -> orders.create(tx.connection(), 2));

    assertThat(schema.count("select count(*) from orders")).isEqualTo(1);
  }

  @Test
  void inTheCurrentTransaction() throws SQLException {
    transactions.run(
        tx -> {
          orders.create(tx.connection(), 7);
          transactions.run(inner -> orders.create(inner.connection(), 8)); // the same transaction
          transactions
              .requiresNew()
              .run(audit -> orders.create(audit.connection(), 9)); // another one
        });
    assertThat(schema.count("select count(*) from orders")).isEqualTo(3);
  }

  @Test
  void joining() throws SQLException {
    try (Connection connection = schema.unpooled().getConnection()) {
      connection.setAutoCommit(false);

      Transaction tx = Transaction.of(connection); // yours to commit or roll back

      orders.create(tx.connection(), 3);
      connection.rollback();
    }
    assertThat(schema.count("select count(*) from orders")).isZero();
  }

  @Test
  void joiningAndCounting() throws SQLException {
    Holdfast holdfast = Holdfast.create(schema.dataSource());
    try (Connection connection = schema.unpooled().getConnection()) {
      connection.setAutoCommit(false);
      holdfast
          .transactions()
          .run(Transaction.of(connection), tx -> orders.create(tx.connection(), 6));
      connection.commit();
    }
    assertThat(schema.count("select count(*) from orders")).isEqualTo(1);
  }

  @Test
  void retrying() throws SQLException {
    transactions
        .isolation(Isolation.SERIALIZABLE)
        .retrying(5)
        .within(Duration.ofSeconds(10))
        .named("create order")
        .run(tx -> orders.create(tx.connection(), 4));

    assertThat(schema.count("select count(*) from orders")).isEqualTo(1);
  }

  @Test
  void classifying() throws SQLException {
    schema.execute("insert into orders (id) values (5)");
    String answer;
    try {
      transactions.run(tx -> orders.create(tx.connection(), 5));
      answer = "created";
    } catch (SQLException e) {
      answer = SqlError.of(e) == SqlError.UNIQUE_VIOLATION ? "there already" : "failed";
    }
    assertThat(answer).isEqualTo("there already");
  }

  @Test
  void outcomesOfARetry() {
    assertThatThrownBy(
            () -> {
              try {
                transactions.retrying(2).run(tx -> conflict());
              } catch (RetriesExhaustedException e) {
                report(e.attempts(), e.reason(), e.failures()); // nothing has taken effect
                throw e;
              } catch (CommitUnknownException e) {
                findOutByReading(); // it may have taken effect
              }
            })
        .isInstanceOf(RetriesExhaustedException.class);
  }

  private static void conflict() throws SQLException {
    throw new SQLException("could not serialize access", "40001");
  }

  private static void report(
      int attempts, RetriesExhaustedException.Reason reason, Object failures) {
    assertThat(attempts).isEqualTo(2);
    assertThat(reason).isEqualTo(RetriesExhaustedException.Reason.ATTEMPTS);
    assertThat(failures).isNotNull();
  }

  private static void findOutByReading() {
    throw new AssertionError("no commit was lost here");
  }
}
