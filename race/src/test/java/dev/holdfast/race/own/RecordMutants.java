package dev.holdfast.race.own;

import java.util.ArrayList;
import java.util.List;

/** Idempotency records without one of their conditions, or with an answer ignored. */
final class RecordMutants {
  private static final String BEGIN = "started_at, expires_at) ";
  private static final String CLAIM = "expires_at, lease_until, workflow, input) ";
  private static final String DELETE_EXPIRED = "AND id = ? AND expires_at <= ";
  private static final String REPLAY = "SELECT owner_id, fingerprint, result_kind, result";
  static final String LOOK = "SELECT owner_id, completed, released, fingerprint";
  static final String TAKE = "released = false, lease_until = (";
  static final String TAKE_INTO = "released = false, lease_until = NULL";
  static final String RENEW = "UPDATE holdfast_idempotency SET lease_until";
  static final String RECORD = "UPDATE holdfast_idempotency SET steps";
  static final String COMPLETE = "steps = NULL, input = NULL";
  static final String RELEASE = "UPDATE holdfast_idempotency SET released";
  private static final String IS_COMPLETE = "AND owner_id = ? AND completed";
  static final String IS_RELEASED = "AND owner_id = ? AND released AND NOT completed";
  private static final String ANSWER = "AND NOT completed AND lease_until IS NULL";
  private static final String FORGET = "AND id = ? AND (completed OR ";
  static final String CLEAN_UP = "DELETE FROM holdfast_idempotency r USING";

  private static final String NOTHING = "ON CONFLICT (shard, id) DO NOTHING";
  private static final String ID = "AND id = ?";
  private static final String ANY_ID = "AND CAST(? AS bytea) IS NOT NULL";
  static final String ATTEMPT = "AND owner_id = ?";
  static final String ANY_ATTEMPT = "AND CAST(? AS uuid) IS NOT NULL";
  static final String NOT_DONE = " AND NOT completed";
  static final String NOT_RELEASED = " AND NOT released";
  private static final String IN_TIME = " AND lease_until > statement_timestamp()";
  private static final String OVER = "expires_at <= statement_timestamp() AND ";
  static final String UNHELD =
      "(lease_until IS NULL OR released OR lease_until <= statement_timestamp())";
  private static final String NEEDED = "AND (completed OR (workflow IS NULL AND " + UNHELD + "))";

  private static final List<Mutant> BEGINNING =
      List.of(
          alone("beginning, clause about conflicts dropped", OncePrograms.SAME, BEGIN, NOTHING, ""),
          alone(
              "beginning, conflict overwrites",
              OncePrograms.SAME,
              BEGIN,
              NOTHING,
              "ON CONFLICT (shard, id) DO UPDATE SET owner_id = excluded.owner_id, completed ="
                  + " false"),
          alone(
              "beginning, row count ignored",
              OncePrograms.SAME,
              BEGIN,
              NOTHING,
              "ON CONFLICT (shard, id) DO UPDATE SET shard = excluded.shard"),
          of(
              "beginning over an old record, condition on the time dropped",
              OncePrograms.EXPIRED,
              DELETE_EXPIRED,
              OVER,
              ""),
          alone(
              "beginning over an old record, key dropped",
              OncePrograms.EXPIRED,
              DELETE_EXPIRED,
              ID,
              ANY_ID),
          alone(
              "replaying, condition on the time dropped",
              OncePrograms.EXPIRED,
              REPLAY,
              " AND expires_at > statement_timestamp()",
              ""),
          alone(
              "replaying, condition on being done dropped",
              OncePrograms.TAKEN_OVER,
              REPLAY,
              " AND completed",
              ""),
          alone("replaying, key dropped", OncePrograms.EXPIRED, REPLAY, ID, ANY_ID),
          of(
              "taking into a transaction, attempt and conditions on the claim dropped",
              OncePrograms.TAKEN_OVER,
              Mutation.none()
                  .rewriting(TAKE_INTO, ATTEMPT, ANY_ATTEMPT)
                  .rewriting(TAKE_INTO, " AND NOT completed AND lease_until IS NOT NULL", "")
                  .rewriting(TAKE_INTO, UNHELD, "TRUE")),
          of(
              "taking into a transaction, row count ignored",
              OncePrograms.TAKEN_OVER,
              Mutation.none().counting(TAKE_INTO, 1)),
          alone(
              "taking into a transaction, key dropped",
              OncePrograms.TAKEN_OVER,
              TAKE_INTO,
              ID,
              ANY_ID),
          alone(
              "taking into a transaction, claim stays",
              OncePrograms.TAKEN_OVER,
              TAKE_INTO,
              "lease_until = NULL",
              "lease_until = lease_until"),
          alone(
              "answering, condition on the attempt dropped",
              OncePrograms.ANSWERED,
              ANSWER,
              ATTEMPT,
              ANY_ATTEMPT),
          alone(
              "answering, condition on not being done dropped",
              OncePrograms.ANSWERED,
              ANSWER,
              NOT_DONE,
              ""),
          alone(
              "answering, condition on the claim dropped",
              OncePrograms.ANSWERED,
              ANSWER,
              " AND lease_until IS NULL",
              ""),
          alone("answering, key dropped", OncePrograms.ANSWERED, ANSWER, ID, ANY_ID),
          alone(
              "answering, row count ignored",
              OncePrograms.ANSWERED,
              Mutation.none().counting(ANSWER, 1)));

  private static final List<Mutant> CLAIMING =
      List.of(
          alone(
              "claiming, clause about conflicts dropped", RecordPrograms.NEXT, CLAIM, NOTHING, ""),
          alone(
              "claiming, conflict overwrites",
              RecordPrograms.FIRST,
              CLAIM,
              NOTHING,
              "ON CONFLICT (shard, id) DO UPDATE SET owner_id = excluded.owner_id, completed ="
                  + " false"),
          alone(
              "claiming, row count ignored",
              RecordPrograms.TAKEN_OVER,
              CLAIM,
              NOTHING,
              "ON CONFLICT (shard, id) DO UPDATE SET shard = excluded.shard"),
          of(
              "claiming over an old record, condition on the time dropped",
              RecordPrograms.EXPIRED,
              DELETE_EXPIRED,
              OVER,
              ""),
          of(
              "claiming over an old record, condition on those who need it dropped",
              RecordPrograms.KEPT_TOO_SHORT,
              DELETE_EXPIRED,
              NEEDED,
              ""),
          of(
              "claiming over an old record, condition on the claim dropped",
              RecordPrograms.KEPT_TOO_SHORT,
              DELETE_EXPIRED,
              UNHELD,
              "TRUE"),
          alone(
              "claiming over an old record, key dropped",
              RecordPrograms.EXPIRED,
              DELETE_EXPIRED,
              ID,
              ANY_ID),
          alone("looking, key dropped", RecordPrograms.TAKEN_OVER, LOOK, ID, ANY_ID),
          alone("looking, everything is old", OncePrograms.JOINED, LOOK, OVER, ""),
          alone("looking, nothing is old", RecordPrograms.EXPIRED, LOOK, OVER, "FALSE AND "),
          alone(
              "looking, flows grow old",
              RecordEndPrograms.FLOW_STAYS,
              LOOK,
              "workflow IS NULL AND (",
              "("),
          of(
              "taking over, condition on the attempt dropped",
              RecordPrograms.OTHER_PAYLOAD,
              TAKE,
              ATTEMPT,
              ANY_ATTEMPT),
          of(
              "taking over, attempt and conditions on the claim dropped",
              RecordPrograms.TAKEN_OVER,
              unconditional()),
          of(
              "taking over, attempt and conditions on the claim dropped (given back)",
              RecordPrograms.NEXT,
              unconditional()),
          of(
              "taking over, row count ignored",
              RecordPrograms.TAKEN_OVER,
              Mutation.none().counting(TAKE, 1)),
          alone("taking over, key dropped", RecordPrograms.TAKEN_OVER, TAKE, ID, ANY_ID),
          alone(
              "taking over, stays given back",
              RecordPrograms.NEXT,
              TAKE,
              "released = false",
              "released = released"),
          alone(
              "taking over, attempt of before stays",
              RecordPrograms.TAKEN_OVER,
              TAKE,
              "SET owner_id = ?",
              "SET owner_id = COALESCE(owner_id, ?)"));

  private static final List<Mutant> HOLDING =
      List.of(
          alone(
              "recording a step, others are lost",
              RecordPrograms.RELEASED,
              RECORD,
              "COALESCE(steps, ''::bytea) || ?",
              "?"),
          alone(
              "recording a step in a transaction, condition on the attempt dropped",
              RecordPrograms.STEP_BESIDE_TAKE_OVER,
              RECORD,
              ATTEMPT,
              ANY_ATTEMPT),
          alone(
              "recording a step in a transaction, row count ignored",
              RecordPrograms.STEP_BESIDE_TAKE_OVER,
              Mutation.none().counting(RECORD, 1)),
          alone(
              "completing, not kept from then on",
              RecordEndPrograms.COMPLETED_BESIDE_CLEAN_UP,
              COMPLETE,
              "GREATEST(expires_at, (statement_timestamp() + ? * interval '1 microsecond'))",
              "CASE WHEN CAST(? AS bigint) = 0 THEN now() ELSE expires_at END"),
          alone(
              "completing again, condition on the attempt dropped",
              RecordPrograms.DEAD,
              IS_COMPLETE,
              ATTEMPT,
              ANY_ATTEMPT),
          alone(
              "completing again, condition on being done dropped",
              RecordPrograms.DEAD,
              IS_COMPLETE,
              " AND completed",
              ""),
          alone("completing again, key dropped", RecordPrograms.DEAD, IS_COMPLETE, ID, ANY_ID),
          alone(
              "giving back again, condition on the attempt dropped",
              RecordPrograms.GIVEN_BACK_BY_ANOTHER,
              IS_RELEASED,
              ATTEMPT,
              ANY_ATTEMPT),
          alone(
              "giving back again, condition on being given back dropped",
              RecordPrograms.DEAD,
              IS_RELEASED,
              " AND released",
              ""),
          alone("giving back again, key dropped", RecordPrograms.DEAD, IS_RELEASED, ID, ANY_ID));

  private static final List<Mutant> REMOVING =
      List.of(
          alone(
              "forgetting, condition on the claim dropped",
              RecordEndPrograms.FORGOTTEN,
              FORGET,
              " AND (completed OR " + UNHELD + ")",
              ""),
          alone(
              "forgetting, not what is done",
              RecordEndPrograms.FORGOTTEN,
              FORGET,
              "completed OR ",
              ""),
          alone(
              "forgetting, not what is given back",
              RecordEndPrograms.FORGOTTEN,
              FORGET,
              "released OR ",
              ""),
          alone(
              "forgetting, not what has run out",
              RecordEndPrograms.FORGOTTEN,
              FORGET,
              " OR lease_until <= statement_timestamp()",
              ""),
          alone(
              "forgetting, not what a transaction left unanswered",
              RecordEndPrograms.FORGOTTEN,
              FORGET,
              "lease_until IS NULL OR ",
              ""),
          alone("forgetting, key dropped", RecordEndPrograms.FORGOTTEN, FORGET, ID, ANY_ID),
          cleaning("condition on the time dropped", OVER, ""),
          cleaning("condition on the claim dropped", UNHELD, "TRUE"),
          cleaning("condition on flows dropped", "workflow IS NULL AND ", ""),
          cleaning("not what is done", "completed OR ", ""),
          cleaning("not what is given back", "released OR ", ""),
          cleaning("not what has run out", " OR lease_until <= statement_timestamp()", ""),
          cleaning("not what a transaction left unanswered", "lease_until IS NULL OR ", ""),
          cleaning("key dropped", " AND r.id = old.id", ""),
          of(
              "cleaning up, lock dropped",
              RecordEndPrograms.TAKEN_BESIDE_CLEAN_UP,
              CLEAN_UP,
              "FOR UPDATE SKIP LOCKED",
              ""));

  static final List<Mutant> ALL = all();

  private RecordMutants() {}

  private static List<Mutant> all() {
    List<Mutant> all = new ArrayList<>(BEGINNING);
    all.addAll(CLAIMING);
    all.addAll(held("renewing", RENEW));
    all.addAll(held("recording a step", RECORD));
    all.addAll(held("completing", COMPLETE));
    all.addAll(held("giving back", RELEASE));
    all.addAll(HOLDING);
    all.addAll(REMOVING);
    return List.copyOf(all);
  }

  /** What only who holds the claim may do. */
  private static List<Mutant> held(String doing, String within) {
    List<Mutant> all = new ArrayList<>();
    all.add(
        alone(
            doing + ", condition on the attempt dropped",
            RecordPrograms.OVERTAKEN,
            within,
            ATTEMPT,
            ANY_ATTEMPT));
    if (!within.equals(RELEASE)) {
      all.add(
          alone(
              doing + ", condition on not being given back dropped",
              RecordPrograms.RELEASED,
              within,
              NOT_RELEASED,
              ""));
    }
    all.add(
        alone(doing + ", condition on the time dropped", RecordPrograms.DEAD, within, IN_TIME, ""));
    all.add(
        alone(
            doing + ", key dropped",
            within.equals(RELEASE) ? RecordPrograms.RELEASED_ALONE : RecordPrograms.FIRST,
            within,
            ID,
            ANY_ID));
    all.add(
        alone(
            doing + ", row count ignored",
            RecordPrograms.DEAD,
            Mutation.none().counting(within, 1)));
    return all;
  }

  private static Mutation unconditional() {
    return Mutation.none()
        .rewriting(TAKE, ATTEMPT, ANY_ATTEMPT)
        .rewriting(TAKE, " AND NOT completed AND lease_until IS NOT NULL", "")
        .rewriting(TAKE, UNHELD, "TRUE");
  }

  private static Mutant cleaning(String name, String text, String instead) {
    return alone(
        "cleaning up, " + name, OncePrograms.REPLAYED_BESIDE_CLEAN_UP, CLEAN_UP, text, instead);
  }

  private static Mutant of(
      String name, Program program, String within, String text, String instead) {
    return of(name, program, Mutation.none().rewriting(within, text, instead));
  }

  private static Mutant of(String name, Program program, Mutation mutation) {
    return new Mutant(name, program, mutation);
  }

  private static Mutant alone(
      String name, Program program, String within, String text, String instead) {
    return alone(name, program, Mutation.none().rewriting(within, text, instead));
  }

  private static Mutant alone(String name, Program program, Mutation mutation) {
    return new Mutant(name, program, mutation, true);
  }
}
