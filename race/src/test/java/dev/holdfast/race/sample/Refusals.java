package dev.holdfast.race.sample;

import static dev.holdfast.race.sample.Cast.two;
import static dev.holdfast.race.sample.Cast.twoAnswers;
import static dev.holdfast.race.sample.Sql.answer;
import static dev.holdfast.race.sample.Sql.maybeNumber;
import static dev.holdfast.race.sample.Sql.number;
import static dev.holdfast.race.sample.Sql.transaction;
import static dev.holdfast.race.sample.Sql.update;

import dev.holdfast.transaction.SqlError;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/** Twins of which one is refused by the database, is told to try again, or has to wait in turns. */
final class Refusals {

  private Refusals() {}

  static List<Bug> bugs() {
    return List.of(checkConstraint(), foreignKey(), noWait(), savepoint(), spinLock());
  }

  /** The same code; but the database does not let the quantity go below zero. */
  private static Bug checkConstraint() {
    return Bug.named("held by a CHECK")
        .alsoOnMariaDb()
        .tables("create table stock (sku varchar(20) primary key, qty int not null)")
        .fixedTables("alter table stock add constraint not_below_zero check (qty >= 0)")
        .rows("insert into stock values ('MUG', 1)")
        .broken(two(Refusals::buy))
        .fixed(two(Refusals::buy))
        .invariant("not below zero", "select qty >= 0 from stock");
  }

  private static void buy(DataSource ds, String who) throws SQLException {
    transaction(
        ds,
        connection -> {
          if (number(connection, "select qty from stock where sku = 'MUG'") < 1) {
            throw new IllegalStateException("out of stock");
          }
          update(connection, "update stock set qty = qty - 1 where sku = 'MUG'");
        });
  }

  /** The same code; but the database knows that a comment belongs to a post. */
  private static Bug foreignKey() {
    return Bug.named("held by a foreign key")
        .alsoOnMariaDb()
        .tables(
            "create table posts (id int primary key, title varchar(40))",
            """
            create table comments (
              id serial primary key, post int not null, body varchar(80),
              created_at timestamp default current_timestamp)
            """)
        .fixedTables("alter table comments add foreign key (post) references posts (id)")
        .rows("insert into posts values (1, 'Hello')")
        .broken(race -> race.actor("Ana", Refusals::comment).actor("Ben", Refusals::deletePost))
        .fixed(race -> race.actor("Ana", Refusals::comment).actor("Ben", Refusals::deletePost))
        .invariant(
            "every comment has a post",
            "select count(*) = 0 from comments where post not in (select id from posts)");
  }

  private static void comment(DataSource ds) throws SQLException {
    transaction(
        ds,
        connection -> {
          number(connection, "select id from posts where id = 1");
          update(connection, "insert into comments (post, body) values (1, 'well said')");
        });
  }

  private static void deletePost(DataSource ds) throws SQLException {
    transaction(
        ds,
        connection -> {
          if (number(connection, "select count(*) from comments where post = 1") > 0) {
            throw new IllegalStateException("there are comments");
          }
          update(connection, "delete from posts where id = 1");
        });
  }

  /** Who comes second is refused at once. */
  private static Bug noWait() {
    return Bug.named("FOR UPDATE NOWAIT")
        .alsoOnMariaDb()
        .tables(
            "create table seats (id int primary key, state varchar(10) not null)",
            "create table tickets (id serial primary key, seat int not null, guest varchar(20))")
        .rows("insert into seats values (12, 'FREE')")
        .broken(two((ds, who) -> takeSeat(ds, who, "")))
        .fixed(two((ds, who) -> takeSeat(ds, who, " for update nowait")))
        .invariant("sold once", "select count(*) <= 1 from tickets");
  }

  private static void takeSeat(DataSource ds, String who, String lock) throws SQLException {
    transaction(
        ds,
        connection -> {
          String free = "select id from seats where id = 12 and state = 'FREE'";
          number(connection, free + lock);
          update(connection, "update seats set state = 'SOLD' where id = 12");
          update(connection, "insert into tickets (seat, guest) values (12, ?)", who);
        });
  }

  /** The twin runs into the unique index, goes back to its savepoint and takes what is there. */
  private static Bug savepoint() {
    return Bug.named("back to a savepoint")
        .tables("create table tags (id serial primary key, name varchar(40) not null)")
        .fixedTables("create unique index on tags (name)")
        .broken(twoAnswers((ds, who) -> answer(ds, Refusals::insertTag)))
        .fixed(twoAnswers((ds, who) -> answer(ds, Refusals::insertOrFindTag)))
        .invariant("one tag", "select count(*) = 1 from tags");
  }

  private static final String FIND_TAG = "select id from tags where name = 'java'";

  private static long insertTag(Connection connection) throws SQLException {
    Optional<Long> tag = maybeNumber(connection, FIND_TAG);
    return tag.isPresent()
        ? tag.get()
        : number(connection, "insert into tags (name) values ('java') returning id");
  }

  private static long insertOrFindTag(Connection connection) throws SQLException {
    Savepoint before = connection.setSavepoint();
    try {
      return insertTag(connection);
    } catch (SQLException e) {
      if (SqlError.of(e) != SqlError.UNIQUE_VIOLATION) {
        throw e;
      }
      connection.rollback(before);
      return number(connection, FIND_TAG);
    }
  }

  /** A lock in a table that is asked for until it is free. */
  private static Bug spinLock() {
    return Bug.named("a lock that is polled for")
        .tables(
            "create table locks (name varchar(20) primary key, owner varchar(20))",
            "create table counters (name varchar(20) primary key, n int not null)")
        .rows("insert into locks values ('count', null)", "insert into counters values ('c', 0)")
        .broken(two((ds, who) -> countUnderLock(ds, who, "")))
        .fixed(two((ds, who) -> countUnderLock(ds, who, "and owner is null")))
        .invariant("both are counted", "select n = 2 from counters");
  }

  private static void countUnderLock(DataSource ds, String who, String guard) throws SQLException {
    while (update(ds, "update locks set owner = ? where name = 'count' " + guard, who) == 0) {
      Thread.onSpinWait();
    }
    long n = number(ds, "select n from counters where name = 'c'");
    update(ds, "update counters set n = ? where name = 'c'", n + 1);
    update(ds, "update locks set owner = null where name = 'count'");
  }
}
