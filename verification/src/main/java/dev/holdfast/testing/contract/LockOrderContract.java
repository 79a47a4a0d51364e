package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.guard.LockOrderException;
import dev.holdfast.guard.LockedRows;
import dev.holdfast.guard.RowLocks;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.transaction.Transaction;
import dev.holdfast.transaction.TransactionCallback;
import dev.holdfast.transaction.TransactionRolledBackException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** That row locks are taken in one order, and that whoever leaves it is told. */
public abstract class LockOrderContract extends DatabaseContract {
  private int tables;

  protected LockOrderContract(TestDatabase database) {
    super(database);
  }

  @BeforeEach
  void createTables() {
    schema.execute(
        "create table accounts (id bigint primary key)",
        "insert into accounts values (1), (2), (3), (4), (5)",
        "create table orders (id bigint primary key, order_no varchar(20) not null unique)",
        "insert into orders values (1, 'one'), (2, 'two')");
  }

  @Test
  void rejectsLowerKeyAndNamesBothCalls() {
    LockOrderException refused =
        catchThrowableOfType(
            LockOrderException.class,
            () ->
                transactions.run(
                    tx -> {
                      holdThree(tx);
                      askForTwo(tx);
                    }));

    assertThat(refused.held()).isEqualTo("'accounts' {id=3}");
    assertThat(refused.requested()).isEqualTo("'accounts' {id=2}");
    assertThat(refused.lockedAt()).matches(".*LockOrderContract\\.holdThree\\(.*java:\\d+\\)");
    assertThat(refused.requestedAt()).matches(".*LockOrderContract\\.askForTwo\\(.*java:\\d+\\)");
    assertThat(refused)
        .hasMessageContainingAll(
            refused.held(), refused.lockedAt(), refused.requested(), refused.requestedAt());
    assertThat(refused.code()).isEqualTo("guard-lock-order");
    assertThat(refused.isRetryable()).isFalse();
  }

  private static void holdThree(Transaction tx) {
    RowLocks.lock(tx, "accounts", List.of(3, 1));
  }

  private static void askForTwo(Transaction tx) {
    RowLocks.lock(tx, "accounts", List.of(4, 2));
  }

  @Test
  void rejectsTableBeforeHeldOne() {
    refused(
        "orders", "'accounts' {id=1}", tx -> lock(tx, "orders", 2), tx -> lock(tx, "accounts", 1));
    refused(
        "orders",
        "'accounts' {id=5}",
        tx -> RowLocks.of("orders", List.of(1)).and("accounts", List.of(1)).lock(tx),
        tx -> lock(tx, "accounts", 5));
  }

  @Test
  void refusesAnotherColumnOfTheSameTable() {
    refused(
        "orders",
        "'orders' {order_no=two}",
        tx -> lock(tx, "orders", 1),
        tx -> RowLocks.of("orders", "order_no", List.of("two")).lock(tx));
  }

  @Test
  void rejectsBeforeLockingAndRollsBack() {
    assertThatThrownBy(
            () ->
                transactions.run(
                    tx -> {
                      lock(tx, "accounts", 3);
                      assertThatThrownBy(
                              () ->
                                  RowLocks.of("accounts", List.of(2, 4))
                                      .and("orders", List.of(1))
                                      .lock(tx))
                          .isInstanceOf(LockOrderException.class);
                      assertThat(schema.query("select id from accounts for update skip locked"))
                          .hasSize(4);
                    }))
        .isInstanceOf(TransactionRolledBackException.class)
        .hasCauseInstanceOf(LockOrderException.class);
  }

  @Test
  void allowsWhatKeepsTheOrder() {
    transactions.run(
        tx -> {
          lock(tx, "accounts", 77, 1, 2);
          lock(tx, "accounts", 2, 1);
          lock(tx, "accounts", 2, 3);
          lock(tx, "orders", 1);
          lock(tx, "accounts", 3, 1);
          RowLocks.of("accounts", List.of(2)).and("orders", List.of(2, 1)).lock(tx);
          RowLocks.of("accounts", List.of()).lock(tx);
        });
    transactions.run(tx -> lock(tx, "accounts", 1));
  }

  @Test
  void aRowThatIsMissingIsNotHeld() {
    transactions.run(
        tx -> {
          lock(tx, "orders", 77);
          lock(tx, "accounts", 77);
          lock(tx, "accounts", 1);
        });
  }

  @Test
  void nonWaitingLockMayBreakOrder() {
    transactions.run(
        tx -> {
          lock(tx, "orders", 2);
          RowLocks.of("accounts", List.of(4, 2)).nowait().lock(tx);
          RowLocks.of("accounts", List.of(3)).skipLocked().lock(tx);
          lock(tx, "accounts", 2, 3, 4);
        });
    refused(
        "{id=4}",
        "'accounts' {id=3}",
        tx -> {
          RowLocks.of("accounts", List.of(4)).nowait().lock(tx);
          RowLocks.of("accounts", List.of(2)).nowait().lock(tx);
        },
        tx -> lock(tx, "accounts", 3));
  }

  @Test
  void refusesToStrengthenALockThatIsHeld() {
    assumeTrue(database().name().equals("PostgreSQL"), "elsewhere there is one strength only");
    refused(
        "accounts",
        "'accounts' {id=3}",
        tx -> lock(tx, "accounts", 3),
        tx -> RowLocks.of("accounts", List.of(3)).forDeletion().lock(tx));
    transactions.run(
        tx -> {
          RowLocks.of("accounts", List.of(3)).forDeletion().lock(tx);
          RowLocks.of("accounts", List.of(3)).forDeletion().lock(tx);
          lock(tx, "accounts", 3);
        });
  }

  @Test
  void watchesOverTheCallersOwnTransaction() throws SQLException {
    try (Connection connection = schema.unpooled().getConnection()) {
      connection.setAutoCommit(false);
      Transaction tx = Transaction.of(connection);
      lock(tx, "accounts", 3);
      assertThatThrownBy(() -> lock(tx, "accounts", 2)).isInstanceOf(LockOrderException.class);
      connection.rollback();
    }
  }

  @Test
  void sharesOrderWithJoinedTransactions() {
    refused(
        "'accounts' {id=3}",
        "'accounts' {id=2}",
        tx -> lock(tx, "accounts", 3),
        tx -> lock(Transaction.of(tx.connection()), "accounts", 2));
    refused(
        "'accounts' {id=3}",
        "'accounts' {id=2}",
        tx -> lock(Transaction.of(tx.connection()), "accounts", 3),
        tx -> lock(tx, "accounts", 2));
    refused(
        "'orders' {id=1}",
        "'accounts' {id=1}",
        tx -> lock(Transaction.of(tx.connection()), "orders", 1),
        tx -> lock(Transaction.of(tx.connection()), "accounts", 1));
    // the next transaction, on the same connection of the pool, begins anew
    transactions.run(tx -> lock(Transaction.of(tx.connection()), "accounts", 1));
  }

  @Test
  void theDatabaseDecidesWhichKeyComesFirst() {
    List<String> words =
        List.of("a", "B", "c", "D", "é", "f", "Z", "z1", "10", "9", "_", "a b", "ab");
    assertOrderOf("varchar(20)", words);
    assertOrderOf(ignoringCase(), words);
    assertOrderOf("decimal(10, 2)", List.of("9.5", "10.25", "-3", "100"));
    assertOrderOf("date", List.of("2026-01-10", "2026-01-09", "1999-12-31"));
    assertOrderOf(
        database().name().equals("MySQL") ? "varchar(36)" : "uuid",
        IntStream.range(0, 8)
            .mapToObj(i -> UUID.nameUUIDFromBytes(new byte[] {(byte) i}).toString())
            .toList());
  }

  /** Every two keys are allowed in the order of the database, and refused in the other. */
  private void assertOrderOf(String type, List<String> keys) {
    String table = "words_" + tables++;
    schema.execute("create table " + table + " (word " + type + " primary key)");
    keys.forEach(key -> schema.execute("insert into " + table + " values ('" + key + "')"));
    List<String> ordered =
        schema.query("select word from " + table + " order by word").stream()
            .map(row -> Objects.requireNonNull(row.get("word")).toString())
            .toList();
    assertThat(ordered).hasSameSizeAs(keys);
    for (int low = 0; low < ordered.size(); low++) {
      for (int high = low + 1; high < ordered.size(); high++) {
        RowLocks first = RowLocks.of(table, "word", List.of(ordered.get(low)));
        RowLocks second = RowLocks.of(table, "word", List.of(ordered.get(high)));
        transactions.run(
            tx -> {
              first.lock(tx).requireAll();
              second.lock(tx).requireAll();
            });
        refused(table, ordered.get(low), second::lock, first::lock);
      }
    }
  }

  @Test
  void theDatabaseDecidesWhichKeysAreTheSame() {
    schema.execute(
        "create table words (word " + ignoringCase() + " primary key)",
        "insert into words values ('apple'), ('Pear')");
    transactions.run(
        tx -> {
          LockedRows words =
              RowLocks.of("words", "word", List.of("PEAR", "apple", "Apple", "fig")).lock(tx);
          assertThat(words.rows("words")).hasSize(2);
          assertThat(words.row("words", "PEAR").get("word")).isEqualTo("Pear");
          assertThat(words.row("words", "Apple").get("word")).isEqualTo("apple");
          assertThat(words.missing()).containsExactly(new LockedRows.Key("words", "word", "fig"));
          // held, though under another text
          RowLocks.of("words", "word", List.of("APPLE", "pear")).lock(tx).requireAll();
        });
  }

  private String ignoringCase() {
    return switch (database().name()) {
      case "PostgreSQL" -> {
        schema.execute(
            "create collation if not exists ignoring_case (provider = icu, locale ="
                + " 'und-u-ks-level2', deterministic = false)");
        yield "varchar(20) collate ignoring_case";
      }
      case "H2" -> "varchar_ignorecase(20)";
      default -> "varchar(20)";
    };
  }

  @Test
  void takesTheLocksInTheOrderOfTheKeys() {
    for (int count : List.of(3, 2_000)) {
      new LockOrderProbe(schema, transactions, "id", count)
          .assertInOrder((tx, ids) -> RowLocks.lock(tx, "things", ids));
      new LockOrderProbe(schema, transactions, "word", count)
          .assertInOrder((tx, words) -> RowLocks.of("things", "word", words).lock(tx));
    }
  }

  @Test
  void controlInGivenOrderFails() {
    LockOrderProbe probe = new LockOrderProbe(schema, transactions, "id", 3);
    assertThatThrownBy(
            () ->
                probe.assertInOrder(
                    (tx, ids) -> {
                      for (String id : ids) {
                        Sql.number(
                            tx.connection(),
                            "select count(*) from (select id from things where id = '"
                                + id
                                + "' for update) x");
                      }
                    }))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("[rows that are free]");
  }

  private static void lock(Transaction tx, String table, Object... ids) {
    RowLocks.lock(tx, table, List.of(ids));
  }

  private void refused(
      String held,
      String asked,
      TransactionCallback.WithoutResult<RuntimeException> first,
      TransactionCallback.WithoutResult<RuntimeException> second) {
    LockOrderException refused =
        catchThrowableOfType(
            LockOrderException.class,
            () ->
                transactions.run(
                    tx -> {
                      first.in(tx);
                      second.in(tx);
                    }));
    assertThat(refused.held()).contains(held);
    assertThat(refused.requested()).contains(asked);
  }
}
