package dev.holdfast.race.own;

import java.util.List;

/** Mutants of idempotency records that do the same as Holdfast. */
final class EquivalentRecords {
  private static final String SEEN =
      "what an attempt does not hold it never holds again, and it was seen so";

  private static final String CLAIMED_FIRST = "who goes on with it claims it first, and is told";

  private static final String LOCK =
      "pg_try_advisory_xact_lock(? # 'holdfast_idempotency'::regclass::oid::bigint)";
  private static final String NO_LOCK = "CAST(? AS bigint) IS NOT NULL";
  private static final String ONLY_WAITS =
      "the key of the table lets one in; the lock only spares the others the wait for it";

  static final List<EquivalentMutant> ALL =
      List.of(
          doneDropped("renewing", RecordMutants.RENEW),
          doneDropped("recording a step", RecordMutants.RECORD),
          doneDropped("completing", RecordMutants.COMPLETE),
          doneDropped("giving back", RecordMutants.RELEASE),
          of(
              "beginning, advisory lock dropped",
              OncePrograms.SAME,
              "started_at, expires_at) ",
              LOCK,
              NO_LOCK,
              ONLY_WAITS),
          of(
              "claiming, advisory lock dropped",
              RecordPrograms.FIRST,
              "expires_at, lease_until, workflow, input) ",
              LOCK,
              NO_LOCK,
              ONLY_WAITS),
          of(
              "looking, what is held grows old",
              RecordPrograms.KEPT_TOO_SHORT,
              RecordMutants.LOOK,
              RecordMutants.UNHELD,
              "TRUE",
              "what is held is not removed all the same; only less is told of it"),
          of(
              "taking over, condition on not being done dropped",
              RecordPrograms.TAKEN_OVER,
              RecordMutants.TAKE,
              RecordMutants.NOT_DONE,
              "",
              SEEN),
          of(
              "taking over, condition on the claim dropped",
              RecordPrograms.TAKEN_OVER,
              RecordMutants.TAKE,
              RecordMutants.UNHELD,
              "TRUE",
              SEEN),
          of(
              "taking over, condition on having a claim dropped",
              RecordPrograms.TAKEN_OVER,
              RecordMutants.TAKE,
              " AND lease_until IS NOT NULL",
              "",
              "no record loses its claim but to a transaction, which is another attempt"),
          of(
              "taking into a transaction, conditions on flow and steps dropped",
              OncePrograms.TAKEN_OVER,
              RecordMutants.TAKE_INTO,
              " AND workflow IS NULL AND steps IS NULL",
              "",
              "who adds a step is another attempt, and it was seen without"),
          of(
              "giving back, condition on not being given back dropped",
              RecordPrograms.RELEASED_ALONE,
              RecordMutants.RELEASE,
              RecordMutants.NOT_RELEASED,
              "",
              "who has given it back is told so in any case"),
          of(
              "giving back again, condition on not being done dropped",
              RecordPrograms.RELEASED_ALONE,
              RecordMutants.IS_RELEASED,
              RecordMutants.NOT_DONE,
              "",
              "what is given back is taken before it is done, and then it is not given back"),
          of(
              "cleaning up, waits for locks",
              RecordEndPrograms.TAKEN_BESIDE_CLEAN_UP,
              RecordMutants.CLEAN_UP,
              " SKIP LOCKED",
              "",
              "what it has waited for it looks at again; it only waits"),
          of(
              "abandoned flows, condition on not being done dropped",
              RecordPrograms.COMPLETERS,
              "WHERE workflow IN",
              RecordMutants.NOT_DONE,
              "",
              CLAIMED_FIRST),
          of(
              "abandoned flows, condition on the time dropped",
              RecordPrograms.COMPLETERS,
              "WHERE workflow IN",
              " AND lease_until <= statement_timestamp()",
              "",
              CLAIMED_FIRST));

  private EquivalentRecords() {}

  private static EquivalentMutant doneDropped(String doing, String within) {
    return of(
        doing + ", condition on not being done dropped",
        RecordPrograms.REPEATED,
        within,
        RecordMutants.NOT_DONE,
        "",
        "what is done has no claim any more that could be in time");
  }

  private static EquivalentMutant of(
      String name, Program program, String within, String text, String instead, String because) {
    return new EquivalentMutant(
        new Mutant(name, program, Mutation.none().rewriting(within, text, instead)), because);
  }
}
