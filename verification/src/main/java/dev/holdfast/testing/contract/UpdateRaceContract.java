package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.guard.Update;
import dev.holdfast.guard.UpdateResult;
import dev.holdfast.testing.ConcurrentActors;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.transaction.DatabaseException;
import dev.holdfast.transaction.Isolation;
import dev.holdfast.transaction.Retrying;
import dev.holdfast.transaction.SqlError;
import dev.holdfast.transaction.Transaction;
import dev.holdfast.transaction.Transactions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the versioned update guarantees against others who change the same row. */
public abstract class UpdateRaceContract extends DatabaseContract {
  protected UpdateRaceContract(TestDatabase database) {
    super(database);
  }

  @BeforeEach
  void createCart() {
    schema.execute(
        """
        create table cart_items (
          id bigint primary key,
          quantity integer not null,
          note varchar(100),
          changed_at timestamp(6) null,
          version bigint not null)
        """,
        "insert into cart_items (id, quantity, version) values (7, 1, 5)");
  }

  private static Update quantity(int quantity) {
    return Update.table("cart_items").set("quantity", quantity).where("id", 7);
  }

  @Test
  void seesLatestVersionInOldSnapshot() throws SQLException {
    try (Connection reader = schema.unpooled().getConnection()) {
      reader.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      reader.setAutoCommit(false);
      long seen = read(reader, "select version from cart_items where id = 7");
      transactions.run(tx -> quantity(2).version(5).applyOrThrow(tx));

      // a stale snapshot ends in a conflict or in an error that a retry cures, never in a lost
      // update
      try {
        UpdateResult result = quantity(9).version(seen).apply(Transaction.of(reader));
        assertThat(result).isInstanceOf(UpdateResult.Conflict.class);
        assertThat(((UpdateResult.Conflict) result).version()).isEqualTo(6);
      } catch (DatabaseException e) {
        // H2 answers with its deadlock error here
        assertThat(e.error()).isIn(SqlError.SERIALIZATION_FAILURE, SqlError.DEADLOCK);
      }
      reader.rollback();
    }
    assertThat(schema.count("select quantity from cart_items")).isEqualTo(2);
  }

  @Test
  void oneOfConcurrentUpdatesWins() {
    assertOneWinner(
        index ->
            transactions.call(tx -> quantity(index).version(5).apply(tx))
                instanceof UpdateResult.Applied);
  }

  @Test
  void controlWithoutVersionFails() {
    CyclicBarrier allHaveRead = new CyclicBarrier(CONTENDERS);
    assertThatThrownBy(
            () ->
                assertOneWinner(
                    index ->
                        transactions.call(
                            tx -> {
                              long version =
                                  read(tx.connection(), "select version from cart_items");
                              allHaveRead.await(30, TimeUnit.SECONDS);
                              return version == 5
                                  && write(
                                          tx.connection(),
                                          "update cart_items set quantity = ?, version = version +"
                                              + " 1",
                                          index)
                                      == 1;
                            })))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("[winners]");
  }

  private static final int CONTENDERS = 16;

  private void assertOneWinner(ConcurrentActors.Actor<Boolean> change) {
    List<Boolean> won = ConcurrentActors.run(CONTENDERS, change).resultsOrThrow();
    assertThat(won).filteredOn(winner -> winner).as("winners").hasSize(1);
    assertThat(schema.count("select version from cart_items")).isEqualTo(6);
  }

  @Test
  void optimisticTransfersConserveMoney() {
    TransferStorm.createAccounts(schema);
    Retrying retrying =
        transactions
            .isolation(Isolation.READ_COMMITTED)
            .retrying(1000)
            .within(Duration.ofMinutes(5))
            .backoff(Duration.ofMillis(1), Duration.ofMillis(30));

    TransferStorm.run(
        schema,
        (from, to, cents) ->
            retrying.run(
                tx -> {
                  // in one order, or two transfers in opposite directions would deadlock
                  change(tx, Math.min(from, to), from < to ? -cents : cents);
                  change(tx, Math.max(from, to), from < to ? cents : -cents);
                }));
  }

  private static void change(Transaction tx, long account, long delta) throws SQLException {
    try (PreparedStatement select =
        tx.connection().prepareStatement("select cents, version from accounts where id = ?")) {
      select.setLong(1, account);
      try (ResultSet row = select.executeQuery()) {
        row.next();
        Update.table("accounts")
            .set("cents", row.getLong("cents") + delta)
            .where("id", account)
            .version(row.getLong("version"))
            .applyOrThrow(tx);
      }
    }
  }

  @Test
  void controlOverwritingUnseenChangesFails() {
    TransferStorm.createAccounts(schema);
    Transactions careless = transactions.isolation(Isolation.READ_COMMITTED);
    CyclicBarrier allHaveRead = new CyclicBarrier(TransferStorm.THREADS);
    ThreadLocal<Boolean> first = ThreadLocal.withInitial(() -> true);

    assertThatThrownBy(
            () ->
                TransferStorm.run(
                    schema,
                    (from, to, cents) ->
                        careless.run(
                            tx -> {
                              Connection connection = tx.connection();
                              String balance = "select cents from accounts where id = ";
                              long low = read(connection, balance + Math.min(from, to));
                              long high = read(connection, balance + Math.max(from, to));
                              if (first.get()) {
                                first.set(false);
                                allHaveRead.await(30, TimeUnit.SECONDS);
                              }
                              String set = "update accounts set cents = ? where id = ";
                              long delta = from < to ? -cents : cents;
                              write(connection, set + Math.min(from, to), low + delta);
                              write(connection, set + Math.max(from, to), high - delta);
                            })))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("balance of account");
  }

  private static long read(Connection connection, String query) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(query);
        ResultSet row = statement.executeQuery()) {
      row.next();
      return row.getLong(1);
    }
  }

  private static int write(Connection connection, String change, long value) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(change)) {
      statement.setLong(1, value);
      return statement.executeUpdate();
    }
  }
}
