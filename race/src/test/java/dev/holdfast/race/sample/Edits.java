package dev.holdfast.race.sample;

import static dev.holdfast.race.sample.Cast.two;
import static dev.holdfast.race.sample.Sql.maybeNumber;
import static dev.holdfast.race.sample.Sql.number;
import static dev.holdfast.race.sample.Sql.text;
import static dev.holdfast.race.sample.Sql.transaction;
import static dev.holdfast.race.sample.Sql.update;

import dev.holdfast.race.RaceReport;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;

/** Read, changed in Java, written back. */
final class Edits {

  private Edits() {}

  static List<Bug> bugs() {
    return List.of(
        checkout(),
        counterCache(),
        likes(),
        versionCheckedInJava(),
        retryWithOldValue(),
        tags(),
        synchronizedInJava());
  }

  /** diefenbach/django-lfs#201: the total and the lines are read one after the other. */
  private static Bug checkout() {
    return Bug.named("#10 an order whose total is not that of its lines")
        .tables(
            """
            create table cart_items (
              cart int not null, sku varchar(20) not null, qty int not null, price int not null,
              primary key (cart, sku))
            """,
            "create table orders (id int primary key, total int, created_at timestamptz)",
            "create table order_items (order_id int, sku varchar(20), qty int, price int)")
        .rows("insert into cart_items values (1, 'MUG', 1, 12), (1, 'CAP', 2, 20)")
        .broken(
            race ->
                race.actor("Ana orders", ds -> order(ds, Connection.TRANSACTION_READ_COMMITTED))
                    .actor("Ana's other tab", Edits::oneMoreMug))
        .fixed(
            race ->
                race.actor("Ana orders", ds -> order(ds, Connection.TRANSACTION_REPEATABLE_READ))
                    .actor("Ana's other tab", Edits::oneMoreMug))
        .invariant(
            "the total is that of the lines",
            "select total = (select sum(qty * price) from order_items) from orders");
  }

  private static void order(DataSource ds, int isolation) throws SQLException {
    transaction(
        ds,
        connection -> {
          connection.setTransactionIsolation(isolation);
          long total =
              number(connection, "select sum(qty * price) from cart_items where cart = ?", 1);
          update(connection, "insert into orders values (?, ?, now())", 500, total);
          try (PreparedStatement select =
                  connection.prepareStatement("select sku, qty, price from cart_items");
              PreparedStatement insert =
                  connection.prepareStatement("insert into order_items values (500, ?, ?, ?)");
              ResultSet items = select.executeQuery()) {
            while (items.next()) {
              insert.setString(1, items.getString("sku"));
              insert.setInt(2, items.getInt("qty"));
              insert.setInt(3, items.getInt("price"));
              insert.addBatch();
            }
            insert.executeBatch();
          }
        });
  }

  private static void oneMoreMug(DataSource ds) throws SQLException {
    update(ds, "update cart_items set qty = qty + 1 where cart = 1 and sku = 'MUG'");
  }

  /** rails/rails#14735, #7965: both delete the same row, both count down. */
  private static Bug counterCache() {
    return Bug.named("#19 a counter cache that counts down twice")
        .alsoOnMariaDb()
        .tables(
            "create table posts (id int primary key, comments_count int not null)",
            """
            create table comments (
              id serial primary key, post int not null, body varchar(80),
              created_at timestamp default current_timestamp)
            """)
        .rows(
            "insert into posts values (1, 2)",
            "insert into comments (post, body) values (1, 'first!'), (1, 'well said')")
        .broken(two((ds, who) -> deleteComment(ds, false)))
        .fixed(two((ds, who) -> deleteComment(ds, true)))
        .invariant(
            "the count is right",
            "select comments_count = (select count(*) from comments where post = 1) from posts");
  }

  private static void deleteComment(DataSource ds, boolean lookAtRows) throws SQLException {
    transaction(
        ds,
        connection -> {
          var comment = maybeNumber(connection, "select id from comments where body = 'first!'");
          if (comment.isEmpty()) {
            return;
          }
          int deleted = update(connection, "delete from comments where id = ?", comment.get());
          if (deleted == 1 || !lookAtRows) {
            update(connection, "update posts set comments_count = comments_count - 1 where id = 1");
          }
        });
  }

  /** In a transaction, at whatever level is the default. */
  private static Bug likes() {
    return Bug.named("lost update at the default level")
        .alsoOnMariaDb()
        .tables("create table photos (id int primary key, likes int not null)")
        .rows("insert into photos values (1, 10)")
        .broken(
            race ->
                race.actors(
                    2,
                    ds ->
                        transaction(
                            ds,
                            connection -> {
                              long likes =
                                  number(connection, "select likes from photos where id = 1");
                              update(
                                  connection,
                                  "update photos set likes = ? where id = 1",
                                  likes + 1);
                            })))
        .fixed(
            race ->
                race.actors(
                    2, ds -> update(ds, "update photos set likes = likes + 1 where id = 1")))
        .invariant("both are counted", "select likes = 12 from photos");
  }

  private static final String DOCUMENTS =
      """
      create table documents (
        id int primary key, body varchar(200), version int not null,
        edited_at timestamp default current_timestamp)
      """;

  /** There is a version, but it is compared where nobody else can see it. */
  private static Bug versionCheckedInJava() {
    return Bug.named("version checked in Java")
        .alsoOnMariaDb()
        .tables(DOCUMENTS)
        .rows("insert into documents (id, body, version) values (1, 'draft', 7)")
        .broken(two((ds, who) -> edit(ds, who, "where id = 1")))
        .fixed(two((ds, who) -> edit(ds, who, "where id = 1 and version = 7")))
        .invariant("one edit per version", "select version = 8 from documents");
  }

  private static void edit(DataSource ds, String body, String where) throws SQLException {
    try (Connection connection = ds.getConnection()) {
      if (number(connection, "select version from documents where id = 1") != 7
          || update(
                  connection,
                  "update documents set body = ?, version = version + 1, edited_at = now() "
                      + where,
                  body)
              == 0) {
        throw new IllegalStateException("somebody else has edited it");
      }
    }
  }

  /** The retry takes the new version, and writes what it has computed from the old value. */
  private static Bug retryWithOldValue() {
    return Bug.named("a retry that uses what it has read before")
        .tables("create table points (player int primary key, points int, version int not null)")
        .rows("insert into points values (1, 100, 1)")
        .broken(
            two(
                (ds, who) -> {
                  long points = number(ds, "select points from points where player = 1");
                  while (!write(ds, points + 5, version(ds))) {
                    Thread.onSpinWait();
                  }
                }))
        .fixed(
            two(
                (ds, who) -> {
                  long version;
                  long points;
                  do {
                    version = version(ds);
                    points = number(ds, "select points from points where player = 1");
                  } while (!write(ds, points + 5, version));
                }))
        .invariant("both are counted", "select points = 110 from points");
  }

  private static long version(DataSource ds) throws SQLException {
    return number(ds, "select version from points where player = 1");
  }

  private static boolean write(DataSource ds, long points, long version) throws SQLException {
    return update(
            ds,
            "update points set points = ?, version = version + 1 where player = 1 and version = ?",
            points,
            version)
        == 1;
  }

  /** A list in one column. */
  private static Bug tags() {
    return Bug.named("a list that is written as a whole")
        .tables("create table articles (id int primary key, tags varchar(200) not null)")
        .rows("insert into articles values (1, 'java')")
        .broken(
            two(
                (ds, tag) ->
                    transaction(
                        ds,
                        connection -> {
                          String tags =
                              text(connection, "select tags from articles where id = 1")
                                  .orElseThrow();
                          update(
                              connection,
                              "update articles set tags = ? where id = 1",
                              tags + "," + tag);
                        })))
        .fixed(
            two(
                (ds, tag) ->
                    update(ds, "update articles set tags = tags || ',' || ? where id = 1", tag)))
        .invariant(
            "both tags are there", "select tags like '%Ana%' and tags like '%Ben%' from articles");
  }

  private static final Object LOCK = new Object();

  /** Right in one JVM, wrong in two. */
  private static Bug synchronizedInJava() {
    return Bug.named("synchronized in Java")
        .tables("create table photos (id int primary key, likes int not null)")
        .rows("insert into photos values (1, 10)")
        .broken(
            two(
                (ds, who) -> {
                  synchronized (LOCK) {
                    long likes = number(ds, "select likes from photos where id = 1");
                    update(ds, "update photos set likes = ? where id = 1", likes + 1);
                  }
                }))
        .fixed(two((ds, who) -> update(ds, "update photos set likes = likes + 1 where id = 1")))
        .invariant("both are counted", "select likes = 12 from photos")
        .foundAs(RaceReport.Kind.JVM_LOCK);
  }
}
