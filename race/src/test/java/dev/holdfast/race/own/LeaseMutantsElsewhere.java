package dev.holdfast.race.own;

import java.util.List;
import java.util.stream.Stream;

/**
 * Where MariaDB and H2 have statements of their own for leases: without one of their conditions.
 *
 * <p>Not told apart from Holdfast on MariaDB: an acquisition that does not wait without its
 * condition on its own lease, which stays its own; the condition of {@code released}, as on
 * PostgreSQL; and the clause about duplicates when the row of a shared lease is made, without which
 * the transaction fails, is repeated, and finds the row. On both: that a released lease is released
 * again, because a release that changes nothing looks at the row to find out what became of it.
 */
final class LeaseMutantsElsewhere {
  private static final String UPSERT = "INSERT INTO holdfast_lease (shard";
  private static final String HAND_OVER = "owner = ?, holder = ?, released = false";
  private static final String FORCE = "owner = NULL, waiting = NULL";
  private static final String FENCE = "INSERT INTO holdfast_fence";
  private static final String RAISE = "UPDATE holdfast_fence SET";

  private static final String MARIADB_FREE =
      "(released AND (told IS NULL OR holder <> VALUES(holder)) OR expires_at <="
          + " VALUES(acquired_at) OR owner = VALUES(owner))";
  private static final String TAKE = "FINAL TABLE (UPDATE holdfast_lease SET token = CASE";
  private static final String H2_FREE =
      "(released AND (told IS NULL OR holder <> ?) OR expires_at <= CURRENT_TIMESTAMP(6) OR"
          + " owner = ?)";
  private static final String H2_ANY = "(TRUE OR holder = ? OR owner = ?)";
  private static final String H2_NONE = "(FALSE AND holder = ? AND owner = ?)";

  static final List<Mutant> ON_MARIADB =
      Stream.of(
              taking(
                  UPSERT,
                  "expires_at <= VALUES(acquired_at) OR ",
                  " OR owner = VALUES(owner))",
                  "AND NOT released ",
                  "AND expires_at > VALUES(acquired_at)"),
              marking(
                  UPSERT,
                  "waiting IS NULL OR waiting_until <= VALUES(acquired_at) OR waiting ="
                      + " VALUES(holder)",
                  "waiting IS NULL OR",
                  "waiting_until <= VALUES(acquired_at) OR",
                  "OR waiting = VALUES(holder)"),
              ReleaseFairnessMutants.on(
                  UPSERT,
                  "VALUES(holder)",
                  "UTC_TIMESTAMP(6)",
                  "(UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND)"),
              List.of(
                  of(
                      "acquiring, condition dropped",
                      LeasePrograms.NEXT,
                      UPSERT,
                      MARIADB_FREE,
                      "TRUE"),
                  of(
                      "waiting, condition dropped",
                      LeasePrograms.NEXT_WAITING,
                      UPSERT,
                      MARIADB_FREE,
                      "TRUE"),
                  of(
                      "waiting, condition of owner dropped",
                      LeasePrograms.NEXT_WAITING,
                      UPSERT,
                      " owner = IF(" + MARIADB_FREE,
                      " owner = IF(TRUE"),
                  column("token", "IF(" + MARIADB_FREE, "IF(TRUE", MarkPrograms.MARKED_BY_TWO),
                  column(
                      "holder", "IF(owner = VALUES(owner)", "IF(TRUE", MarkPrograms.MARKED_BY_TWO),
                  column(
                      "acquired_at",
                      "IF(owner = VALUES(owner)",
                      "IF(TRUE",
                      MarkPrograms.MARKED_BY_TWO),
                  column(
                      "expires_at",
                      "IF(owner = VALUES(owner)",
                      "IF(TRUE",
                      MarkPrograms.MARKED_BY_TWO),
                  column("waiting", "IF(" + MARIADB_FREE, "IF(FALSE", MarkPrograms.NOT_MARKED),
                  column(
                      "waiting_until", "IF(" + MARIADB_FREE, "IF(FALSE", MarkPrograms.NOT_MARKED),
                  alone(
                      "acquiring, token by the clock only",
                      LeasePrograms.NEXT,
                      UPSERT,
                      "GREATEST(token + 1, VALUES(token))",
                      "VALUES(token)"),
                  alone(
                      "acquiring, token by the row only",
                      LeasePrograms.RESTORED,
                      UPSERT,
                      "GREATEST(token + 1, VALUES(token))",
                      "token + 1"),
                  new Mutant(
                      "handing over, row count ignored",
                      LeasePrograms.DEAD,
                      Mutation.none().counting(HAND_OVER, 1),
                      true),
                  new Mutant(
                      "taking away, row count ignored",
                      LeasePrograms.FORCED_RUN_OUT,
                      Mutation.none().counting(FORCE, 1),
                      true),
                  of(
                      "shared, lock dropped",
                      SharedLeasePrograms.NEXT,
                      "arrivals, T",
                      "FOR UPDATE",
                      ""),
                  alone(
                      "fence, token goes back",
                      FencePrograms.NEXT,
                      FENCE,
                      "GREATEST(token, VALUES(token))",
                      "VALUES(token)")))
          .flatMap(List::stream)
          .toList();

  static final List<Mutant> ON_H2 =
      Stream.of(
              taking(
                  TAKE,
                  "expires_at <= CURRENT_TIMESTAMP(6) OR ",
                  " OR owner = ?)",
                  "AND NOT released ",
                  "AND expires_at > CURRENT_TIMESTAMP(6)"),
              marking(
                  TAKE,
                  "waiting IS NULL OR waiting_until <= CURRENT_TIMESTAMP(6) OR waiting = ?",
                  "waiting IS NULL OR",
                  "waiting_until <= CURRENT_TIMESTAMP(6) OR",
                  "OR waiting = ?"),
              ReleaseFairnessMutants.on(
                  TAKE,
                  "?",
                  "CURRENT_TIMESTAMP(6)",
                  "DATEADD(MICROSECOND, ?, CURRENT_TIMESTAMP(6))"),
              List.of(
                  of("acquiring, condition dropped", LeasePrograms.NEXT, TAKE, H2_FREE, H2_ANY),
                  of(
                      "waiting, condition of owner dropped",
                      LeasePrograms.NEXT_WAITING,
                      TAKE,
                      " owner = CASE WHEN " + H2_FREE,
                      " owner = CASE WHEN " + H2_ANY),
                  alone(
                      "waiting, condition of token dropped",
                      MarkPrograms.MARKED_BY_TWO,
                      TAKE,
                      "THEN token WHEN " + H2_FREE,
                      "THEN token WHEN " + H2_ANY),
                  h2Column("holder", H2_ANY, MarkPrograms.MARKED_BY_TWO),
                  h2Column("acquired_at", H2_ANY, MarkPrograms.MARKED_BY_TWO),
                  h2Column("expires_at", H2_ANY, MarkPrograms.MARKED_BY_TWO),
                  h2Column("waiting", H2_NONE, MarkPrograms.NOT_MARKED),
                  h2Column("waiting_until", H2_NONE, MarkPrograms.NOT_MARKED),
                  alone(
                      "acquiring, name dropped",
                      LeasePrograms.NEXT,
                      TAKE,
                      "AND name = ?",
                      "AND ? IS NOT NULL"),
                  alone(
                      "acquiring, kind dropped",
                      LeasePrograms.NEXT,
                      TAKE,
                      "AND kind = ?",
                      "AND ? IS NOT NULL"),
                  of(
                      "shared, lock dropped",
                      SharedLeasePrograms.NEXT,
                      "arrivals, C",
                      "FOR UPDATE",
                      ""),
                  alone(
                      "fence, condition on the token dropped",
                      FencePrograms.NEXT,
                      RAISE,
                      "AND token <= ?",
                      "AND ? IS NOT NULL"),
                  new Mutant(
                      "fence, row count ignored",
                      FencePrograms.NEXT,
                      Mutation.none().counting(RAISE, 1),
                      true)))
          .flatMap(List::stream)
          .toList();

  private LeaseMutantsElsewhere() {}

  private static List<Mutant> taking(
      String within, String expired, String mine, String notReleased, String notExpired) {
    return List.of(
        alone(
            "acquiring, not what is released",
            LeasePrograms.NEXT,
            within,
            "(released AND",
            "(FALSE AND"),
        alone("acquiring, not what has run out", LeasePrograms.TAKEN_OVER, within, expired, ""),
        alone("waiting, not what is one's own", MarkPrograms.NOT_MARKED, within, mine, none(mine)),
        alone(
            "acquiring, same token after a release",
            LeasePrograms.REPEATED,
            within,
            notReleased,
            ""),
        alone(
            "acquiring, same token after running out",
            LeasePrograms.REPEATED,
            within,
            notExpired,
            ""));
  }

  /** Parameters must stay. */
  private static String none(String condition) {
    return condition.contains("?") ? " OR ? IS NULL)" : ")";
  }

  private static List<Mutant> marking(
      String within, String all, String first, String old, String own) {
    return List.of(
        alone(
            "waiting, mark of who comes last",
            MarkPrograms.MARKED_BY_TWO,
            within,
            all,
            "TRUE OR " + all),
        alone(
            "waiting, first mark is not looked for", MarkPrograms.MARKED_BY_ONE, within, first, ""),
        alone("waiting, old mark counts", MarkPrograms.MARKED_AFTER_ALL, within, old, ""),
        alone(
            "waiting, own mark counts as another's",
            MarkPrograms.MARKED_BY_ONE,
            within,
            own,
            own.contains("?") ? "OR ? IS NULL" : ""));
  }

  private static Mutant column(String column, String text, String instead, Program program) {
    return alone(
        "waiting, condition of " + column + " dropped",
        program,
        UPSERT,
        " " + column + " = " + text,
        " " + column + " = " + instead);
  }

  private static Mutant h2Column(String column, String instead, Program program) {
    return alone(
        "waiting, condition of " + column + " dropped",
        program,
        TAKE,
        " " + column + " = CASE WHEN " + H2_FREE,
        " " + column + " = CASE WHEN " + instead);
  }

  private static Mutant of(
      String name, Program program, String within, String text, String instead) {
    return new Mutant(name, program, Mutation.none().rewriting(within, text, instead));
  }

  private static Mutant alone(
      String name, Program program, String within, String text, String instead) {
    return new Mutant(
        name, program, Mutation.none().rewriting(within, text, instead), /* alone= */ true);
  }
}
