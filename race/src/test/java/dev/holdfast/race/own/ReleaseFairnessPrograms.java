package dev.holdfast.race.own;

import static dev.holdfast.race.own.LeasePrograms.HELD;
import static dev.holdfast.race.own.LeasePrograms.LEASE;
import static dev.holdfast.race.own.LeasePrograms.hands;
import static dev.holdfast.race.own.LeaseTables.FUTURE;
import static dev.holdfast.race.own.LeaseTables.PAST;

import dev.holdfast.lease.spi.LeaseStore.ReleaseResult;
import dev.holdfast.lease.spi.LeaseStore.WaitRegistration;
import dev.holdfast.race.Race;
import dev.holdfast.race.own.LeaseTables.Row;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** What a release offers to other processes on MariaDB and H2, where nobody is told of it. */
final class ReleaseFairnessPrograms {
  private static final String MOMENT = "INTERVAL '0.06' SECOND";
  private static final String UNTIL_2099 = " and expires_at = timestamp '2099-01-01 00:00:00'";
  private static final Row RELEASED = new Row(LEASE.key(), "Ana", true, FUTURE);

  static final Program OFFERED =
      offered("what is offered to others is not there for its last process", null);

  static final Program OFFERED_WAITING =
      offered(
          "what is offered to others is not there for its last process that waits",
          LeaseActor.MARKED);

  static final Program NOT_OFFERED =
      new Program(
          "what is offered to nobody is there for its last process",
          LeaseTables::make,
          (race, mutation) ->
              given(race, RELEASED, null)
                  .actor("Eve", ds -> eve(mutation, ds).work(null))
                  .actor("Dan", ds -> hands("Dan", mutation, ds).renew())
                  .invariant("Eve has it", "select times = 1 from work"));

  static final Program TO_ONE =
      releasing(
          "it is offered for a moment where another process waits",
          HELD.waitedFor("Ben", FUTURE),
          null,
          "released and told = 'Ben' and waiting is null and expires_at < timestamp '2098-01-01"
              + " 00:00:00'");

  static final Program TO_SEVERAL =
      releasing(
          "it is offered where several wait",
          HELD.waitedFor("*", FUTURE),
          null,
          "released and told = '*' and waiting is null");

  static final Program OWN =
      releasing(
          "it is offered to nobody where only its own process waits",
          HELD.waitedFor("Ana", FUTURE),
          null,
          "released and told is null and waiting is null" + UNTIL_2099);

  static final Program LATE =
      releasing(
          "it is offered to nobody where a mark has run out",
          HELD.waitedFor("Old", PAST),
          null,
          "released and told is null" + UNTIL_2099);

  static final Program TOO_SOON =
      new Program(
          "it is offered to nobody soon after it was acquired, and the mark stays",
          LeaseTables::make,
          (race, mutation) ->
              given(race, HELD.waitedFor("Ben", FUTURE), null)
                  .given(
                      "update holdfast_lease set acquired_at = timestamp '2098-01-01 00:00:00'"
                          + " where kind = 0 and name = 'lease'")
                  .actor("Ana", ds -> hands("Ana", mutation, ds).release())
                  .actor("Dan", ds -> hands("Dan", mutation, ds).renew())
                  .invariant(
                      "the mark",
                      row("released and told is null and waiting = 'Ben'" + UNTIL_2099)));

  static final Program AFTER_ANOTHER =
      releasing(
          "what was offered once is not offered again where nobody waits",
          HELD,
          "Old",
          "released and told is null" + UNTIL_2099);

  static final Program NOT_LONGER =
      releasing(
          "an offer does not outlast the lease",
          new Row(LEASE.key(), "Ana", false, "2040-01-01 00:00:00").waitedFor("Ben", FUTURE),
          null,
          "told = 'Ben' and expires_at = timestamp '2040-01-01 00:00:00'");

  static final Program TURNS =
      new Program(
          "who comes again at once has it after who has waited",
          LeaseTables::make,
          (race, mutation) ->
              given(race, HELD.waitedFor("Ben", FUTURE), null)
                  .actor(
                      "Ana",
                      ds -> {
                        hands("Ana", lasting(mutation), ds).release();
                        eve(lasting(mutation), ds).work(null);
                      })
                  .actor("Ben", ds -> hands("Ben", lasting(mutation), ds).work(LeaseActor.MARKED))
                  .invariant("Ben is next", "select coalesce(first, 'Ben') = 'Ben' from work"));

  static final Program REPEATED =
      new Program(
          "a release is answered again when its offer is over, and is one still",
          LeaseTables::make,
          (race, mutation) ->
              given(race, new Row(LEASE.key(), "Ana", true, PAST), "Ben")
                  .actor(
                      "Ana",
                      ds -> {
                        LeaseActor ana = hands("Ana", mutation, ds);
                        if (!(ana.release() instanceof ReleaseResult.Released)) {
                          ana.note("lost");
                        }
                      })
                  .actor("Dan", ds -> hands("Dan", mutation, ds).renew())
                  .invariant("the offer", row("released and told = 'Ben'")));

  static final Program YIELDED =
      new Program(
          "who yields waits, and may have it again",
          LeaseTables::make,
          (race, mutation) ->
              given(race, HELD.waitedFor("Ben", FUTURE), "Old")
                  .actor("Ana", ds -> hands("Ana", mutation, ds).handOver(eve(mutation, ds), true))
                  .actor("Dan", ds -> hands("Dan", mutation, ds).renew())
                  .invariant(
                      "the mark",
                      row("released and told is null and waiting = 'Ana'" + UNTIL_2099)));

  static final Program FORCED =
      new Program(
          "what is taken away is offered to nobody",
          LeaseTables::make,
          (race, mutation) ->
              given(race, HELD.waitedFor("Ben", FUTURE), "Old")
                  .actor("Cem", ds -> hands("Cem", mutation, ds).force())
                  .actor("Dan", ds -> hands("Dan", mutation, ds).renew())
                  .invariant("no offer", row("released and told is null and waiting is null")));

  static final Program WITHDRAWN =
      withdrawing(
          "who waits no longer takes back its mark only",
          HELD.waitedFor("Ben", FUTURE),
          "Cem",
          "waiting is null and told = 'Cem'");

  static final Program GIVEN_BACK =
      withdrawing(
          "who waits no longer gives back what was offered to it only",
          RELEASED.waitedFor("Cem", FUTURE),
          "Ben",
          "waiting = 'Cem' and told is null");

  static final List<Program> ALL =
      List.of(
          OFFERED,
          OFFERED_WAITING,
          NOT_OFFERED,
          TO_ONE,
          TO_SEVERAL,
          OWN,
          LATE,
          TOO_SOON,
          AFTER_ANOTHER,
          NOT_LONGER,
          TURNS,
          REPEATED,
          YIELDED,
          FORCED,
          WITHDRAWN,
          GIVEN_BACK);

  private ReleaseFairnessPrograms() {}

  /** A row, and the mark that its last release was offered for. */
  private static Race given(Race race, Row row, @Nullable String told) {
    return OfferTables.given(race, row, told);
  }

  /** Another acquisition of Ana's process. */
  private static LeaseActor eve(Mutation mutation, DataSource ds) {
    return new LeaseActor("Eve", "Ana", LEASE, mutation, ds);
  }

  /** Offers outlast any test. */
  private static Mutation lasting(Mutation mutation) {
    return mutation.rewriting(MOMENT, MOMENT, "INTERVAL '30' YEAR");
  }

  private static String row(String condition) {
    return "select count(*) = 1" + LeasePrograms.ROW + " and " + condition;
  }

  private static Program offered(String name, @Nullable WaitRegistration waiting) {
    return new Program(
        name,
        LeaseTables::make,
        (race, mutation) ->
            given(race, RELEASED, "Ben")
                .actor("Eve", ds -> eve(mutation, ds).work(waiting))
                .actor("Ben", ds -> hands("Ben", mutation, ds).work(waiting))
                .invariant("Ben has it first", "select coalesce(first, '') = 'Ben' from work"));
  }

  private static Program releasing(String name, Row row, @Nullable String told, String condition) {
    return new Program(
        name,
        LeaseTables::make,
        (race, mutation) ->
            given(race, row, told)
                .actor("Ana", ds -> hands("Ana", lasting(mutation), ds).release())
                .actor("Dan", ds -> hands("Dan", mutation, ds).renew())
                .invariant("whom it is offered to", row(condition)));
  }

  private static Program withdrawing(String name, Row row, String told, String condition) {
    return new Program(
        name,
        LeaseTables::make,
        (race, mutation) ->
            given(race, row, told)
                .actor("Ben", ds -> hands("Ben", mutation, ds).withdraw())
                .actor("Nil", ds -> hands("Nil", mutation, ds).withdraw())
                .invariant("what is left", row(condition)));
  }
}
