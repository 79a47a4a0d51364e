package dev.holdfast.race.own;

import java.util.List;

/**
 * Where MariaDB has statements of its own for idempotency records: without their conditions.
 *
 * <p>Not told apart from Holdfast: the beginning of a transaction over an old record without its
 * condition on the time, for who has met a record keeps it locked until its transaction ends.
 */
final class RecordMutantsElsewhere {
  private static final String BEGIN = "started_at, expires_at) ";
  private static final String CLAIM = "expires_at, lease_until, workflow, input) ";
  private static final String INSERT = "INSERT INTO";
  private static final String IGNORE = "INSERT IGNORE INTO";
  private static final String RECORD = "UPDATE holdfast_idempotency SET steps";
  private static final String DELETE_EXPIRED = "AND id = ? AND expires_at <= ";

  private static final String ANY_ATTEMPT = "AND ? IS NOT NULL";
  private static final String OVER = "expires_at <= UTC_TIMESTAMP(6) AND ";
  private static final String UNHELD =
      "(lease_until IS NULL OR released OR lease_until <= UTC_TIMESTAMP(6))";

  static final List<Mutant> ON_MARIADB =
      List.of(
          alone(
              "beginning, duplicates ignored",
              OncePrograms.SAME,
              Mutation.none().rewriting(BEGIN, INSERT, IGNORE)),
          alone(
              "claiming, duplicates ignored",
              RecordPrograms.TAKEN_OVER,
              Mutation.none().rewriting(CLAIM, INSERT, IGNORE)),
          of(
              "claiming over an old record, condition on the time dropped",
              RecordPrograms.EXPIRED,
              Mutation.none().rewriting(DELETE_EXPIRED, OVER, "")),
          of(
              "looking, current read dropped",
              OncePrograms.JOINED,
              Mutation.none().rewriting(RecordMutants.LOOK, " LOCK IN SHARE MODE", "")),
          of(
              "taking over, condition on the attempt dropped",
              RecordPrograms.OTHER_PAYLOAD,
              Mutation.none().rewriting(RecordMutants.TAKE, RecordMutants.ATTEMPT, ANY_ATTEMPT)),
          of(
              "taking over, attempt and conditions on the claim dropped",
              RecordPrograms.TAKEN_OVER,
              Mutation.none()
                  .rewriting(RecordMutants.TAKE, RecordMutants.ATTEMPT, ANY_ATTEMPT)
                  .rewriting(
                      RecordMutants.TAKE, " AND NOT completed AND lease_until IS NOT NULL", "")
                  .rewriting(RecordMutants.TAKE, UNHELD, "TRUE")),
          of(
              "taking over, row count ignored",
              RecordPrograms.TAKEN_OVER,
              Mutation.none().counting(RecordMutants.TAKE, 1)),
          alone(
              "recording a step, others are lost",
              RecordPrograms.RELEASED,
              Mutation.none().rewriting(RECORD, "CONCAT(COALESCE(steps, ''), ?)", "?")));

  private RecordMutantsElsewhere() {}

  private static Mutant of(String name, Program program, Mutation mutation) {
    return new Mutant(name, program, mutation);
  }

  private static Mutant alone(String name, Program program, Mutation mutation) {
    return new Mutant(name, program, mutation, true);
  }
}
