package dev.holdfast.race.sample;

import static dev.holdfast.race.sample.Sql.maybeNumber;
import static dev.holdfast.race.sample.Sql.number;
import static dev.holdfast.race.sample.Sql.transaction;
import static dev.holdfast.race.sample.Sql.update;

import dev.holdfast.race.Crash;
import dev.holdfast.transaction.SqlError;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/** Operations that are cut off anywhere, and run again. */
final class Crashes {

  private static final String ACCOUNTS =
      "create table accounts (id varchar(10) primary key, balance int not null)";
  private static final String ACCOUNT_ROWS = "insert into accounts values ('dora', 100)";
  private static final String ORDERS =
      """
      create table orders (
        id serial primary key, request varchar(40) not null, state varchar(10) not null,
        created_at timestamptz default now())
      """;
  private static final String UNIQUE_REQUEST = "create unique index on orders (request)";
  private static final String INSERT_ORDER =
      "insert into orders (request, state) values ('r-1', 'NEW')";
  private static final String DEBIT =
      "update accounts set balance = balance - 30 where id = 'dora'";

  private Crashes() {}

  static List<CrashBug> bugs() {
    return List.of(
        twoTransactions(),
        lostAnswer(),
        retryOfItsOwn(),
        effectBeforeCommit(),
        effectAfterCommit(),
        besideAnother(),
        claimThatIsLost());
  }

  /** Debited, and then the process is gone: who runs it again debits again. */
  private static CrashBug twoTransactions() {
    return new CrashBug(
        "crash between two transactions",
        List.of(ACCOUNTS, ACCOUNT_ROWS, ORDERS),
        List.of(UNIQUE_REQUEST),
        crash ->
            crash.operation(
                ds -> {
                  if (number(ds, "select count(*) from orders where request = 'r-1'") == 0) {
                    update(ds, DEBIT);
                    update(ds, INSERT_ORDER);
                  }
                }),
        crash -> crash.operation(Crashes::debitOnce));
  }

  private static void debitOnce(DataSource ds) throws SQLException {
    transaction(
        ds,
        connection -> {
          if (update(connection, INSERT_ORDER + " on conflict do nothing") == 1) {
            update(connection, DEBIT);
          }
        });
  }

  /** All is in one transaction, but nobody can tell whether it was committed. */
  private static CrashBug lostAnswer() {
    return new CrashBug(
        "the answer to the commit is lost",
        List.of(ACCOUNTS, ACCOUNT_ROWS, ORDERS),
        List.of(UNIQUE_REQUEST),
        crash ->
            crash.operation(
                ds ->
                    transaction(
                        ds,
                        connection -> {
                          update(connection, INSERT_ORDER);
                          update(connection, DEBIT);
                        })),
        crash -> crash.operation(Crashes::debitOnce));
  }

  /** The code tries again by itself when the connection is lost. */
  private static CrashBug retryOfItsOwn() {
    return new CrashBug(
        "a retry when the connection is lost",
        List.of(ACCOUNTS, ACCOUNT_ROWS, ORDERS),
        List.of(UNIQUE_REQUEST),
        crash ->
            crash.operation(
                ds ->
                    retried(
                        () -> {
                          if (number(ds, "select count(*) from orders where state = 'PAID'") == 0) {
                            transaction(ds, connection -> update(connection, DEBIT));
                            update(ds, "insert into orders (request, state) values ('r', 'PAID')");
                          }
                        })),
        crash -> crash.operation(ds -> retried(() -> debitOnce(ds))));
  }

  private interface Attempt {
    void make() throws SQLException;
  }

  private static void retried(Attempt attempt) throws SQLException {
    try {
      attempt.make();
    } catch (SQLException e) {
      if (!SqlError.isRetryable(e)) {
        throw e;
      }
      attempt.make();
    }
  }

  /** The mail is sent, the transaction is not committed; the next try sends it again. */
  private static CrashBug effectBeforeCommit() {
    return new CrashBug(
        "a mail sent before the commit",
        List.of(ORDERS, OUTBOX),
        List.of(UNIQUE_REQUEST),
        crash ->
            mailedOnce(crash)
                .operation(
                    ds ->
                        transaction(
                            ds,
                            connection -> {
                              if (isNew(connection)) {
                                update(connection, INSERT_ORDER);
                                crash.sideEffect("mail");
                              }
                            })),
        crash -> crash.operation(Crashes::orderWithOutbox));
  }

  /** Committed, and the process is gone before it has sent the mail: nobody does any more. */
  private static CrashBug effectAfterCommit() {
    return new CrashBug(
        "a mail sent after the commit",
        List.of(ORDERS, OUTBOX),
        List.of(UNIQUE_REQUEST),
        crash ->
            mailedOnce(crash)
                .operation(
                    ds -> {
                      try (Connection connection = ds.getConnection()) {
                        if (isNew(connection)) {
                          update(connection, INSERT_ORDER);
                          crash.sideEffect("mail");
                        }
                      }
                    }),
        crash -> crash.operation(Crashes::orderWithOutbox));
  }

  private static final String OUTBOX =
      """
      create table outbox (
        id uuid default gen_random_uuid() primary key, mail_to varchar(40) not null,
        created_at timestamptz default now())
      """;

  private static Crash mailedOnce(Crash crash) {
    return crash.invariant("one mail", connection -> crash.sideEffectCount("mail") == 1);
  }

  private static boolean isNew(Connection connection) throws SQLException {
    return maybeNumber(connection, "select id from orders where request = 'r-1'").isEmpty();
  }

  /** The mail is a row of the same transaction; another process sends it. */
  private static void orderWithOutbox(DataSource ds) throws SQLException {
    transaction(
        ds,
        connection -> {
          if (update(connection, INSERT_ORDER + " on conflict do nothing") == 1) {
            update(connection, "insert into outbox (mail_to) values ('dora@example.org')");
          }
        });
  }

  /** The same request twice at once, and one of them crashes. */
  private static CrashBug besideAnother() {
    return new CrashBug(
        "two copies, of which one crashes",
        List.of(ACCOUNTS, ACCOUNT_ROWS, ORDERS),
        List.of(UNIQUE_REQUEST),
        crash ->
            debitedOnce(crash)
                .operation(Crashes::debitIfNew)
                .concurrentActor("Ben", Crashes::debitIfNew),
        crash ->
            debitedOnce(crash)
                .operation(Crashes::debitOnce)
                .concurrentActor("Ben", Crashes::debitOnce));
  }

  private static Crash debitedOnce(Crash crash) {
    return crash.invariant("debited once", "select balance = 70 from accounts");
  }

  private static void debitIfNew(DataSource ds) throws SQLException {
    transaction(
        ds,
        connection -> {
          if (isNew(connection)) {
            update(connection, INSERT_ORDER);
            update(connection, DEBIT);
          }
        });
  }

  /** A claim that is committed outlives who has made it, and then nobody does the work. */
  private static CrashBug claimThatIsLost() {
    return new CrashBug(
        "a claim that outlives its worker",
        List.of(ORDERS, INSERT_ORDER),
        List.of(),
        crash ->
            crash.operation(
                ds -> {
                  Optional<Long> claimed =
                      maybe(
                          ds,
                          """
                          update orders set state = 'PACKING' where state = 'NEW' returning id
                          """);
                  if (claimed.isPresent()) {
                    update(ds, "update orders set state = 'SENT' where id = ?", claimed.get());
                  }
                }),
        crash ->
            crash.operation(
                ds ->
                    transaction(
                        ds,
                        connection -> {
                          Optional<Long> order =
                              maybeNumber(
                                  connection,
                                  """
                                  select id from orders where state = 'NEW'
                                     for update skip locked
                                  """);
                          if (order.isPresent()) {
                            update(
                                connection,
                                "update orders set state = 'SENT' where id = ?",
                                order.get());
                          }
                        })));
  }

  private static Optional<Long> maybe(DataSource ds, String sql) throws SQLException {
    try (Connection connection = ds.getConnection()) {
      return maybeNumber(connection, sql);
    }
  }
}
