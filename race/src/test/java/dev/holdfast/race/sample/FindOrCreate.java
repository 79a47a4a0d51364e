package dev.holdfast.race.sample;

import static dev.holdfast.race.sample.Cast.two;
import static dev.holdfast.race.sample.Sql.answer;
import static dev.holdfast.race.sample.Sql.lock;
import static dev.holdfast.race.sample.Sql.maybeNumber;
import static dev.holdfast.race.sample.Sql.number;
import static dev.holdfast.race.sample.Sql.transaction;
import static dev.holdfast.race.sample.Sql.update;

import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/** Rows that are made by whoever needs them first. */
final class FindOrCreate {

  private FindOrCreate() {}

  static List<Bug> bugs() {
    return List.of(findOrCreate(), insertIgnoreThenSelect());
  }

  /** The answer is a generated id, which must be the same one for both. */
  private static Bug findOrCreate() {
    return Bug.named("find or create")
        .tables(
            """
            create table customers (
              id serial primary key, email varchar(60) not null,
              created_at timestamp default current_timestamp)
            """)
        .fixedTables("create unique index on customers (email)")
        .broken(
            race ->
                race.actorsWithResult(
                    2,
                    ds ->
                        answer(
                            ds,
                            connection -> {
                              Optional<Long> id =
                                  maybeNumber(
                                      connection,
                                      "select id from customers where email = 'c@example.org'");
                              return id.isPresent()
                                  ? id.get()
                                  : number(
                                      connection,
                                      """
                                      insert into customers (email) values ('c@example.org')
                                      returning id
                                      """);
                            })))
        .fixed(
            race ->
                race.actorsWithResult(
                    2,
                    ds ->
                        number(
                            ds,
                            """
                            insert into customers (email) values ('c@example.org')
                            on conflict (email) do update set email = excluded.email
                            returning id
                            """)))
        .invariant("one customer", "select count(*) = 1 from customers");
  }

  /** At REPEATABLE READ the row that was in the way cannot be seen afterwards. */
  private static Bug insertIgnoreThenSelect() {
    return Bug.named("insert ignore, then a snapshot that is older")
        .onlyOnMariaDb()
        .tables(
            "create table tags (id serial primary key, name varchar(40) not null unique)",
            "create table article_tags (article varchar(20) not null, tag bigint not null)")
        .broken(two((ds, article) -> tag(ds, article, "")))
        .fixed(two((ds, article) -> tag(ds, article, " for update")))
        .invariant("both are tagged", "select count(*) = 2 from article_tags");
  }

  private static void tag(DataSource ds, String article, String lock) throws SQLException {
    String find = "select id from tags where name = 'java'";
    transaction(
        ds,
        connection -> {
          Optional<Long> tag = maybeNumber(connection, find);
          if (tag.isEmpty()) {
            update(connection, "insert ignore into tags (name) values ('java')");
            tag = maybeNumber(connection, find + lock);
          }
          update(connection, "insert into article_tags values (?, ?)", article, tag.orElseThrow());
        });
  }
}
