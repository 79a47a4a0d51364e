package dev.holdfast.race.own;

import java.util.List;

/** Exclusive leases and fences without one of their conditions, or with an answer ignored. */
final class LeaseMutants {
  private static final String TRY = "acquired_at, expires_at, arrivals) VALUES";
  private static final String MARK = "arrivals, waiting_until) VALUES";
  private static final String RELEASE = "SET released = true, told";
  private static final String RENEW = "UPDATE holdfast_lease SET expires_at";
  private static final String HAND_OVER = "owner = ?, holder = ?, released = false";
  private static final String FORCE = "SET released = true, owner = NULL";
  private static final String FORGET = "DELETE FROM holdfast_lease WHERE";
  private static final String FENCE = "INSERT INTO holdfast_fence";

  private static final String FREE =
      "(l.released AND (l.told IS NULL OR l.told = excluded.holder OR l.told LIKE '*%') OR"
          + " l.expires_at <= excluded.acquired_at OR l.owner = excluded.owner)";
  private static final String RELEASED = "(l.released AND (";
  private static final String EXPIRED = "l.expires_at <= excluded.acquired_at OR ";
  private static final String MINE = " OR l.owner = excluded.owner)";
  private static final String NOT_RELEASED = " AND NOT l.released";
  private static final String NOT_EXPIRED = " AND l.expires_at > excluded.acquired_at";
  private static final String IN_TIME = " AND expires_at > statement_timestamp()";
  private static final String OWNER = "AND owner = ?";
  private static final String ANY_OWNER = "AND CAST(? AS uuid) IS NOT NULL";
  private static final String NAME = "AND name = ?";
  private static final String ANY_NAME = "AND CAST(? AS text) IS NOT NULL";
  private static final String KIND = "AND kind = ?";
  private static final String ANY_KIND = "AND CAST(? AS int) IS NOT NULL";
  private static final String NEXT = "GREATEST(l.token + 1, excluded.token)";

  static final List<Mutant> ACQUIRING =
      List.of(
          of("acquiring, condition dropped", LeasePrograms.NEXT, TRY, "WHERE " + FREE, ""),
          of("acquiring, condition dropped (new)", LeasePrograms.FIRST, TRY, "WHERE " + FREE, ""),
          of(
              "acquiring, condition dropped (run out)",
              LeasePrograms.TAKEN_OVER,
              TRY,
              "WHERE " + FREE,
              ""),
          alone(
              "acquiring, not what is released", LeasePrograms.NEXT, TRY, RELEASED, "(FALSE AND ("),
          alone("acquiring, not what has run out", LeasePrograms.TAKEN_OVER, TRY, EXPIRED, ""),
          alone("acquiring, not what is one's own", LeasePrograms.REPEATED, TRY, MINE, ")"),
          alone(
              "acquiring, same token after a release",
              LeasePrograms.REPEATED,
              TRY,
              NOT_RELEASED,
              ""),
          alone(
              "acquiring, same token after running out",
              LeasePrograms.REPEATED,
              TRY,
              NOT_EXPIRED,
              ""),
          alone(
              "acquiring, new token when repeated",
              LeasePrograms.REPEATED,
              TRY,
              "CASE WHEN (",
              "CASE WHEN FALSE AND ("),
          alone(
              "acquiring, token by the clock only",
              LeasePrograms.NEXT,
              TRY,
              NEXT,
              "excluded.token"),
          alone(
              "acquiring, token by the row only", LeasePrograms.RESTORED, TRY, NEXT, "l.token + 1"),
          new Mutant(
              "acquiring, answer ignored",
              LeasePrograms.NEXT,
              Mutation.none()
                  .rewriting(TRY, "INSERT INTO", "WITH g AS (INSERT INTO")
                  .rewriting(
                      TRY,
                      "RETURNING token",
                      "RETURNING token) SELECT COALESCE((SELECT token FROM g), (SELECT token FROM"
                          + " holdfast_lease WHERE kind = 0 AND name = 'lease'))")),
          of("waiting, condition dropped", LeasePrograms.NEXT_WAITING, MARK, FREE, "TRUE"),
          of("waiting, condition dropped (new)", LeasePrograms.FIRST_WAITING, MARK, FREE, "TRUE"),
          alone(
              "waiting, not what is released",
              LeasePrograms.NEXT_WAITING,
              MARK,
              RELEASED,
              "(FALSE AND ("),
          alone(
              "waiting, not what has run out", LeasePrograms.TAKEN_OVER_WAITING, MARK, EXPIRED, ""),
          alone("waiting, not what is one's own", MarkPrograms.NOT_MARKED, MARK, MINE, ")"),
          alone(
              "waiting, same token after a release",
              LeasePrograms.REPEATED_WAITING,
              MARK,
              NOT_RELEASED,
              ""),
          alone(
              "waiting, same token after running out",
              LeasePrograms.REPEATED_WAITING,
              MARK,
              NOT_EXPIRED,
              ""),
          alone(
              "waiting, new token when repeated",
              LeasePrograms.REPEATED_WAITING,
              MARK,
              "CASE WHEN (l.owner",
              "CASE WHEN FALSE AND (l.owner"),
          always("token", LinePrograms.IN_LINE),
          of(
              "waiting, condition of owner dropped",
              LeasePrograms.NEXT_WAITING,
              MARK,
              " owner = CASE WHEN " + FREE,
              " owner = CASE WHEN TRUE"),
          always("holder", LinePrograms.IN_LINE),
          always("acquired_at", LinePrograms.IN_LINE),
          always("expires_at", LinePrograms.IN_LINE),
          never("waiting", MarkPrograms.NOT_MARKED),
          never("waiting_until", MarkPrograms.NOT_MARKED));

  static final List<Mutant> HOLDING =
      List.of(
          of(
              "release, condition on the owner dropped",
              LeasePrograms.FORCED,
              RELEASE,
              OWNER,
              ANY_OWNER),
          alone("release, condition on the time dropped", LeasePrograms.DEAD, RELEASE, IN_TIME, ""),
          alone("release, name dropped", LeasePrograms.NEXT, RELEASE, NAME, ANY_NAME),
          alone("release, kind dropped", LeasePrograms.NEXT, RELEASE, KIND, ANY_KIND),
          alone(
              "release, answer ignored",
              LeasePrograms.DEAD,
              ignoring(RELEASE, "RETURNING CASE", "RETURNING 1) SELECT CASE")
                  .rewriting(RELEASE, "WHEN told IS NOT NULL", "WHEN FALSE")
                  .rewriting(RELEASE, "WHEN told LIKE '*%'", "WHEN FALSE")
                  .rewriting(RELEASE, "substr(told, 2)", "''")
                  .rewriting(RELEASE, "|| told ||", "||")
                  .rewriting(RELEASE, "WHEN acquired_at <", "WHEN now() <")),
          of(
              "renewal, condition on the owner dropped",
              LeasePrograms.FORCED,
              RENEW,
              OWNER,
              ANY_OWNER),
          alone(
              "renewal, condition on the release dropped",
              LeasePrograms.RELEASED,
              RENEW,
              " AND NOT released",
              ""),
          alone("renewal, condition on the time dropped", LeasePrograms.DEAD, RENEW, IN_TIME, ""),
          alone("renewal, name dropped", LeasePrograms.NEXT, RENEW, NAME, ANY_NAME),
          alone("renewal, kind dropped", LeasePrograms.NEXT, RENEW, KIND, ANY_KIND),
          alone(
              "renewal, row count ignored", LeasePrograms.DEAD, Mutation.none().counting(RENEW, 1)),
          alone(
              "handing over, condition on the owner dropped",
              LeasePrograms.FORCED_HANDING,
              HAND_OVER,
              OWNER,
              ANY_OWNER),
          alone(
              "handing over, condition on the time dropped",
              LeasePrograms.DEAD,
              HAND_OVER,
              IN_TIME,
              ""),
          alone("handing over, name dropped", LeasePrograms.HANDED_OVER, HAND_OVER, NAME, ANY_NAME),
          alone("handing over, kind dropped", LeasePrograms.HANDED_OVER, HAND_OVER, KIND, ANY_KIND),
          alone(
              "handing over, token stays",
              LeasePrograms.HANDED_OVER,
              HAND_OVER,
              "GREATEST(token + 1,",
              "GREATEST(token,"),
          alone(
              "handing over, answer ignored",
              LeasePrograms.DEAD,
              ignoring(HAND_OVER, "RETURNING token", "RETURNING token) SELECT 1")),
          alone(
              "handing over, also where others wait",
              MarkPrograms.NOT_HANDED,
              HAND_OVER,
              "AND NOT (waiting IS NOT NULL",
              "AND NOT (FALSE"),
          alone(
              "handing over, not after somebody has waited",
              MarkPrograms.HANDED_ALONE,
              HAND_OVER,
              "(waiting IS NOT NULL AND",
              "("),
          alone(
              "handing over, old mark counts",
              MarkPrograms.HANDED_AFTER_ALL,
              HAND_OVER,
              "AND waiting_until > statement_timestamp()",
              ""),
          alone(
              "handing over, own mark counts as another's",
              MarkPrograms.HANDED_TO_OWN,
              HAND_OVER,
              "replace(waiting, (chr(10) || holder || chr(10)), '')",
              "waiting"),
          alone(
              "taking away, condition on the release dropped",
              LeasePrograms.FORCED_TWICE,
              FORCE,
              "AND NOT released",
              ""),
          alone(
              "taking away, condition on the time dropped",
              LeasePrograms.FORCED_RUN_OUT,
              FORCE,
              IN_TIME,
              ""),
          alone("taking away, name dropped", LeasePrograms.FORCED_TWICE, FORCE, NAME, ANY_NAME),
          alone("taking away, kind dropped", LeasePrograms.FORCED_TWICE, FORCE, KIND, ANY_KIND),
          alone(
              "taking away, token stays",
              LeasePrograms.FORCED_TWICE,
              FORCE,
              "GREATEST(token + 1,",
              "GREATEST(token,"),
          of("taking away, owner stays", LeasePrograms.FORCED_HANDING, FORCE, "owner = NULL,", ""),
          alone(
              "taking away, answer ignored",
              LeasePrograms.FORCED_RUN_OUT,
              ignoring(FORCE, "RETURNING token, ", "RETURNING token) SELECT 9100000000000000, ")),
          of(
              "forgetting, condition on the time dropped",
              LeasePrograms.FORGOTTEN,
              FORGET,
              "expires_at < (statement_timestamp() + ? * interval '1 microsecond')",
              "CAST(? AS bigint) IS NOT NULL"),
          alone(
              "forgetting, condition on those who wait dropped",
              LeasePrograms.FORGOTTEN,
              FORGET,
              "AND (waiting_until IS NULL OR",
              "AND (TRUE OR"),
          alone(
              "forgetting, where nobody ever waited",
              LeasePrograms.FORGOTTEN,
              FORGET,
              "waiting_until IS NULL OR",
              ""),
          alone(
              "forgetting, condition on places dropped",
              LeasePrograms.FORGOTTEN,
              FORGET,
              "AND NOT EXISTS (",
              "OR FALSE AND NOT EXISTS ("),
          alone(
              "forgetting places, condition on the time dropped",
              LeasePrograms.FORGOTTEN,
              "DELETE FROM holdfast_lease_entry WHERE expires_at <",
              "expires_at < (statement_timestamp() + ? * interval '1 microsecond')",
              "CAST(? AS bigint) IS NOT NULL"));

  static final List<Mutant> FENCES =
      List.of(
          alone(
              "fence, condition on the token dropped",
              FencePrograms.NEXT,
              FENCE,
              "WHERE f.token <= excluded.token",
              ""),
          alone(
              "fence, condition on the token dropped (new)",
              FencePrograms.FIRST,
              FENCE,
              "WHERE f.token <= excluded.token",
              ""),
          alone(
              "fence of a column, condition on the token dropped",
              FencePrograms.COLUMN,
              "UPDATE \"item\"",
              "\"fence\" IS NULL OR",
              "TRUE OR"),
          alone(
              "fence of a column, row count ignored",
              FencePrograms.COLUMN,
              Mutation.none().counting("UPDATE \"item\"", 1)));

  private LeaseMutants() {}

  private static Mutant of(
      String name, Program program, String within, String text, String instead) {
    return new Mutant(name, program, Mutation.none().rewriting(within, text, instead));
  }

  private static Mutant alone(
      String name, Program program, String within, String text, String instead) {
    return alone(name, program, Mutation.none().rewriting(within, text, instead));
  }

  private static Mutant alone(String name, Program program, Mutation mutation) {
    return new Mutant(name, program, mutation, true);
  }

  /** The column is written also by who is refused. */
  private static Mutant always(String column, Program program) {
    return alone(
        "waiting, condition of " + column + " dropped",
        program,
        MARK,
        " " + column + " = CASE WHEN " + FREE,
        " " + column + " = CASE WHEN TRUE");
  }

  /** The mark is written also by who is let in. */
  private static Mutant never(String column, Program program) {
    return alone(
        "waiting, condition of " + column + " dropped",
        program,
        MARK,
        " " + column + " = CASE WHEN " + FREE,
        " " + column + " = CASE WHEN FALSE");
  }

  /** There is always a row in the answer. */
  private static Mutation ignoring(String within, String returning, String instead) {
    return Mutation.none()
        .rewriting(within, "UPDATE holdfast", "WITH g AS (UPDATE holdfast")
        .rewriting(within, returning, instead);
  }
}
