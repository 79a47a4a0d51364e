package dev.holdfast.race.own;

import java.util.List;

/** What a release offers to other processes on MariaDB and H2, without one of its conditions. */
final class OthersFirstMutants {
  private static final String RELEASE = "SET told = CASE";
  private static final String YIELD = "SET released = true, told = NULL";
  private static final String FORCE = "owner = NULL, waiting = NULL";
  private static final String WITHDRAW = "SET waiting = CASE WHEN waiting = ?";

  private OthersFirstMutants() {}

  /**
   * @param within in which statements it is acquired
   * @param holder who asks there
   * @param now the clock
   * @param held since when it must be held
   */
  static List<Mutant> on(String within, String holder, String now, String held) {
    return List.of(
        alone(
            "acquiring, what is offered to others",
            OthersFirstPrograms.OFFERED,
            within,
            "(told IS NULL OR",
            "(TRUE OR"),
        alone(
            "waiting, what is offered to others",
            OthersFirstPrograms.OFFERED_WAITING,
            within,
            "(told IS NULL OR",
            "(TRUE OR"),
        alone(
            "acquiring, not what is offered",
            OthersFirstPrograms.OFFERED,
            within,
            "OR holder <> " + holder,
            "OR " + holder + " IS NULL"),
        alone(
            "waiting, not what is offered",
            OthersFirstPrograms.OFFERED_WAITING,
            within,
            "OR holder <> " + holder,
            "OR " + holder + " IS NULL"),
        alone(
            "acquiring, not what is offered to nobody",
            OthersFirstPrograms.NOT_OFFERED,
            within,
            "(told IS NULL OR",
            "("),
        new Mutant(
            "release, condition on the owner dropped",
            LeasePrograms.FORCED,
            Mutation.none().rewriting(RELEASE, "AND owner = ?", "AND ? IS NOT NULL")),
        alone(
            "release, name dropped",
            LeasePrograms.NEXT,
            RELEASE,
            "AND name = ?",
            "AND ? IS NOT NULL"),
        alone(
            "release, kind dropped",
            LeasePrograms.NEXT,
            RELEASE,
            "AND kind = ?",
            "AND ? IS NOT NULL"),
        alone(
            "release, condition on the time dropped",
            LeasePrograms.DEAD,
            RELEASE,
            "AND (released OR expires_at > " + now + ")",
            ""),
        alone(
            "release, repetition ends the offer",
            OthersFirstPrograms.REPEATED,
            RELEASE,
            "WHEN released THEN told",
            ""),
        alone(
            "release, old offer counts",
            OthersFirstPrograms.AFTER_ANOTHER,
            RELEASE,
            "WHEN released THEN told",
            "ELSE told"),
        alone(
            "release, offered after any time",
            OthersFirstPrograms.TOO_SOON,
            RELEASE,
            "acquired_at <= " + held,
            held + " IS NOT NULL"),
        alone(
            "release, old mark counts",
            OthersFirstPrograms.LATE,
            RELEASE,
            "AND waiting_until > " + now,
            ""),
        alone(
            "release, own mark counts as another's",
            OthersFirstPrograms.OWN,
            RELEASE,
            "AND waiting <> holder",
            ""),
        alone(
            "release, offered for longer than the lease",
            OthersFirstPrograms.NOT_LONGER,
            RELEASE,
            "LEAST(",
            "GREATEST("),
        alone(
            "release, mark stays when it is offered",
            OthersFirstPrograms.TO_ONE,
            RELEASE,
            "THEN NULL ELSE NULLIF",
            "THEN waiting ELSE NULLIF"),
        alone(
            "release, mark of others is lost",
            OthersFirstPrograms.TOO_SOON,
            RELEASE,
            "NULLIF(waiting, holder)",
            "NULL"),
        alone(
            "release, own mark stays",
            OthersFirstPrograms.OWN,
            RELEASE,
            "NULLIF(waiting, holder)",
            "waiting"),
        alone(
            "yielding, old offer counts", OthersFirstPrograms.YIELDED, YIELD, "told = NULL, ", ""),
        alone(
            "taking away, old offer counts",
            OthersFirstPrograms.FORCED,
            FORCE,
            "told = NULL, ",
            ""),
        alone(
            "not waiting any more, another's mark",
            OthersFirstPrograms.GIVEN_BACK,
            WITHDRAW,
            "CASE WHEN waiting = ?",
            "CASE WHEN ? IS NOT NULL"),
        alone(
            "not waiting any more, another's offer",
            OthersFirstPrograms.WITHDRAWN,
            WITHDRAW,
            "CASE WHEN told = ?",
            "CASE WHEN ? IS NOT NULL"),
        alone(
            "not waiting any more, name dropped",
            OthersFirstPrograms.WITHDRAWN,
            WITHDRAW,
            "AND name = ?",
            "AND ? IS NOT NULL"),
        alone(
            "not waiting any more, kind dropped",
            OthersFirstPrograms.WITHDRAWN,
            WITHDRAW,
            "AND kind = ?",
            "AND ? IS NOT NULL"));
  }

  private static Mutant alone(
      String name, Program program, String within, String text, String instead) {
    return new Mutant(
        name, program, Mutation.none().rewriting(within, text, instead), /* alone= */ true);
  }
}
