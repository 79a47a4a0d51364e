package dev.holdfast.race.own;

import static dev.holdfast.race.own.LeasePrograms.HELD;
import static dev.holdfast.race.own.LeasePrograms.ROW;
import static dev.holdfast.race.own.LeasePrograms.hands;
import static dev.holdfast.race.own.LeaseTables.FUTURE;
import static dev.holdfast.race.own.LeaseTables.PAST;

import dev.holdfast.race.own.LeaseTables.Row;
import java.util.List;

/** The processes in line for an exclusive lease on PostgreSQL: who gets in, and who gets out. */
final class LinePrograms {
  /** No more get in after this one. */
  private static final String LONG = "x".repeat(1999);

  static final Program IN_LINE =
      marking(
          "each process that waits is in line once, and changes nothing else",
          HELD.waitedFor(null, FUTURE),
          row(
              "waiting in ("
                  + line("Ben,Cem")
                  + ", "
                  + line("Cem,Ben")
                  + ") and waiting_until > timestamp '2050-01-01 00:00:00' and holder = 'Ana' and"
                  + " token = "
                  + LeaseTables.TOKEN
                  + " and released = false and acquired_at = timestamp '2020-01-01 00:00:00' and"
                  + " expires_at = timestamp '2099-01-01 00:00:00'"));

  static final Program AFTER_OTHERS =
      marking(
          "who comes later is later in line",
          HELD.waitedFor("Eve", FUTURE),
          row("waiting like " + line("Eve") + " || '%'"));

  static final Program RUN_OUT =
      marking(
          "a line that has run out is left by all",
          HELD.waitedFor("Old", PAST),
          row(
              "waiting in ("
                  + line("Ben,Cem")
                  + ", "
                  + line("Cem,Ben")
                  + ") and waiting_until > timestamp '2050-01-01 00:00:00'"));

  static final Program WITH_QUEUE =
      marking(
          "where there is a queue all are told",
          HELD.waitedFor("*queue", FUTURE),
          row("waiting = '*'"));

  static final Program LONG_LINE =
      marking(
          "those for whom there is no room are in line together",
          HELD.waitedFor(LONG, FUTURE),
          row("waiting = " + line(LONG + ",*")));

  static final Program MAX_LINE_LENGTH =
      marking(
          "who has a place in a long line is there once",
          HELD.waitedFor("Ben,Cem," + LONG, FUTURE),
          row("waiting = " + line("Ben,Cem," + LONG)));

  static final Program ALMOST_LONG =
      marking(
          "there is room for who comes next",
          HELD.waitedFor("Ben," + LONG.substring(6), FUTURE),
          row("waiting = " + line("Ben," + LONG.substring(6) + ",Cem")));

  static final Program WITHDRAWN =
      withdrawing(
          "who waits no longer leaves the line, and nobody else does",
          HELD.waitedFor("Dan,Ben,Cem", FUTURE),
          row("waiting = " + line("Dan,Cem") + " and released = false"));

  static final Program WITHDRAWN_ALONE =
      withdrawing(
          "who was alone in line leaves none",
          HELD.waitedFor("Ben", FUTURE),
          row("waiting is null and released = false"));

  static final List<Program> ALL =
      List.of(
          IN_LINE,
          AFTER_OTHERS,
          RUN_OUT,
          WITH_QUEUE,
          LONG_LINE,
          MAX_LINE_LENGTH,
          ALMOST_LONG,
          WITHDRAWN,
          WITHDRAWN_ALONE);

  private LinePrograms() {}

  /** The value of the column where these processes are in line, with commas between them. */
  static String line(String processes) {
    return "replace('|" + processes.replace(",", "||") + "|', '|', chr(10))";
  }

  /** This holds of the lease. */
  static String row(String condition) {
    return "select count(*) = 1" + ROW + " and (" + condition + ")";
  }

  /** Ben and Cem wait, and ask again. */
  private static Program marking(String name, Row row, String invariant) {
    return new Program(
        name,
        LeaseTables::make,
        (race, mutation) ->
            LeasePrograms.given(race, row)
                .actor(
                    "Ben",
                    ds -> {
                      hands("Ben", mutation, ds).ask(LeaseActor.MARKED);
                      hands("Ben", mutation, ds).ask(LeaseActor.MARKED);
                    })
                .actor("Cem", ds -> hands("Cem", mutation, ds).ask(LeaseActor.MARKED))
                .invariant("the line", invariant));
  }

  /** Ben waits no longer; nor does one who waits for other leases. */
  private static Program withdrawing(String name, Row row, String invariant) {
    return new Program(
        name,
        OfferTables::make,
        (race, mutation) ->
            OfferTables.given(race, row, null)
                .actor("Ben", ds -> hands("Ben", OfferTables.heard(mutation), ds).withdraw())
                .actor("Nil", ds -> hands("Nil", OfferTables.heard(mutation), ds).withdraw())
                .invariant("the line", invariant)
                .invariant("nobody is told", "select count(*) = 0" + OfferTables.TOLD));
  }
}
