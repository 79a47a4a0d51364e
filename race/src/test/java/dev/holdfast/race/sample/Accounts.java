package dev.holdfast.race.sample;

import static dev.holdfast.race.sample.Cast.each;
import static dev.holdfast.race.sample.Cast.two;
import static dev.holdfast.race.sample.Sql.lock;
import static dev.holdfast.race.sample.Sql.number;
import static dev.holdfast.race.sample.Sql.text;
import static dev.holdfast.race.sample.Sql.transaction;
import static dev.holdfast.race.sample.Sql.update;

import dev.holdfast.transaction.SqlError;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;

/** Money: what may not be spent twice. */
final class Accounts {

  private static final String ACCOUNTS =
      """
      create table accounts (
        id varchar(20) primary key, owner varchar(20), balance int not null,
        status varchar(10) not null, updated_at timestamp default current_timestamp)
      """;

  private Accounts() {}

  static List<Bug> bugs() {
    return List.of(
        twoAccounts(),
        lockAfterDecision(),
        lockInItsOwnTransaction(),
        wallet(),
        dailyLimit(),
        closing());
  }

  /** Each withdrawal is covered by the sum of both accounts, and takes from another of them. */
  private static Bug twoAccounts() {
    return Bug.named("overdraft over two accounts (write skew)")
        .tables(ACCOUNTS)
        .rows(
            """
            insert into accounts (id, owner, balance, status)
            values ('checking', 'dora', 60, 'OPEN'), ('savings', 'dora', 60, 'OPEN')
            """)
        .broken(
            each(
                (ds, account) -> transaction(ds, connection -> withdraw(connection, account)),
                "checking",
                "savings"))
        .fixed(each(Accounts::withdrawSerializable, "checking", "savings"))
        .invariant("no debts", "select sum(balance) >= 0 from accounts where owner = 'dora'");
  }

  private static void withdraw(Connection connection, String account) throws SQLException {
    if (number(connection, "select sum(balance) from accounts where owner = 'dora'") < 100) {
      throw new IllegalStateException("not covered");
    }
    update(connection, "update accounts set balance = balance - 100 where id = ?", account);
  }

  private static void withdrawSerializable(DataSource ds, String account) throws SQLException {
    for (int attempt = 1; ; attempt++) {
      try {
        transaction(
            ds,
            connection -> {
              connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
              withdraw(connection, account);
            });
        return;
      } catch (SQLException e) {
        if (attempt == 5 || !SqlError.isRetryable(e)) {
          throw e;
        }
      }
    }
  }

  private static final String ONE_ACCOUNT =
      "insert into accounts (id, owner, balance, status) values ('A-1', 'dora', 100, 'OPEN')";
  private static final String NOT_NEGATIVE = "select min(balance) >= 0 from accounts";
  private static final String BALANCE = "select balance from accounts where id = 'A-1'";
  private static final String WITHDRAW_80 =
      "update accounts set balance = balance - 80, updated_at = now() where id = 'A-1'";

  /** The row is locked when all is decided. */
  private static Bug lockAfterDecision() {
    return Bug.named("FOR UPDATE after the decision")
        .alsoOnMariaDb()
        .tables(ACCOUNTS)
        .rows(ONE_ACCOUNT)
        .broken(
            two(
                (ds, who) ->
                    transaction(
                        ds,
                        connection -> {
                          requireCovered(number(connection, BALANCE));
                          lock(connection, BALANCE + " for update");
                          update(connection, WITHDRAW_80);
                        })))
        .fixed(two(Accounts::withdrawLocked))
        .invariant("not overdrawn", NOT_NEGATIVE);
  }

  private static void withdrawLocked(DataSource ds, String who) throws SQLException {
    transaction(
        ds,
        connection -> {
          requireCovered(number(connection, BALANCE + " for update"));
          update(connection, WITHDRAW_80);
        });
  }

  private static void requireCovered(long balance) {
    if (balance < 80) {
      throw new IllegalStateException("not covered");
    }
  }

  /** In autocommit mode the lock is gone as soon as it is there. */
  private static Bug lockInItsOwnTransaction() {
    return Bug.named("lock and write in two transactions")
        .alsoOnMariaDb()
        .tables(ACCOUNTS)
        .rows(ONE_ACCOUNT)
        .broken(
            two(
                (ds, who) -> {
                  requireCovered(number(ds, BALANCE + " for update"));
                  update(ds, WITHDRAW_80);
                }))
        .fixed(two(Accounts::withdrawLocked))
        .invariant("not overdrawn", NOT_NEGATIVE);
  }

  /** An order takes three transactions; the second one pays with a balance that it has read. */
  private static Bug wallet() {
    return Bug.named("order, pay and confirm in three transactions")
        .alsoOnMariaDb()
        .tables(
            "create table wallets (owner varchar(20) primary key, balance decimal(10, 2) not null)",
            """
            create table orders (
              id varchar(20) primary key, state varchar(10) not null,
              ordered_at timestamp default current_timestamp, paid_at timestamp null)
            """)
        .rows("insert into wallets values ('dora', 50.00)")
        .broken(two((ds, order) -> order(ds, order, Accounts::payFromWhatWasRead)))
        .fixed(two((ds, order) -> order(ds, order, Accounts::payGuarded)))
        .invariant(
            "what is paid is gone",
            """
            select balance = 50 - 30 * (select count(*) from orders where state = 'PAID')
                   and balance >= 0
              from wallets
            """);
  }

  private static void order(DataSource ds, String order, Sql.Work payment) throws SQLException {
    update(ds, "insert into orders (id, state) values (?, 'NEW')", order);
    transaction(ds, payment);
    update(ds, "update orders set state = 'PAID', paid_at = now() where id = ?", order);
  }

  private static void payFromWhatWasRead(Connection connection) throws SQLException {
    BigDecimal balance =
        new BigDecimal(
            text(connection, "select balance from wallets where owner = 'dora'").orElseThrow());
    BigDecimal rest = balance.subtract(new BigDecimal("30.00"));
    if (rest.signum() < 0) {
      throw new IllegalStateException("the wallet is empty");
    }
    update(connection, "update wallets set balance = ? where owner = 'dora'", rest);
  }

  private static void payGuarded(Connection connection) throws SQLException {
    if (update(
            connection,
            "update wallets set balance = balance - 30 where owner = 'dora' and balance >= 30")
        == 0) {
      throw new IllegalStateException("the wallet is empty");
    }
  }

  /** At REPEATABLE READ the lock is waited for, but what is read is from before the wait. */
  private static Bug dailyLimit() {
    return Bug.named("a lock whose snapshot is older")
        .tables(
            ACCOUNTS,
            """
            create table withdrawals (
              id serial primary key, account varchar(20) not null, amount int not null,
              taken_at timestamp default current_timestamp)
            """)
        .rows(ONE_ACCOUNT)
        .broken(two((ds, who) -> withdrawToday(ds, Connection.TRANSACTION_REPEATABLE_READ)))
        .fixed(two((ds, who) -> withdrawToday(ds, Connection.TRANSACTION_READ_COMMITTED)))
        .invariant("500 a day", "select coalesce(sum(amount), 0) <= 500 from withdrawals");
  }

  private static void withdrawToday(DataSource ds, int isolation) throws SQLException {
    transaction(
        ds,
        connection -> {
          connection.setTransactionIsolation(isolation);
          lock(connection, "select id from accounts where id = 'A-1' for update");
          if (number(connection, "select coalesce(sum(amount), 0) from withdrawals") + 300 > 500) {
            throw new IllegalStateException("enough for today");
          }
          update(connection, "insert into withdrawals (account, amount) values ('A-1', 300)");
        });
  }

  /** One looks at the balance and writes the status, the other the other way round. */
  private static Bug closing() {
    return Bug.named("a deposit into a closed account")
        .alsoOnMariaDb()
        .tables(ACCOUNTS)
        .rows("insert into accounts (id, balance, status) values ('A-2', 0, 'OPEN')")
        .broken(
            race ->
                race.actor("Ana closes", Accounts::closeIfEmpty)
                    .actor("Ben deposits", Accounts::depositIfOpen))
        .fixed(
            race ->
                race.actor(
                        "Ana closes",
                        ds ->
                            updateOne(ds, "set status = 'CLOSED'", "and balance = 0", "not empty"))
                    .actor(
                        "Ben deposits",
                        ds ->
                            updateOne(
                                ds,
                                "set balance = balance + 100",
                                "and status = 'OPEN'",
                                "closed")))
        .invariant(
            "nothing in a closed account",
            "select count(*) = 0 from accounts where status = 'CLOSED' and balance > 0");
  }

  private static void closeIfEmpty(DataSource ds) throws SQLException {
    if (number(ds, "select balance from accounts where id = 'A-2'") != 0) {
      throw new IllegalStateException("not empty");
    }
    updateOne(ds, "set status = 'CLOSED'", "", "gone");
  }

  private static void depositIfOpen(DataSource ds) throws SQLException {
    try (Connection connection = ds.getConnection()) {
      if (!text(connection, "select status from accounts where id = 'A-2'")
          .orElseThrow()
          .equals("OPEN")) {
        throw new IllegalStateException("closed");
      }
    }
    updateOne(ds, "set balance = balance + 100", "", "gone");
  }

  private static void updateOne(DataSource ds, String set, String guard, String otherwise)
      throws SQLException {
    if (update(ds, "update accounts " + set + " where id = 'A-2' " + guard) == 0) {
      throw new IllegalStateException(otherwise);
    }
  }
}
