package dev.holdfast.race.own;

import static dev.holdfast.race.own.LeasePrograms.FREE;
import static dev.holdfast.race.own.LeasePrograms.HELD;
import static dev.holdfast.race.own.LeasePrograms.LEASE;
import static dev.holdfast.race.own.LeasePrograms.hands;
import static dev.holdfast.race.own.LeaseTables.FUTURE;
import static dev.holdfast.race.own.LeaseTables.PAST;
import static dev.holdfast.race.own.LinePrograms.line;
import static dev.holdfast.race.own.LinePrograms.row;
import static dev.holdfast.race.own.OfferTables.heard;
import static dev.holdfast.race.own.OfferTables.lasting;

import dev.holdfast.lease.spi.LeaseStore.AcquireResult;
import dev.holdfast.lease.spi.LeaseStore.ReleaseResult;
import dev.holdfast.lease.spi.LeaseStore.WaitRegistration;
import dev.holdfast.race.own.LeaseTables.Row;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** What is released on PostgreSQL is offered to the process that has waited longest. */
final class OfferPrograms {
  private static final String UNTIL_2099 = " and expires_at = timestamp '2099-01-01 00:00:00'";

  static final Program FOR_ONE = offered("what is offered to one is not there for others", null);

  static final Program FOR_ONE_WAITING =
      offered("what is offered to one is not there for others who wait", LeaseActor.MARKED);

  static final Program FOR_QUEUE =
      free("what a queue was told of is there for all", FREE, "*queue", null);

  static final Program FOR_QUEUE_WAITING =
      free("what a queue was told of is there for all who wait", FREE, "*queue", LeaseActor.MARKED);

  static final Program NOT_TAKEN =
      free(
          "an offer that nobody took is there for all",
          new Row(LEASE.key(), "Nil", true, PAST),
          "Dead",
          null);

  static final Program NOT_TAKEN_WAITING =
      free(
          "an offer that nobody took is there for all who wait",
          new Row(LEASE.key(), "Nil", true, PAST),
          "Dead",
          LeaseActor.MARKED);

  static final Program FIRST =
      releasing(
          "it is offered for a moment to the first of another process",
          HELD.waitedFor("Ana,Ben,Cem", FUTURE),
          row(
              "released and told = 'Ben' and waiting = "
                  + line("Cem")
                  + " and expires_at <= statement_timestamp() + interval '50 ms'"),
          "O0|Ben/lease");

  static final Program ONLY_ONE =
      releasing(
          "who was alone in line leaves none when it is offered",
          HELD.waitedFor("Ben", FUTURE),
          row("released and told = 'Ben' and waiting is null"),
          "O0|Ben/lease");

  static final Program OWN =
      releasing(
          "it is not offered where only its own process waits",
          HELD.waitedFor("Ana", FUTURE),
          row("released and told is null and waiting is null" + UNTIL_2099),
          "");

  static final Program LATE =
      releasing(
          "it is not offered to a line that has run out",
          HELD.waitedFor("Old,Older", PAST),
          row("released and told is null and waiting is null" + UNTIL_2099),
          "");

  static final Program QUEUE =
      releasing(
          "where there is a queue it is not offered, and all are told",
          HELD.waitedFor("*queue", FUTURE),
          row("released and told = '*queue' and waiting is null" + UNTIL_2099),
          "R0|queue|lease");

  static final Program NO_ROOM =
      releasing(
          "all are told when it is the turn of those for whom there was no room",
          HELD.waitedFor("Ana,*,Cem", FUTURE),
          row("released and told = '*' and waiting = " + line("Cem")),
          "R0||lease");

  static final Program NOT_LONGER =
      new Program(
          "an offer does not outlast the lease",
          OfferTables::make,
          (race, mutation) ->
              OfferTables.given(
                      race,
                      new Row(LEASE.key(), "Ana", false, "2040-01-01 00:00:00")
                          .waitedFor("Ben", FUTURE),
                      null)
                  .actor("Ana", ds -> hands("Ana", lasting(mutation), ds).release())
                  .actor("Cem", ds -> hands("Cem", lasting(mutation), ds).ask(LeaseActor.MARKED))
                  .invariant(
                      "as it was",
                      row("told = 'Ben' and expires_at = timestamp '2040-01-01 00:00:00'")));

  static final Program TURNS =
      new Program(
          "those in line have their turns",
          OfferTables::make,
          (race, mutation) ->
              OfferTables.given(race, HELD.waitedFor("Ben,Cem", FUTURE), null)
                  .actor(
                      "Ana",
                      ds -> {
                        hands("Ana", lasting(mutation), ds).release();
                        new LeaseActor("Eve", "Ana", LEASE, lasting(mutation), ds).work(null);
                      })
                  .actor("Ben", ds -> hands("Ben", lasting(mutation), ds).work(LeaseActor.MARKED))
                  .actor("Cem", ds -> hands("Cem", lasting(mutation), ds).work(LeaseActor.MARKED))
                  .invariant("Ben is next", "select coalesce(first, 'Ben') = 'Ben' from work")
                  .invariant(
                      "only those in line have it",
                      "select times <= 2 and inside is null from work"));

  static final Program YIELDED =
      yielding(
          "who yields is the last in line",
          HELD.waitedFor("Ana,Ben,Cem", FUTURE),
          row(
              "released and told = 'Ben' and waiting = "
                  + line("Cem,Ana")
                  + " and expires_at <= statement_timestamp() + interval '50 ms'"),
          "O0|Ben/lease");

  static final Program YIELDED_TO_ONE =
      yielding(
          "who yields to one waits alone",
          HELD.waitedFor("Ben", FUTURE),
          row("released and told = 'Ben' and waiting = " + line("Ana")),
          "O0|Ben/lease");

  static final Program YIELDED_TO_QUEUE =
      yielding(
          "who yields to a queue is not in line",
          HELD.waitedFor("*queue", FUTURE),
          row("released and told = '*queue' and waiting is null" + UNTIL_2099),
          "R0|queue|lease");

  static final Program YIELDED_LATE =
      new Program(
          "who yields to a line that runs out leaves none",
          OfferTables::make,
          (race, mutation) ->
              OfferTables.given(race, HELD.waitedFor("Ben", FUTURE), null)
                  .actor("Ana", ds -> letOthersGoFirst(heard(mutation), ds))
                  .actor(
                      "Time",
                      ds -> {
                        try (Connection connection = ds.getConnection();
                            Statement statement = connection.createStatement()) {
                          statement.executeUpdate(
                              "update holdfast_lease set waiting_until = timestamp '2020-01-01"
                                  + " 00:00:00' where kind = 0 and name = 'lease'");
                        }
                      })
                  .invariant(
                      "a line only where it is offered",
                      row("not released or told is not null or waiting is null")));

  static final Program GIVEN_BACK =
      withdrawing(
          "who is offered it and waits no longer gives it back, and those in line are told",
          FREE.waitedFor("Cem", FUTURE),
          "Ben",
          row("released and told is null and waiting = " + line("Cem")),
          "R0||lease");

  static final Program GIVEN_BACK_ALONE =
      withdrawing(
          "who is offered it and waits no longer gives it back",
          FREE,
          "Ben",
          row("released and told is null and waiting is null"),
          "");

  static final Program OF_ANOTHER =
      withdrawing(
          "who waits no longer does not give back what is offered to another",
          FREE.waitedFor("Ben", FUTURE),
          "Cem",
          row("released and told = 'Cem' and waiting is null"),
          "");

  static final Program LEFT_BESIDE =
      new Program(
          "who waits no longer keeps nobody from what is released at that moment",
          OfferTables::make,
          (race, mutation) ->
              OfferTables.given(race, HELD.waitedFor("Ben", FUTURE), null)
                  .actor("Ana", ds -> hands("Ana", lasting(mutation), ds).release())
                  .actor("Ben", ds -> hands("Ben", lasting(mutation), ds).withdraw())
                  .invariant("free for all", row("released and told is null and waiting is null")));

  static final Program FORCED =
      new Program(
          "what is taken away is offered to nobody, and nobody is in line",
          OfferTables::make,
          (race, mutation) ->
              OfferTables.given(race, HELD.waitedFor("Ben", FUTURE), "Old")
                  .actor(
                      "Cem",
                      ds -> {
                        LeaseActor cem = hands("Cem", heard(mutation), ds);
                        cem.force();
                        if (cem.ask(null) instanceof AcquireResult.Rejected) {
                          cem.note("lost");
                        }
                      })
                  .actor("Dan", ds -> hands("Dan", heard(mutation), ds).renew())
                  .invariant("no line", row("holder = 'Cem' and waiting is null"))
                  .invariant("all are told", told("F0||lease")));

  static final Program ON_DISK =
      new Program(
          "a grant is on the disk, and what would be missed for long if it is not",
          OfferTables::make,
          (race, mutation) ->
              OfferTables.given(race, FREE.waitedFor("Cem", FUTURE), null)
                  .actor(
                      "Ana",
                      ds -> {
                        LeaseActor ana = hands("Ana", heard(mutation), ds);
                        ana.ask(LeaseActor.MARKED);
                        ana.release();
                      })
                  .actor("Ben", ds -> hands("Ben", heard(mutation), ds).renew())
                  .invariant(
                      "all on the disk",
                      "select count(*) = 0 from heard where what = 'unflushed'"));

  static final List<Program> ALL =
      List.of(
          FOR_ONE,
          FOR_ONE_WAITING,
          FOR_QUEUE,
          FOR_QUEUE_WAITING,
          NOT_TAKEN,
          NOT_TAKEN_WAITING,
          FIRST,
          ONLY_ONE,
          OWN,
          LATE,
          QUEUE,
          NO_ROOM,
          NOT_LONGER,
          TURNS,
          YIELDED,
          YIELDED_TO_ONE,
          YIELDED_TO_QUEUE,
          YIELDED_LATE,
          GIVEN_BACK,
          GIVEN_BACK_ALONE,
          OF_ANOTHER,
          LEFT_BESIDE,
          FORCED,
          ON_DISK);

  private OfferPrograms() {}

  /** All that was told, with a stroke for a line feed. */
  private static String told(String all) {
    return "select coalesce(string_agg(replace(what, chr(10), '/'), ';'), '') = '"
        + all
        + "'"
        + OfferTables.TOLD;
  }

  /** It is offered to Ben, and Cem asks, too. */
  private static Program offered(String name, @Nullable WaitRegistration waiting) {
    return new Program(
        name,
        OfferTables::make,
        (race, mutation) ->
            OfferTables.given(race, FREE, "Ben")
                .actor("Ben", ds -> hands("Ben", lasting(mutation), ds).work(waiting))
                .actor("Cem", ds -> hands("Cem", lasting(mutation), ds).work(waiting))
                .invariant("Ben has it first", "select coalesce(first, '') = 'Ben' from work"));
  }

  private static Program free(
      String name, Row row, String told, @Nullable WaitRegistration waiting) {
    return new Program(
        name,
        OfferTables::make,
        (race, mutation) ->
            OfferTables.given(race, row, told)
                .actor("Ana", ds -> hands("Ana", lasting(mutation), ds).work(waiting))
                .actor("Ben", ds -> hands("Ben", lasting(mutation), ds).work(waiting))
                .invariant("somebody gets it", "select times >= 1 from work"));
  }

  private static Program releasing(String name, Row row, String invariant, String told) {
    return new Program(
        name,
        OfferTables::make,
        (race, mutation) ->
            OfferTables.given(race, row, null)
                .actor("Ana", ds -> hands("Ana", heard(mutation), ds).release())
                .actor("Dan", ds -> hands("Dan", heard(mutation), ds).withdraw())
                .invariant("whom it is offered to", invariant)
                .invariant("who is told", told(told)));
  }

  private static Program yielding(String name, Row row, String invariant, String told) {
    return new Program(
        name,
        OfferTables::make,
        (race, mutation) ->
            OfferTables.given(race, row, null)
                .actor("Ana", ds -> letOthersGoFirst(heard(mutation), ds))
                .actor("Dan", ds -> hands("Dan", heard(mutation), ds).withdraw())
                .invariant("it is not handed over", "select count(*) = 0 from notes")
                .invariant("whom it is offered to", invariant)
                .invariant("who is told", told(told)));
  }

  /** Ana would hand it over in her process, but lets others go first. */
  private static void letOthersGoFirst(Mutation mutation, DataSource ds) throws Exception {
    LeaseActor ana = hands("Ana", mutation, ds);
    LeaseActor next = new LeaseActor("Eve", "Ana", LEASE, mutation, ds);
    if (ana.handOver(next, true) instanceof ReleaseResult.HandedOver) {
      ana.note("handed");
    }
  }

  private static Program withdrawing(
      String name, Row row, String offeredTo, String invariant, String told) {
    return new Program(
        name,
        OfferTables::make,
        (race, mutation) ->
            OfferTables.given(race, row, offeredTo)
                .actor("Ben", ds -> hands("Ben", heard(mutation), ds).withdraw())
                .actor("Nil", ds -> hands("Nil", heard(mutation), ds).withdraw())
                .invariant("what is left", invariant)
                .invariant("who is told", told(told)));
  }
}
