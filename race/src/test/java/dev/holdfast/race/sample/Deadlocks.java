package dev.holdfast.race.sample;

import static dev.holdfast.race.sample.Cast.three;
import static dev.holdfast.race.sample.Cast.two;
import static dev.holdfast.race.sample.Sql.lock;
import static dev.holdfast.race.sample.Sql.number;
import static dev.holdfast.race.sample.Sql.transaction;
import static dev.holdfast.race.sample.Sql.update;

import dev.holdfast.race.Race;
import dev.holdfast.race.RaceReport;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Consumer;
import javax.sql.DataSource;

/** Locks that are taken in a circle. */
final class Deadlocks {

  private Deadlocks() {}

  static List<Bug> bugs() {
    return List.of(gapLocks(), stockOrder(), threeTransfers(), foreignKey(), insertIgnoreOfThree());
  }

  /** mlrun/mlrun#6098, dotnet/orleans#1169: two may lock the same gap, and neither may fill it. */
  private static Bug gapLocks() {
    return Bug.named("#39 FOR UPDATE of a row that is not there yet")
        .onlyOnMariaDb()
        .tables("create table projects (name varchar(40) primary key, runs int not null)")
        .rows("insert into projects values ('alpha', 3), ('omega', 8)")
        .broken(
            two(
                (ds, who) ->
                    transaction(
                        ds,
                        connection -> {
                          if (Sql.maybeNumber(connection, FIND_PROJECT).isEmpty()) {
                            update(connection, "insert into projects values ('demo', 0)");
                          }
                          update(connection, COUNT_RUN);
                        })))
        .fixed(
            two(
                (ds, who) ->
                    transaction(
                        ds,
                        connection -> {
                          update(
                              connection,
                              """
                              insert into projects values ('demo', 0)
                              on duplicate key update runs = runs
                              """);
                          number(connection, FIND_PROJECT);
                          update(connection, COUNT_RUN);
                        })))
        .invariant("one row", "select count(*) <= 1 from projects where name = 'demo'")
        .foundAs(RaceReport.Kind.DEADLOCK);
  }

  private static final String FIND_PROJECT =
      "select runs from projects where name = 'demo' for update";
  private static final String COUNT_RUN = "update projects set runs = runs + 1 where name = 'demo'";

  /** saleor/saleor#17123: the rows are locked in the order of the cart. */
  private static Bug stockOrder() {
    return Bug.named("#40 stock locked in different orders")
        .alsoOnMariaDb()
        .tables(
            "create table stock (sku varchar(20) primary key, qty int not null)",
            """
            create table allocations (
              id serial primary key, sku varchar(20), made_at timestamp default current_timestamp)
            """)
        .rows("insert into stock values ('CAP', 5), ('MUG', 5)")
        .broken(
            race ->
                race.actor("Ana", ds -> allocate(ds, List.of("CAP", "MUG")))
                    .actor("Ben", ds -> allocate(ds, List.of("MUG", "CAP"))))
        .fixed(
            race ->
                race.actor("Ana", ds -> allocateSorted(ds, List.of("CAP", "MUG")))
                    .actor("Ben", ds -> allocateSorted(ds, List.of("MUG", "CAP"))))
        .invariant("not oversold", "select min(qty) >= 0 from stock")
        .foundAs(RaceReport.Kind.DEADLOCK);
  }

  private static void allocate(DataSource ds, List<String> cart) throws SQLException {
    transaction(
        ds,
        connection -> {
          for (String sku : cart) {
            if (number(connection, "select qty from stock where sku = ? for update", sku) == 0) {
              throw new IllegalStateException("out of stock");
            }
            update(connection, "insert into allocations (sku) values (?)", sku);
            update(connection, "update stock set qty = qty - 1 where sku = ?", sku);
          }
        });
  }

  private static void allocateSorted(DataSource ds, List<String> cart) throws SQLException {
    allocate(ds, cart.stream().sorted().toList());
  }

  /** No two of them are in each other's way. */
  private static Bug threeTransfers() {
    return Bug.named("three transfers in a circle")
        .tables("create table accounts (id int primary key, balance int not null)")
        .rows("insert into accounts values (1, 100), (2, 100), (3, 100)")
        .broken(transfers(false))
        .fixed(transfers(true))
        .invariant("no money is lost", "select sum(balance) = 300 from accounts")
        .foundAs(RaceReport.Kind.DEADLOCK);
  }

  private static Consumer<Race> transfers(boolean lowerFirst) {
    return race ->
        race.actor("1 to 2", ds -> transfer(ds, 1, 2, lowerFirst))
            .actor("2 to 3", ds -> transfer(ds, 2, 3, lowerFirst))
            .actor("3 to 1", ds -> transfer(ds, 3, 1, lowerFirst));
  }

  private static void transfer(DataSource ds, int from, int to, boolean lowerFirst)
      throws SQLException {
    String book = "update accounts set balance = balance + ? where id = ?";
    transaction(
        ds,
        connection -> {
          if (lowerFirst && to < from) {
            update(connection, book, 10, to);
            update(connection, book, -10, from);
          } else {
            update(connection, book, -10, from);
            update(connection, book, 10, to);
          }
        });
  }

  /** The order's foreign key shares a lock on the customer, which then both want for themselves. */
  private static Bug foreignKey() {
    String lockCustomer = "select open_orders from customers where id = 1 for update";
    String insertOrder = "insert into orders (customer) values (1)";
    String count = "update customers set open_orders = open_orders + 1 where id = 1";
    return Bug.named("a foreign key's lock made stronger")
        .alsoOnMariaDb()
        .tables(
            "create table customers (id int primary key, open_orders int not null)",
            """
            create table orders (
              id serial primary key, customer int not null,
              ordered_at timestamp default current_timestamp,
              foreign key (customer) references customers (id))
            """)
        .rows("insert into customers values (1, 0)")
        .broken(two((ds, who) -> inOneTransaction(ds, insertOrder, lockCustomer, count)))
        .fixed(two((ds, who) -> inOneTransaction(ds, lockCustomer, insertOrder, count)))
        .invariant(
            "the count is right",
            "select open_orders = (select count(*) from orders) from customers")
        .foundAs(RaceReport.Kind.DEADLOCK);
  }

  private static void inOneTransaction(DataSource ds, String... statements) throws SQLException {
    transaction(
        ds,
        connection -> {
          for (String sql : statements) {
            lock(connection, sql);
          }
        });
  }

  /** Two who wait for the third to insert get a shared lock each, and both want more. */
  private static Bug insertIgnoreOfThree() {
    return Bug.named("insert ignore of three, then an update")
        .onlyOnMariaDb()
        .tables("create table page_views (page varchar(40) primary key, views int not null)")
        .broken(
            three(
                (ds, who) ->
                    inOneTransaction(
                        ds,
                        "insert ignore into page_views values ('/home', 0)",
                        "update page_views set views = views + 1 where page = '/home'")))
        .fixed(
            three(
                (ds, who) ->
                    update(
                        ds,
                        """
                        insert into page_views values ('/home', 1)
                        on duplicate key update views = views + 1
                        """)))
        .invariant("one row", "select count(*) <= 1 from page_views")
        .foundAs(RaceReport.Kind.DEADLOCK);
  }
}
