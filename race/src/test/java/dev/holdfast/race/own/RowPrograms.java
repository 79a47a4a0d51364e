package dev.holdfast.race.own;

import dev.holdfast.Holdfast;
import dev.holdfast.guard.LockedRows;
import dev.holdfast.guard.Rollup;
import dev.holdfast.guard.RowLocks;
import dev.holdfast.guard.StuckRows;
import dev.holdfast.guard.Update;
import dev.holdfast.race.ActorAction;
import dev.holdfast.transaction.Transaction;
import dev.holdfast.transaction.Transactions;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import javax.sql.DataSource;

/** Guards of several rows, as a user uses them. */
final class RowPrograms {
  private static final String ACCOUNT =
      "create table account (id int primary key, amount int not null)";

  private static final String ORDER =
      "create table orders (id int primary key, total int not null)";

  private static final String LINE =
      "create table order_line (id int primary key, order_id int not null references orders (id),"
          + " amount int not null)";

  private static final String LINE_INDEX = "create index line_of on order_line (order_id)";

  private static final String TASK =
      "create table task (id int primary key, status varchar(10) not null, lease_until timestamp,"
          + " attempts int not null, version int not null)";

  private static final String STUCK =
      "insert into task values (1, 'RUNNING', timestamp '2020-01-01 00:00:00', 0, 1), (2,"
          + " 'RUNNING', timestamp '2020-01-02 00:00:00', 0, 1)";

  private static final Rollup TOTAL =
      Rollup.parent("orders").children("order_line", "order_id").sum("total", "amount");

  private static final StuckRows ABANDONED =
      StuckRows.table("task")
          .key("id")
          .status("status", "RUNNING")
          .leaseExpired("lease_until")
          .recoverTo("READY")
          .attempts("attempts", 5, "FAILED")
          .version("version");

  static final Program TRANSFER =
      new Program(
          "money is moved both ways, and none is made",
          List.of(ACCOUNT),
          (race, mutation) ->
              race.given("insert into account values (1, 100), (2, 100)")
                  .actor("Ana", transfer("Ana", mutation, 1, 2))
                  .actor("Ben", transfer("Ben", mutation, 2, 1)));

  static final Program TRANSFER_OF_THREE =
      new Program(
          "of three who lock several rows none waits in a circle",
          List.of(ACCOUNT),
          (race, mutation) ->
              race.given("insert into account values (1, 100), (2, 100), (3, 100)")
                  .actor("Ana", transfer("Ana", mutation, 1, 2, 3))
                  .actor("Ben", transfer("Ben", mutation, 3, 1))
                  .actor("Cem", transfer("Cem", mutation, 2)));

  static final Program ROLLED_UP =
      new Program(
          "the total is that of the lines",
          List.of(ORDER, LINE, LINE_INDEX),
          (race, mutation) ->
              race.given("insert into orders values (1, 0)")
                  .actor("Ana", line("Ana", mutation, 1))
                  .actor("Ben", line("Ben", mutation, 2))
                  .invariant(
                      "the total is right",
                      "select total = (select sum(amount) from order_line) from orders"));

  static final Program SWEPT =
      new Program(
          "a stuck row is recovered once",
          List.of(TASK),
          (race, mutation) ->
              race.given(STUCK)
                  .actors(2, ds -> ABANDONED.sweep(on(mutation, ds)))
                  .invariant(
                      "once",
                      "select status = 'READY' and attempts = 1 and version = 2 from task"));

  /** The sweeper takes one row and the next, the other both the other way round. */
  static final Program SWEPT_BESIDE =
      new Program(
          "a sweep waits for nobody",
          List.of(TASK),
          (race, mutation) ->
              race.given(STUCK)
                  .actor("Sweep", ds -> ABANDONED.sweep(on(mutation, ds)))
                  .actor(
                      "Ben",
                      ds ->
                          Holdfast.create(ds)
                              .transactions()
                              .<SQLException>run(
                                  tx -> {
                                    finish(tx, 2);
                                    finish(tx, 1);
                                  }))
                  .invariant(
                      "what was recovered is not finished by who had it",
                      "select attempts = 0 or status = 'READY' from task"));

  /** A sweep and taking the row again in one transaction, so that it is stuck no more. */
  static final Program SWEPT_AND_TAKEN =
      new Program(
          "a row that was recovered and taken again is left alone",
          List.of(TASK),
          (race, mutation) ->
              race.given(STUCK)
                  .actor("Sweep", ds -> ABANDONED.sweep(on(mutation, ds)))
                  .actor(
                      "Ben",
                      ds ->
                          Holdfast.create(ds)
                              .transactions()
                              .<SQLException>run(
                                  tx ->
                                      execute(
                                          tx,
                                          "update task set version = version + 1, lease_until ="
                                              + " timestamp '2037-01-01 00:00:00' where id = 1 and"
                                              + " version = 1")))
                  .invariant("Ben has it or not", "select version = 2 from task where id = 1"));

  static final List<Program> ALL =
      List.of(TRANSFER, TRANSFER_OF_THREE, ROLLED_UP, SWEPT, SWEPT_BESIDE, SWEPT_AND_TAKEN);

  private RowPrograms() {}

  private static Transactions on(Mutation mutation, DataSource ds) {
    return Holdfast.create(mutation.over(ds)).transactions();
  }

  /** Takes ten from the first for each of the others. */
  private static ActorAction transfer(String who, Mutation mutation, Integer... accounts) {
    return ds ->
        Holdfast.create(mutation.over(who, ds))
            .transactions()
            .<SQLException>run(
                tx -> {
                  LockedRows rows = RowLocks.lock(tx, "account", List.of(accounts)).requireAll();
                  for (int account : accounts) {
                    long gain = account == accounts[0] ? -10L * (accounts.length - 1) : 10;
                    long amount = rows.row("account", account).number("amount") + gain;
                    execute(tx, "update account set amount = " + amount + " where id = " + account);
                  }
                });
  }

  private static ActorAction line(String who, Mutation mutation, int line) {
    return ds ->
        Holdfast.create(mutation.over(who, ds))
            .transactions()
            .run(
                tx -> {
                  TOTAL.lock(tx, 1);
                  execute(tx, "insert into order_line values (" + line + ", 1, 10)");
                  TOTAL.apply(tx, 1);
                });
  }

  private static void finish(Transaction tx, int task) throws SQLException {
    if (answers(tx, "select status = 'RUNNING' from task where id = " + task)) {
      Update.table("task").set("status", "DONE").where("id", task).version(1).apply(tx);
    }
  }

  private static boolean answers(Transaction tx, String look) throws SQLException {
    try (Statement statement = tx.connection().createStatement();
        ResultSet row = statement.executeQuery(look)) {
      return row.next() && row.getBoolean(1);
    }
  }

  private static void execute(Transaction tx, String sql) throws SQLException {
    try (Statement statement = tx.connection().createStatement()) {
      statement.execute(sql);
    }
  }
}
