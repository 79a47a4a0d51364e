package dev.holdfast.race.sample;

import static dev.holdfast.race.sample.Cast.three;
import static dev.holdfast.race.sample.Cast.two;
import static dev.holdfast.race.sample.Sql.lock;
import static dev.holdfast.race.sample.Sql.number;
import static dev.holdfast.race.sample.Sql.transaction;
import static dev.holdfast.race.sample.Sql.update;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;

/** Things there are only so many of: articles, seats, tickets. */
final class Stock {

  private static final String STOCK =
      "create table stock (sku varchar(20) primary key, qty int not null)";
  private static final String ORDER_LINES =
      """
      create table order_lines (
        order_id varchar(36) not null, sku varchar(20) not null, qty int not null,
        created_at timestamp default current_timestamp)
      """;
  private static final String INSERT_LINE =
      "insert into order_lines (order_id, sku, qty) values (?, ?, ?)";

  private Stock() {}

  static List<Bug> bugs() {
    return List.of(oversold(), warehouses(), seatsForThree(), guardedSeats(), cachedInJava());
  }

  /** magento/magento2#6363: each statement is a transaction of its own. */
  private static Bug oversold() {
    return Bug.named("#2 stock below zero")
        .alsoOnMariaDb()
        .tables(STOCK, ORDER_LINES)
        .rows("insert into stock values ('MUG', 5), ('CAP', 9)")
        .broken(
            race ->
                race.actor("Ana", ds -> buyInAutocommit(ds, 3))
                    .actor("Ben", ds -> buyInAutocommit(ds, 4)))
        .fixed(
            race ->
                race.actor("Ana", ds -> buyWithLock(ds, 3)).actor("Ben", ds -> buyWithLock(ds, 4)))
        .invariant("nothing is sold that is not there", "select min(qty) >= 0 from stock");
  }

  private static void buyInAutocommit(DataSource ds, int qty) throws SQLException {
    try (Connection connection = ds.getConnection()) {
      if (number(connection, "select qty from stock where sku = ?", "MUG") < qty) {
        throw new IllegalStateException("out of stock");
      }
      update(connection, "update stock set qty = qty - ? where sku = ?", qty, "MUG");
      update(connection, INSERT_LINE, UUID.randomUUID().toString(), "MUG", qty);
    }
  }

  private static void buyWithLock(DataSource ds, int qty) throws SQLException {
    transaction(
        ds,
        connection -> {
          if (number(connection, "select qty from stock where sku = ? for update", "MUG") < qty) {
            throw new IllegalStateException("out of stock");
          }
          update(connection, "update stock set qty = qty - ? where sku = ?", qty, "MUG");
          update(connection, INSERT_LINE, UUID.randomUUID().toString(), "MUG", qty);
        });
  }

  /** What is wanted is gathered from several rows, as they were when they were read. */
  private static Bug warehouses() {
    return Bug.named("inventory over several rows")
        .alsoOnMariaDb()
        .tables("create table bins (warehouse varchar(20) primary key, qty int not null)")
        .rows("insert into bins values ('Graz', 3), ('Linz', 4)")
        .broken(
            race ->
                race.actor("Ana", ds -> gather(ds, 5, "")).actor("Ben", ds -> gather(ds, 4, "")))
        .fixed(
            race ->
                race.actor("Ana", ds -> gather(ds, 5, "for update"))
                    .actor("Ben", ds -> gather(ds, 4, "for update")))
        .invariant("no bin below zero", "select min(qty) >= 0 from bins");
  }

  private static void gather(DataSource ds, int wanted, String lock) throws SQLException {
    transaction(
        ds,
        connection -> {
          Map<String, Integer> picks = new LinkedHashMap<>();
          int missing = wanted;
          try (PreparedStatement select =
                  connection.prepareStatement(
                      "select warehouse, qty from bins where qty > 0 order by warehouse " + lock);
              ResultSet bins = select.executeQuery()) {
            while (missing > 0 && bins.next()) {
              int pick = Math.min(missing, bins.getInt("qty"));
              picks.put(bins.getString("warehouse"), pick);
              missing -= pick;
            }
          }
          if (missing > 0) {
            throw new IllegalStateException("not enough in stock");
          }
          for (Map.Entry<String, Integer> pick : picks.entrySet()) {
            update(
                connection,
                "update bins set qty = qty - ? where warehouse = ?",
                pick.getValue(),
                pick.getKey());
          }
        });
  }

  private static final String WORKSHOPS =
      "create table workshops (id int primary key, title varchar(40), seats int not null)";
  private static final String REGISTRATIONS =
      """
      create table registrations (
        id serial primary key, workshop int not null references workshops (id),
        attendee varchar(40) not null, registered_at timestamp default current_timestamp)
      """;
  private static final String SEATS_KEPT =
      "select count(*) <= 2 from registrations where workshop = 7";

  /** Two can never take more than two seats. */
  private static Bug seatsForThree() {
    return Bug.named("two seats, three guests")
        .tables(WORKSHOPS, REGISTRATIONS)
        .rows("insert into workshops values (7, 'Pottery', 2), (8, 'Baking', 12)")
        .broken(three((ds, who) -> register(ds, who, "select id from workshops where id = ?")))
        .fixed(
            three(
                (ds, who) -> register(ds, who, "select id from workshops where id = ? for update")))
        .invariant("two seats", SEATS_KEPT);
  }

  private static void register(DataSource ds, String attendee, String workshop)
      throws SQLException {
    transaction(
        ds,
        connection -> {
          lock(connection, workshop, 7);
          if (number(connection, "select count(*) from registrations where workshop = ?", 7)
              >= number(connection, "select seats from workshops where id = ?", 7)) {
            throw new IllegalStateException("fully booked");
          }
          update(
              connection,
              "insert into registrations (workshop, attendee) values (?, ?)",
              7,
              attendee);
        });
  }

  /** A guard in the WHERE that looks at other rows, of which some are not committed yet. */
  private static Bug guardedSeats() {
    return Bug.named("seats guarded by a subselect")
        .tables(WORKSHOPS, REGISTRATIONS)
        .rows(
            "insert into workshops values (7, 'Pottery', 2)",
            "insert into registrations (workshop, attendee) values (7, 'Dora')")
        .broken(race -> race.actors(3, ds -> registerGuarded(ds)))
        .fixed(
            race ->
                race.actors(
                    3,
                    ds ->
                        transaction(
                            ds,
                            connection -> {
                              lock(connection, "select id from workshops where id = 7 for update");
                              if (update(connection, REGISTER_GUARDED) == 0) {
                                throw new IllegalStateException("fully booked");
                              }
                            })))
        .invariant("two seats", SEATS_KEPT);
  }

  private static final String REGISTER_GUARDED =
      """
      insert into registrations (workshop, attendee)
      select id, 'somebody' from workshops
       where id = 7 and seats > (select count(*) from registrations where workshop = 7)
      """;

  private static void registerGuarded(DataSource ds) throws SQLException {
    if (update(ds, REGISTER_GUARDED) == 0) {
      throw new IllegalStateException("fully booked");
    }
  }

  /** Each instance of the application counts by itself, from what it read when it started. */
  private static Bug cachedInJava() {
    return Bug.named("a count that is kept in Java")
        .tables("create table tickets (event varchar(20) primary key, remaining int not null)")
        .rows("insert into tickets values ('OPENING', 10)")
        .broken(
            two(
                (ds, who) -> {
                  TicketOffice office = new TicketOffice(ds);
                  office.sell();
                  office.sell();
                }))
        .fixed(
            two(
                (ds, who) -> {
                  for (int i = 0; i < 2; i++) {
                    update(
                        ds,
                        """
                        update tickets set remaining = remaining - 1
                         where event = 'OPENING' and remaining > 0
                        """);
                  }
                }))
        .invariant("four are sold", "select remaining = 6 from tickets");
  }

  private static final class TicketOffice {
    private final DataSource ds;
    private long remaining;

    TicketOffice(DataSource ds) throws SQLException {
      this.ds = ds;
      this.remaining = number(ds, "select remaining from tickets where event = 'OPENING'");
    }

    void sell() throws SQLException {
      if (remaining == 0) {
        throw new IllegalStateException("sold out");
      }
      remaining--;
      update(ds, "update tickets set remaining = ? where event = 'OPENING'", remaining);
    }
  }
}
