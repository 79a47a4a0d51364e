package dev.holdfast.testing.contract;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.guard.GuardException;
import dev.holdfast.guard.LockedRows;
import dev.holdfast.guard.RowLocks;
import dev.holdfast.guard.RowsNotFoundException;
import dev.holdfast.testing.ConcurrentActors;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.transaction.DatabaseException;
import dev.holdfast.transaction.Isolation;
import dev.holdfast.transaction.Row;
import dev.holdfast.transaction.SqlError;
import dev.holdfast.transaction.Transaction;
import dev.holdfast.transaction.TransactionCallback;
import dev.holdfast.transaction.TransactionStateException;
import dev.holdfast.transaction.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What row locks guarantee. */
public abstract class RowLocksContract extends DatabaseContract {
  protected RowLocksContract(TestDatabase database) {
    super(database);
  }

  @BeforeEach
  void createAccounts() {
    TransferStorm.createAccounts(schema);
  }

  @Test
  void locksEachRowOnceInKeyOrder() {
    transactions.run(
        tx -> {
          LockedRows accounts = RowLocks.lock(tx, "accounts", List.of(5L, 2, 5, 3L, 2L));

          assertThat(accounts.rows("accounts"))
              .extracting(row -> row.number("id"))
              .containsExactly(2L, 3L, 5L);
          assertThat(accounts.row("accounts", 5).number("cents"))
              .isEqualTo(TransferStorm.OPENING_BALANCE);
          assertThat(accounts.requireAll().missing()).isEmpty();
          assertThat(freeAccounts()).containsExactly(1L, 4L, 6L, 7L, 8L);
        });
    assertThat(freeAccounts()).hasSize(TransferStorm.ACCOUNTS);
  }

  @Test
  void saysWhichRowsAreMissing() {
    transactions.run(
        tx -> {
          LockedRows accounts = RowLocks.lock(tx, "accounts", List.of(1, 77, 2, 99));

          assertThat(accounts.rows("accounts")).hasSize(2);
          assertThat(accounts.missing())
              .containsExactly(
                  new LockedRows.Key("accounts", "id", 77),
                  new LockedRows.Key("accounts", "id", 99));
          assertThat(accounts.skipped()).isEmpty();
          assertThat(accounts.find("accounts", 77)).isEmpty();
          assertThatThrownBy(accounts::requireAll)
              .isInstanceOf(RowsNotFoundException.class)
              .hasMessageContainingAll("'accounts' {id=77}", "'accounts' {id=99}", "do not exist");
          for (Object missing : new Object[] {99, 99L}) {
            assertThatThrownBy(() -> accounts.row("accounts", missing))
                .isInstanceOf(RowsNotFoundException.class)
                .hasMessageContainingAll("do not exist", "{id=99}");
          }
          assertThatThrownBy(() -> accounts.row("accounts", 3))
              .isInstanceOf(InvalidArgumentException.class)
              .hasMessageContainingAll("asked for", "'accounts' {id=3} was not");
          assertThatThrownBy(() -> accounts.rows("orders"))
              .isInstanceOf(InvalidArgumentException.class);
        });
  }

  @Test
  void locksRowsOfSeveralTablesByTheirKeys() {
    createOrders();
    transactions.run(
        tx -> {
          LockedRows rows =
              RowLocks.of("orders", "order_no", List.of("b-2", "A-1", "nope"))
                  .and("accounts", List.of(4))
                  .and("orders", "order_no", List.of("c-3", "A-1"))
                  .lock(tx);

          assertThat(rows.rows("orders")).hasSize(3);
          assertThat(rows.row("orders", "b-2").number("id")).isEqualTo(2);
          assertThat(rows.row("accounts", 4L).number("id")).isEqualTo(4);
          assertThat(rows.missing())
              .containsExactly(new LockedRows.Key("orders", "order_no", "nope"));
        });
  }

  private void createOrders() {
    schema.execute(
        "create table orders (id bigint primary key, order_no varchar(20) not null unique, kind"
            + " integer)",
        "insert into orders values (3, 'A-1', 1)",
        "insert into orders values (2, 'b-2', 1)",
        "insert into orders values (1, 'c-3', 2)");
  }

  @Test
  void locksNothingForNoKeys() {
    transactions.run(
        tx -> {
          LockedRows rows = RowLocks.lock(tx, "no_such_table", List.of());
          assertThat(rows.rows("no_such_table")).isEmpty();
          assertThat(rows.requireAll().missing()).isEmpty();
        });
  }

  @Test
  @SuppressWarnings("NullAway") // not everybody's compiler keeps null out
  void refusesBadInputBeforeAnythingIsSent() {
    RowLocks ok = RowLocks.of("accounts", List.of(1));
    refused("key", () -> RowLocks.of("accounts", Arrays.asList(1, null)));
    refused("keys", () -> RowLocks.of("accounts", null));
    refused("one type", () -> RowLocks.of("accounts", List.of(1, "2")));
    refused("floating", () -> RowLocks.of("accounts", List.of(1.0)));
    refused("blank", () -> RowLocks.of(" ", List.of(1)));
    refused("10000", () -> RowLocks.of("a", LongStream.rangeClosed(0, 10_000).boxed().toList()));
    refused("exclude", () -> ok.nowait().skipLocked());
    refused("exclude", () -> ok.waitAtMost(Duration.ofSeconds(1)).nowait());
    refused("waitAtMost", () -> ok.waitAtMost(Duration.ZERO));
    refused("tx", () -> ok.lock(null));
    assertThatThrownBy(() -> transactions.readOnly().run(tx -> ok.lock(tx)))
        .isInstanceOf(TransactionStateException.class)
        .hasMessageContaining("read-only");
    refused("name", () -> transactions.run(tx -> RowLocks.lock(tx, "a; drop", List.of())));
    refused("name", () -> transactions.run(tx -> RowLocks.of("a", "b c", List.of()).lock(tx)));
    refused(
        "one column",
        () -> transactions.run(tx -> ok.and("accounts", "cents", List.of(1)).lock(tx)));
  }

  private static void refused(String because, Runnable call) {
    assertThatThrownBy(call::run)
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining(because);
  }

  @Test
  void refusesAKeyThatNamesSeveralRows() {
    createOrders();
    schema.execute("create index kinds on orders (kind)");

    assertThatThrownBy(
            () -> transactions.run(tx -> RowLocks.of("orders", "kind", List.of(2, 1)).lock(tx)))
        .isInstanceOf(GuardException.class)
        .hasMessageContaining("kind=1");
  }

  @Test
  void saysWhichNameIsWrong() {
    for (RowLocks wrong :
        List.of(
            RowLocks.of("no_such", List.of(1)), RowLocks.of("accounts", "no_such", List.of(1)))) {
      assertThatThrownBy(() -> transactions.run(tx -> wrong.lock(tx)))
          .isInstanceOf(DatabaseException.class)
          .hasMessageMatching("(?is).*no_such.*")
          .hasMessageContaining("RowLocks.of(table, column, keys)");
    }
  }

  @Test
  void failsAtOnceWithNowait() throws SQLException {
    try (Connection other = holding(2L)) {
      assertLockTimeout(RowLocks.of("accounts", List.of(1, 2, 3)).nowait());
      other.rollback();
    }
    transactions.run(tx -> RowLocks.of("accounts", List.of(1, 2, 3)).nowait().lock(tx));
  }

  @Test
  void waitsUpToTimeoutAndRestoresIt() throws SQLException {
    RowLocks locks = RowLocks.of("accounts", List.of(1, 2)).waitAtMost(Duration.ofMillis(100));
    try (Connection other = holding(2L)) {
      assertLockTimeout(locks);
      other.rollback();
    }
    transactions
        .lockTimeout(Duration.ofSeconds(7))
        .run(
            tx -> {
              String before = lockTimeout(tx);
              locks.lock(tx).requireAll();
              assertThat(before).contains("7");
              assertThat(lockTimeout(tx)).isEqualTo(before);
            });
    // after a failure, on the caller's own connection
    try (Connection mine = schema.unpooled().getConnection();
        Connection other = holding(2L)) {
      mine.setAutoCommit(false);
      String before = lockTimeout(Transaction.of(mine));
      assertThatThrownBy(() -> locks.lock(Transaction.of(mine)))
          .isInstanceOf(DatabaseException.class);
      mine.rollback();
      assertThat(lockTimeout(Transaction.of(mine))).isEqualTo(before);
      mine.rollback();
      other.rollback();
    }
  }

  private String lockTimeout(Transaction tx) throws SQLException {
    String query =
        switch (database().name()) {
          case "PostgreSQL" -> "show lock_timeout";
          case "H2" -> "select lock_timeout()";
          default -> "select @@session.innodb_lock_wait_timeout";
        };
    try (var statement = tx.connection().createStatement();
        var answer = statement.executeQuery(query)) {
      answer.next();
      return answer.getString(1);
    }
  }

  private void assertLockTimeout(RowLocks locks) {
    assertThatThrownBy(() -> transactions.run(tx -> locks.lock(tx)))
        .isInstanceOfSatisfying(
            DatabaseException.class,
            failure -> assertThat(failure.error()).isEqualTo(SqlError.LOCK_TIMEOUT))
        .hasMessageContainingAll("'accounts'", "'id' in [", "another transaction holds");
  }

  @Test
  void distinguishesLockedFromMissingRows() throws SQLException {
    try (Connection other = holding(2L)) {
      transactions.run(
          tx -> {
            LockedRows rows = RowLocks.of("accounts", List.of(1, 2, 3, 77)).skipLocked().lock(tx);

            assertThat(rows.rows("accounts"))
                .extracting(row -> row.number("id"))
                .containsExactly(1L, 3L);
            assertThat(rows.skipped()).containsExactly(new LockedRows.Key("accounts", "id", 2));
            assertThat(rows.missing()).containsExactly(new LockedRows.Key("accounts", "id", 77));
            assertThatThrownBy(rows::requireAll)
                .hasMessageContainingAll(
                    "{id=77}", "locked by other transactions: ['accounts' {id=2}]");
          });
      other.rollback();
    }
  }

  @Test
  void workersThatSkipLockedRowsNeverShareOne() {
    createTasks(30);
    assertNobodyShares(
        (tx, ids) -> numbers(RowLocks.of("tasks", ids).skipLocked().lock(tx).rows("tasks")));
  }

  @Test
  void controlWithoutLocksFails() {
    createTasks(30);
    assertThatThrownBy(() -> assertNobodyShares((tx, ids) -> ids))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("[tasks taken]");
  }

  private interface Take {
    List<Long> take(Transaction tx, List<Long> ids);
  }

  /** Three workers ask for 20 of 30 tasks each, and hold what they get until all have some. */
  private void assertNobodyShares(Take take) {
    CyclicBarrier allHaveTaken = new CyclicBarrier(3);
    List<List<Long>> taken =
        ConcurrentActors.run(
                3,
                worker ->
                    transactions.call(
                        tx -> {
                          List<Long> ids =
                              LongStream.range(0, 20)
                                  .map(i -> 1 + (worker * 10L + i) % 30)
                                  .boxed()
                                  .toList();
                          List<Long> mine = take.take(tx, ids);
                          allHaveTaken.await(30, SECONDS);
                          return mine;
                        }))
            .resultsOrThrow();
    assertThat(taken.stream().flatMap(List::stream))
        .as("tasks taken")
        .containsExactlyInAnyOrderElementsOf(LongStream.rangeClosed(1, 30).boxed().toList());
  }

  @Test
  void locksTenThousandRowsAndNoOther() {
    createTasks(12_000);
    List<Long> ids = new ArrayList<>(LongStream.rangeClosed(1, 10_000).boxed().toList());
    Collections.shuffle(ids, new java.util.Random(1));
    transactions.run(
        tx -> {
          List<Row> rows = RowLocks.lock(tx, "tasks", ids).requireAll().rows("tasks");
          assertThat(rows).extracting(row -> row.number("id")).isSorted().hasSize(10_000);
          assertThat(
                  schema.query(
                      "select id from tasks where id between 9999 and 10002 for update skip"
                          + " locked"))
              .extracting(row -> row.get("id"))
              .containsExactly(10_001L, 10_002L);
        });
  }

  private void createTasks(int count) {
    schema.execute("create table tasks (id bigint primary key)");
    StringBuilder rows = new StringBuilder("insert into tasks values (1)");
    LongStream.rangeClosed(2, count).forEach(id -> rows.append(",(").append(id).append(')'));
    schema.execute(rows.toString());
  }

  @Test
  void allowsReferencesUnlessForDeletion() throws SQLException {
    assumeTrue(
        database().name().equals("PostgreSQL"), "elsewhere foreign keys decide for themselves");
    schema.execute(
        "create table cards (id integer primary key, account bigint references accounts)");
    RowLocks locks = RowLocks.of("accounts", List.of(1));
    TransactionCallback.WithoutResult<SQLException> addCard =
        other -> RowLocksTwins.write(other.connection(), "insert into cards values (1, 1)");
    Transactions impatient = transactions.requiresNew().lockTimeout(Duration.ofMillis(100));

    transactions.run(
        tx -> {
          locks.forDeletion().lock(tx);
          assertThatThrownBy(() -> impatient.run(addCard))
              .satisfies(
                  failure -> assertThat(SqlError.of(failure)).isEqualTo(SqlError.LOCK_TIMEOUT));
        });
    transactions.run(
        tx -> {
          locks.lock(tx);
          impatient.run(addCard);
        });
  }

  @Test
  void pessimisticTransfersConserveMoney() {
    TransferStorm.run(schema, RowLocksTwins.right(transactions));
  }

  @Test
  void theStormCatchesLocksInTheOrderGiven() {
    assertThatThrownBy(() -> TransferStorm.run(schema, RowLocksTwins.inTheOrderGiven(transactions)))
        .isInstanceOf(AssertionError.class)
        .satisfies(
            failure ->
                assertThat(failure.getSuppressed())
                    .anyMatch(each -> SqlError.of(each) == SqlError.DEADLOCK));
  }

  @Test
  void theStormCatchesTransfersWithoutLocks() {
    Transactions careless = transactions.isolation(Isolation.READ_COMMITTED);
    assertThatThrownBy(() -> TransferStorm.run(schema, RowLocksTwins.withoutLocks(careless)))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("balance of account");
  }

  private static List<Long> numbers(List<Row> rows) {
    return rows.stream().map(row -> row.number("id")).toList();
  }

  /** The accounts that nobody has locked. */
  private List<Long> freeAccounts() {
    return schema.query("select id from accounts order by id for update skip locked").stream()
        .map(row -> (Long) row.get("id"))
        .toList();
  }

  private Connection holding(Object account) throws SQLException {
    Connection connection = schema.unpooled().getConnection();
    connection.setAutoCommit(false);
    RowLocks.lock(Transaction.of(connection), "accounts", List.of(account)).requireAll();
    return connection;
  }
}
