package dev.holdfast.race.sample;

import static dev.holdfast.race.sample.Sql.maybeNumber;
import static dev.holdfast.race.sample.Sql.transaction;
import static dev.holdfast.race.sample.Sql.update;

import dev.holdfast.race.Race;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Consumer;
import javax.sql.DataSource;

/** Rooms and seats. */
final class Bookings {

  private Bookings() {}

  static List<Bug> bugs() {
    return List.of(overlappingBookings(), reservePayConfirm());
  }

  /** There is no row yet that FOR UPDATE could lock. */
  private static Bug overlappingBookings() {
    return Bug.named("overlapping bookings, FOR UPDATE on no rows")
        .tables(
            """
            create table bookings (
              id serial primary key, room int not null, guest varchar(40), during tsrange not null,
              booked_at timestamptz default now())
            """)
        .rows(
            """
            insert into bookings (room, guest, during)
            values (101, 'Dora', '[2031-05-01 08:00, 2031-05-01 10:00)')
            """)
        .fixedTables(
            """
            alter table bookings add constraint no_overlap
            exclude using gist (int4range(room, room, '[]') with &&, during with &&)
            """)
        .broken(Bookings::bookAtOnce)
        .fixed(Bookings::bookAtOnce)
        .invariant(
            "one at a time",
            """
            select not exists (
              select 1 from bookings a join bookings b
                on a.room = b.room and a.id < b.id and a.during && b.during)
            """);
  }

  private static void bookAtOnce(Race race) {
    race.actor("Ana", ds -> book(ds, "Ana", "[2031-05-01 10:00, 2031-05-01 12:00)"))
        .actor("Ben", ds -> book(ds, "Ben", "[2031-05-01 11:00, 2031-05-01 13:00)"));
  }

  private static void book(DataSource ds, String guest, String during) throws SQLException {
    try {
      transaction(
          ds,
          connection -> {
            if (maybeNumber(
                    connection,
                    "select id from bookings where room = 101 and during && ?::tsrange for update",
                    during)
                .isPresent()) {
              throw new IllegalStateException("the room is taken");
            }
            update(
                connection,
                "insert into bookings (room, guest, during) values (101, ?, ?::tsrange)",
                guest,
                during);
          });
    } catch (SQLException e) {
      if ("23P01".equals(e.getSQLState())) {
        throw new IllegalStateException("the room is taken", e);
      }
      throw e;
    }
  }

  /** A hold that has run out is paid and confirmed all the same, beside its next holder. */
  private static Bug reservePayConfirm() {
    return Bug.named("reserve, pay, confirm beside the end of the hold")
        .withInvariantOnly()
        .tables(
            """
            create table seats (
              id int primary key, state varchar(10) not null, held_by varchar(40),
              held_at timestamp)
            """,
            """
            create table payments (
              id serial primary key, seat int not null, payer varchar(40) not null,
              amount decimal(10, 2) not null, paid_at timestamp default current_timestamp)
            """)
        .rows("insert into seats (id, state) values (12, 'FREE')")
        .broken(seatSale(Bookings::payThenConfirm))
        .fixed(seatSale(Bookings::payIfStillHeld))
        .invariant("paid once", "select count(*) <= 1 from payments where seat = 12")
        .invariant(
            "sold to who paid",
            """
            select not exists (
              select 1 from seats s where state = 'SOLD'
                and held_by is distinct from (
                  select max(payer) from payments where seat = s.id))
            """);
  }

  private static Consumer<Race> seatSale(Cast.Act payment) {
    return race -> {
      for (String guest : List.of("Ana", "Ben")) {
        race.actor(
            guest,
            ds -> {
              reserve(ds, guest);
              race.yieldPoint("card payment");
              payment.by(ds, guest);
            });
      }
      race.actor(
          "holds end",
          ds -> update(ds, "update seats set state = 'FREE', held_by = null where state = 'HELD'"));
    };
  }

  private static void reserve(DataSource ds, String guest) throws SQLException {
    if (update(
            ds,
            """
            update seats set state = 'HELD', held_by = ?, held_at = now()
             where id = 12 and state = 'FREE'
            """,
            guest)
        == 0) {
      throw new IllegalStateException("the seat is taken");
    }
  }

  private static void payThenConfirm(DataSource ds, String guest) throws SQLException {
    update(ds, "insert into payments (seat, payer, amount) values (12, ?, 35.00)", guest);
    update(ds, "update seats set state = 'SOLD', held_by = ? where id = 12", guest);
  }

  private static void payIfStillHeld(DataSource ds, String guest) throws SQLException {
    transaction(
        ds,
        connection -> {
          if (update(
                  connection,
                  "update seats set state = 'SOLD' where id = 12 and state = 'HELD' and held_by ="
                      + " ?",
                  guest)
              == 0) {
            throw new IllegalStateException("the hold has ended");
          }
          update(
              connection,
              "insert into payments (seat, payer, amount) values (12, ?, 35.00)",
              guest);
        });
  }
}
