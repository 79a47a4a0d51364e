package dev.holdfast.race.own;

import dev.holdfast.lease.spi.LeaseStore.ReleaseResult;
import dev.holdfast.race.own.LeaseTables.Row;
import java.util.List;

/** Marks of those who wait for exclusive leases, and what is made of them. */
final class MarkPrograms {
  static final Program MARKED_BY_TWO =
      marking(
          "several processes that wait are marked as such, and change nothing else",
          LeasePrograms.HELD.waitedFor(null, LeaseTables.FUTURE),
          "Ana",
          "select waiting = '*' and waiting_until > timestamp '2050-01-01 00:00:00' and holder ="
              + " 'Ana' and token = "
              + LeaseTables.TOKEN
              + " and released = false and acquired_at = timestamp '2020-01-01 00:00:00' and"
              + " expires_at = timestamp '2099-01-01 00:00:00'"
              + LeasePrograms.ROW);

  static final Program MARKED_BY_ONE =
      marking(
          "one process that waits is marked as one",
          LeasePrograms.HELD.waitedFor(null, LeaseTables.FUTURE),
          "Ben",
          "select waiting = 'Ben'" + LeasePrograms.ROW);

  static final Program MARKED_AFTER_ALL =
      marking(
          "a mark that has run out does not count",
          LeasePrograms.HELD.waitedFor("Old", LeaseTables.PAST),
          "Ben",
          "select waiting = 'Ben' and waiting_until > timestamp '2050-01-01 00:00:00'"
              + LeasePrograms.ROW);

  static final Program NOT_MARKED =
      new Program(
          "who gets it leaves no mark",
          LeaseTables::make,
          (race, mutation) ->
              LeasePrograms.given(race, LeasePrograms.FREE)
                  .actor(
                      "Ana",
                      ds -> {
                        LeaseActor ana = LeasePrograms.hands("Ana", mutation, ds);
                        ana.ask(LeaseActor.MARKED);
                        ana.ask(LeaseActor.MARKED);
                      })
                  .actor("Ben", ds -> LeasePrograms.hands("Ben", mutation, ds).renew())
                  .invariant(
                      "no mark",
                      "select waiting is null and waiting_until is null" + LeasePrograms.ROW));

  static final Program NOT_SHORTENED =
      new Program(
          "who gets into the queue shortens nobody's mark",
          LeaseTables::make,
          (race, mutation) ->
              LeasePrograms.given(race, LeasePrograms.HELD.waitedFor("Ben", LeaseTables.FUTURE))
                  .actor(
                      "Cem", ds -> LeasePrograms.hands("Cem", mutation, ds).ask(LeaseActor.QUEUED))
                  .actor("Dan", ds -> LeasePrograms.hands("Dan", mutation, ds).ask(null))
                  .invariant(
                      "as long as before",
                      "select waiting like '*%' and waiting_until = timestamp '2099-01-01"
                          + " 00:00:00'"
                          + LeasePrograms.ROW));

  static final Program NOT_HANDED =
      handing(
          "it is not handed over where others wait",
          LeasePrograms.HELD.waitedFor("Ben", LeaseTables.FUTURE),
          0);

  static final Program HANDED_TO_OWN =
      handing(
          "it is handed over where its own process waits",
          LeasePrograms.HELD.waitedFor("Ana", LeaseTables.FUTURE),
          1);

  static final Program HANDED_AFTER_ALL =
      handing(
          "it is handed over where a mark has run out",
          LeasePrograms.HELD.waitedFor("Old", LeaseTables.PAST),
          1);

  static final Program HANDED_ALONE =
      handing(
          "it is handed over where nobody waits any more",
          LeasePrograms.HELD.waitedFor(null, LeaseTables.FUTURE),
          1);

  static final List<Program> ALL =
      List.of(NOT_MARKED, NOT_SHORTENED, NOT_HANDED, HANDED_TO_OWN, HANDED_AFTER_ALL, HANDED_ALONE);

  /** Those about marks that are one process or several; PostgreSQL has {@link LinePrograms}. */
  static final List<Program> ELSEWHERE = List.of(MARKED_BY_TWO, MARKED_BY_ONE, MARKED_AFTER_ALL);

  private MarkPrograms() {}

  /** Ben waits, and somebody else of a process; Ben asks again. */
  private static Program marking(String name, Row row, String process, String invariant) {
    return new Program(
        name,
        LeaseTables::make,
        (race, mutation) ->
            LeasePrograms.given(race, row)
                .actor(
                    "Ben",
                    ds -> {
                      LeasePrograms.hands("Ben", mutation, ds).ask(LeaseActor.MARKED);
                      LeasePrograms.hands("Ben", mutation, ds).ask(LeaseActor.MARKED);
                    })
                .actor(
                    "Eve",
                    ds ->
                        new LeaseActor("Eve", process, LeasePrograms.LEASE, mutation, ds)
                            .ask(LeaseActor.MARKED))
                .invariant("the mark", invariant));
  }

  private static Program handing(String name, Row row, int handed) {
    return new Program(
        name,
        LeaseTables::make,
        (race, mutation) ->
            LeasePrograms.given(race, row)
                .actor(
                    "Ana",
                    ds -> {
                      LeaseActor ana = LeasePrograms.hands("Ana", mutation, ds);
                      LeaseActor next =
                          new LeaseActor("Eve", "Ana", LeasePrograms.LEASE, mutation, ds);
                      if (ana.handOver(next, true) instanceof ReleaseResult.HandedOver) {
                        ana.note("handed");
                      }
                    })
                .actor("Cem", ds -> LeasePrograms.hands("Cem", mutation, ds).ask(null))
                .invariant("handed over", "select count(*) = " + handed + " from notes"));
  }
}
