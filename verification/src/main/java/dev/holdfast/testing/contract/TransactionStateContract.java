package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.guard.ConditionalUpdate;
import dev.holdfast.guard.CreateIfAbsent;
import dev.holdfast.guard.Rollup;
import dev.holdfast.guard.RowLocks;
import dev.holdfast.guard.Update;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.transaction.DatabaseException;
import dev.holdfast.transaction.Transaction;
import dev.holdfast.transaction.TransactionStateException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What guards and transactions say when somebody has ended the transaction behind their back. */
public abstract class TransactionStateContract extends DatabaseContract {
  private static final List<Consumer<Transaction>> GUARDS =
      List.of(
          tx -> Update.table("stock").set("n", 1).where("id", 7).version(0).apply(tx),
          tx -> ConditionalUpdate.table("stock").where("id", 7).decrease("n", 1).apply(tx),
          tx -> CreateIfAbsent.table("stock").key("id", 8).set("n", 1).set("version", 0).apply(tx),
          tx -> RowLocks.lock(tx, "stock", List.of(7)),
          tx -> Rollup.parent("stock").children("items", "stock_id").count("n").apply(tx, 7));

  protected TransactionStateContract(TestDatabase database) {
    super(database);
  }

  @BeforeEach
  void createStock() {
    schema.execute(
        "create table stock (id bigint primary key, n integer, version bigint not null)",
        "insert into stock values (7, 5, 0)",
        "create table items (id bigint primary key, stock_id bigint)",
        "create index items_by_stock on items (stock_id)");
  }

  @Test
  void noGuardWorksInAutocommitMode() throws SQLException {
    try (Connection connection = schema.unpooled().getConnection()) {
      connection.setAutoCommit(false);
      Transaction tx = Transaction.of(connection);
      connection.commit();
      connection.setAutoCommit(true);

      for (Consumer<Transaction> guard : GUARDS) {
        assertThatThrownBy(() -> guard.accept(tx))
            .isInstanceOf(TransactionStateException.class)
            .hasMessageMatching("(?is).*stock.*")
            .hasMessageContainingAll("autocommit", "Transaction.of");
      }
    }
    assertUnchanged();
  }

  @Test
  void guardsFailAfterEndOfTransaction() {
    List<Transaction> kept = new ArrayList<>();
    transactions.run(
        tx -> {
          kept.add(tx);
          kept.add(Transaction.of(tx.connection()));
        });

    for (Transaction tx : kept) {
      for (Consumer<Transaction> guard : GUARDS) {
        assertThatThrownBy(() -> guard.accept(tx))
            .isInstanceOf(TransactionStateException.class)
            .hasMessageMatching("(?is).*stock.*")
            .hasMessageContainingAll("the transaction has ended", "inside the work");
      }
    }
    assertUnchanged();
  }

  @Test
  void saysThatAJoinedConnectionIsClosed() throws SQLException {
    Connection connection = schema.unpooled().getConnection();
    connection.setAutoCommit(false);
    Transaction tx = Transaction.of(connection);
    connection.rollback();
    connection.close();

    assertThatThrownBy(() -> Transaction.of(connection)).hasMessageContaining("take a new one");
    for (Consumer<Transaction> guard : GUARDS) {
      assertThatThrownBy(() -> guard.accept(tx))
          .isInstanceOf(DatabaseException.class)
          .hasMessageMatching("(?is).*stock.*")
          .hasMessageContainingAll("closed", "take a new one");
    }
    assertUnchanged();
  }

  @Test
  void autocommitInsideWorkIsRejected() throws SQLException {
    AtomicInteger runs = new AtomicInteger();

    assertThatThrownBy(
            () ->
                transactions
                    .retrying(3)
                    .alsoOn(anything -> true)
                    .run(
                        tx -> {
                          runs.incrementAndGet();
                          GUARDS.get(0).accept(tx);
                          tx.connection().setAutoCommit(true);
                        }))
        .isInstanceOf(TransactionStateException.class)
        .hasMessageContainingAll("autocommit", "committed");

    assertThat(runs).hasValue(1);
    assertThat(schema.count("select n from stock where version = 1")).isEqualTo(1);
    transactions.run(tx -> assertThat(tx.connection().getAutoCommit()).isFalse());
  }

  private void assertUnchanged() {
    assertThat(schema.count("select n from stock where version = 0")).isEqualTo(5);
    assertThat(schema.count("select count(*) from stock")).isEqualTo(1);
  }
}
