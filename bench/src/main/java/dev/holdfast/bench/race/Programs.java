package dev.holdfast.bench.race;

import static dev.holdfast.bench.race.Sql.number;
import static dev.holdfast.bench.race.Sql.transaction;
import static dev.holdfast.bench.race.Sql.update;

import dev.holdfast.race.ActorAction;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;

/** The bugs that are looked for: the kinds that real applications had, in SQL of all databases. */
final class Programs {
  private static final String ACCOUNTS =
      "create table account (id int primary key, amount int not null)";

  private Programs() {}

  static List<Program> all() {
    return List.of(
        lostUpdate(2),
        checkThenInsert(),
        writeSkew(),
        seats(),
        deadlock(),
        transfer(),
        insertUnlessThere(),
        queue());
  }

  /** So small that every order can be made. */
  static List<Program> enumerable() {
    return List.of(
        lostUpdate(2), lostUpdate(3), checkThenInsert(), writeSkew(), deadlock(), transfer());
  }

  private static Program lostUpdate(int actors) {
    return new Program(
            actors == 2 ? "lost update" : "lost update, " + actors + " actors",
            List.of(ACCOUNTS),
            List.of("insert into account values (1, 10)"))
        .copies(
            actors,
            inTransaction(
                c -> {
                  long read = number(c, "select amount from account where id = 1");
                  update(c, "update account set amount = ? where id = 1", read + 1);
                }),
            inTransaction(
                c -> {
                  long read = number(c, "select amount from account where id = 1 for update");
                  update(c, "update account set amount = ? where id = 1", read + 1);
                }));
  }

  private static Program checkThenInsert() {
    return new Program(
            "check, then insert",
            List.of(
                "create table coupon (code int primary key)",
                "create table redemption (code int not null)"),
            List.of("insert into coupon values (10)"))
        .copies(
            2,
            inTransaction(Programs::redeem),
            inTransaction(
                c -> {
                  number(c, "select code from coupon where code = 10 for update");
                  redeem(c);
                }));
  }

  private static void redeem(Connection connection) throws SQLException {
    if (number(connection, "select count(*) from redemption where code = 10") == 0) {
      update(connection, "insert into redemption values (10)");
    }
  }

  private static Program writeSkew() {
    String plain = "select count(*) from doctor where on_call = 1";
    String locked = "select id from doctor where id = 0 for update";
    return new Program(
            "write skew",
            List.of("create table doctor (id int primary key, on_call int not null)"),
            List.of("insert into doctor values (0, 0), (1, 1), (2, 1)"))
        .actors(
            List.of(
                inTransaction(c -> goHome(c, plain, 1)), inTransaction(c -> goHome(c, plain, 2))),
            List.of(
                inTransaction(
                    c -> {
                      number(c, locked);
                      goHome(c, plain, 1);
                    }),
                inTransaction(
                    c -> {
                      number(c, locked);
                      goHome(c, plain, 2);
                    })));
  }

  private static void goHome(Connection connection, String count, int doctor) throws SQLException {
    if (number(connection, count) > 1) {
      update(connection, "update doctor set on_call = 0 where id = ?", doctor);
    }
  }

  static Program seats() {
    return new Program(
            "two seats, 3 actors",
            List.of(
                "create table flight (id int primary key, seats int not null)",
                "create table booking (flight int not null)"),
            List.of("insert into flight values (1, 2)"))
        .copies(
            3,
            inTransaction(c -> book(c, "select seats from flight where id = 1")),
            inTransaction(c -> book(c, "select seats from flight where id = 1 for update")));
  }

  private static void book(Connection connection, String seats) throws SQLException {
    long free = number(connection, seats);
    if (number(connection, "select count(*) from booking where flight = 1") < free) {
      update(connection, "insert into booking values (1)");
    }
  }

  private static Program deadlock() {
    return new Program(
            "deadlock by lock order",
            List.of(ACCOUNTS),
            List.of("insert into account values (1, 10), (2, 10)"))
        .actors(
            List.of(inTransaction(c -> move(c, 1, -1, 2)), inTransaction(c -> move(c, 2, -1, 1))),
            List.of(inTransaction(c -> move(c, 1, -1, 2)), inTransaction(c -> move(c, 1, 1, 2))));
  }

  private static void move(Connection connection, int first, int change, int second)
      throws SQLException {
    update(connection, "update account set amount = amount + ? where id = ?", change, first);
    update(connection, "update account set amount = amount + ? where id = ?", -change, second);
  }

  static Program transfer() {
    return new Program(
            "transfer", List.of(ACCOUNTS), List.of("insert into account values (1, 10), (2, 0)"))
        .copies(
            2,
            inTransaction(
                c -> {
                  if (number(c, "select amount from account where id = 1") >= 10) {
                    update(c, "update account set amount = amount - 10 where id = 1");
                    update(c, "update account set amount = amount + 10 where id = 2");
                  }
                }),
            inTransaction(
                c -> {
                  if (update(
                          c,
                          "update account set amount = amount - 10 where id = 1 and amount >= 10")
                      == 1) {
                    update(c, "update account set amount = amount + 10 where id = 2");
                  }
                }));
  }

  private static Program insertUnlessThere() {
    ActorAction insert =
        autocommitted(
            c ->
                update(
                    c,
                    """
                    insert into member (name) select 7 from team
                    where not exists (select 1 from member where name = 7)
                    """));
    return new Program(
            "insert unless there",
            List.of(
                "create table team (id int primary key)",
                "create table member (name int not null)"),
            List.of("insert into team values (1)"))
        .copies(2, insert, insert)
        .mendedBy("create unique index one_member on member (name)");
  }

  /** Its twin lets one go away with nothing, which no serial order does. */
  private static Program queue() {
    return new Program(
            "claim of a queue",
            List.of(
                "create table job (id int primary key, taken int not null)",
                "create table done (job int not null)"),
            List.of("insert into job values (1, 0), (2, 0)"))
        .copies(
            2,
            dataSource -> work(dataSource, "update job set taken = 1 where id = ?"),
            dataSource -> work(dataSource, "update job set taken = 1 where id = ? and taken = 0"))
        .mustHold("select count(*) = count(distinct job) from done");
  }

  private static void work(DataSource dataSource, String claim) throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      long job = number(connection, "select min(id) from job where taken = 0");
      if (update(connection, claim, job) == 1) {
        update(connection, "insert into done values (?)", job);
      }
    }
  }

  private static ActorAction inTransaction(Sql.Work work) {
    return dataSource -> transaction(dataSource, work);
  }

  private static ActorAction autocommitted(Sql.Work work) {
    return dataSource -> {
      try (Connection connection = dataSource.getConnection()) {
        work.in(connection);
      }
    };
  }
}
