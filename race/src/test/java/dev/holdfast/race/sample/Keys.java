package dev.holdfast.race.sample;

import static dev.holdfast.race.sample.Cast.each;
import static dev.holdfast.race.sample.Cast.two;
import static dev.holdfast.race.sample.Cast.twoAnswers;
import static dev.holdfast.race.sample.Sql.answer;
import static dev.holdfast.race.sample.Sql.number;
import static dev.holdfast.race.sample.Sql.text;
import static dev.holdfast.race.sample.Sql.transaction;
import static dev.holdfast.race.sample.Sql.update;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/** Things that may be there only once. */
final class Keys {

  private Keys() {}

  static List<Bug> bugs() {
    return List.of(
        insertWhereNotExists(), wrongUniqueColumns(), idempotencyKey(), updateElseInsert());
  }

  /** One statement is not one moment: it does not see what others have not committed. */
  private static Bug insertWhereNotExists() {
    String subscribe =
        """
        insert into subscriptions (email, plan)
        select 'ana@example.org', ?
         where not exists (select 1 from subscriptions where email = 'ana@example.org')
        """;
    return Bug.named("insert ... where not exists")
        .tables(
            """
            create table subscriptions (
              id uuid default gen_random_uuid() primary key, email varchar(60) not null,
              plan varchar(20) not null, since timestamp default current_timestamp)
            """)
        .fixedTables("create unique index on subscriptions (email)")
        .broken(two((ds, who) -> update(ds, subscribe, "basic")))
        .fixed(two((ds, who) -> update(ds, subscribe + " on conflict do nothing", "basic")))
        .invariant("subscribed once", "select count(*) <= 1 from subscriptions");
  }

  /** There is a unique index, but a second device passes it. */
  private static Bug wrongUniqueColumns() {
    return Bug.named("unique index on the wrong columns")
        .alsoOnMariaDb()
        .tables(
            """
            create table trials (
              account int not null, device varchar(20) not null,
              started_at timestamp default current_timestamp, unique (account, device))
            """)
        .fixedTables("create unique index one_trial on trials (account)")
        .broken(each(Keys::startTrial, "phone", "laptop"))
        .fixed(each(Keys::startTrial, "phone", "laptop"))
        .invariant("one trial", "select count(*) <= 1 from trials where account = 4711");
  }

  private static void startTrial(DataSource ds, String device) throws SQLException {
    transaction(
        ds,
        connection -> {
          if (number(connection, "select count(*) from trials where account = ?", 4711) > 0) {
            throw new IllegalStateException("the trial is over");
          }
          update(connection, "insert into trials (account, device) values (?, ?)", 4711, device);
        });
  }

  /** The key is looked up first and kept last; the payment between them is made twice. */
  private static Bug idempotencyKey() {
    return Bug.named("idempotency key checked, then inserted")
        .tables(
            """
            create table payments (
              id serial primary key, order_no varchar(20) not null,
              paid_at timestamp default current_timestamp)
            """,
            "create table requests (request_key varchar(40) primary key, response text)")
        .broken(twoAnswers((ds, who) -> payThenKeepKey(ds)))
        .fixed(twoAnswers((ds, who) -> keepKeyThenPay(ds)))
        .invariant("paid once", "select count(*) = 1 from payments");
  }

  private static final String KEY = "7d1f-pay-SO-100";
  private static final String RESPONSE = "select response from requests where request_key = ?";
  private static final String INSERT_PAYMENT =
      "insert into payments (order_no) values ('SO-100') returning id";

  private static String payThenKeepKey(DataSource ds) throws SQLException {
    try (Connection connection = ds.getConnection()) {
      Optional<String> before = text(connection, RESPONSE, KEY);
      if (before.isPresent()) {
        return before.get();
      }
      String response = "{\"payment\":" + number(connection, INSERT_PAYMENT) + "}";
      update(connection, "insert into requests values (?, ?)", KEY, response);
      return response;
    }
  }

  private static String keepKeyThenPay(DataSource ds) throws SQLException {
    return answer(
        ds,
        connection -> {
          if (update(connection, "insert into requests values (?) on conflict do nothing", KEY)
              == 0) {
            return text(connection, RESPONSE, KEY).orElseThrow();
          }
          String response = "{\"payment\":" + number(connection, INSERT_PAYMENT) + "}";
          update(
              connection, "update requests set response = ? where request_key = ?", response, KEY);
          return response;
        });
  }

  /** Both find nothing to update. */
  private static Bug updateElseInsert() {
    return Bug.named("update, and insert if there was nothing")
        .tables("create table page_views (page varchar(40) not null, views int not null)")
        .fixedTables("alter table page_views add primary key (page)")
        .broken(
            two(
                (ds, who) -> {
                  if (update(ds, "update page_views set views = views + 1 where page = '/home'")
                      == 0) {
                    update(ds, "insert into page_views values ('/home', 1)");
                  }
                }))
        .fixed(
            two(
                (ds, who) ->
                    update(
                        ds,
                        """
                        insert into page_views values ('/home', 1)
                        on conflict (page) do update set views = page_views.views + 1
                        """)))
        .invariant("one row of two", "select count(*) = 1 and max(views) = 2 from page_views");
  }
}
