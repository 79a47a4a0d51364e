package dev.holdfast.race.own;

import java.util.List;

/** What a release offers to other processes on MariaDB and H2, without one of its conditions. */
final class ReleaseFairnessMutants {
  private static final String RELEASE = "SET told = CASE";
  private static final String YIELD = "SET released = true, told = NULL";
  private static final String FORCE = "owner = NULL, waiting = NULL";
  private static final String WITHDRAW = "SET waiting = CASE WHEN waiting = ?";

  private ReleaseFairnessMutants() {}

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
            ReleaseFairnessPrograms.OFFERED,
            within,
            "(told IS NULL OR",
            "(TRUE OR"),
        alone(
            "waiting, what is offered to others",
            ReleaseFairnessPrograms.OFFERED_WAITING,
            within,
            "(told IS NULL OR",
            "(TRUE OR"),
        alone(
            "acquiring, not what is offered",
            ReleaseFairnessPrograms.OFFERED,
            within,
            "OR holder <> " + holder,
            "OR " + holder + " IS NULL"),
        alone(
            "waiting, not what is offered",
            ReleaseFairnessPrograms.OFFERED_WAITING,
            within,
            "OR holder <> " + holder,
            "OR " + holder + " IS NULL"),
        alone(
            "acquiring, not what is offered to nobody",
            ReleaseFairnessPrograms.NOT_OFFERED,
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
            ReleaseFairnessPrograms.REPEATED,
            RELEASE,
            "WHEN released THEN told",
            ""),
        alone(
            "release, old offer counts",
            ReleaseFairnessPrograms.AFTER_ANOTHER,
            RELEASE,
            "WHEN released THEN told",
            "ELSE told"),
        alone(
            "release, offered after any time",
            ReleaseFairnessPrograms.TOO_SOON,
            RELEASE,
            "acquired_at <= " + held,
            held + " IS NOT NULL"),
        alone(
            "release, old mark counts",
            ReleaseFairnessPrograms.LATE,
            RELEASE,
            "AND waiting_until > " + now,
            ""),
        alone(
            "release, own mark counts as another's",
            ReleaseFairnessPrograms.OWN,
            RELEASE,
            "AND waiting <> holder",
            ""),
        alone(
            "release, offered for longer than the lease",
            ReleaseFairnessPrograms.NOT_LONGER,
            RELEASE,
            "LEAST(",
            "GREATEST("),
        alone(
            "release, mark stays when it is offered",
            ReleaseFairnessPrograms.TO_ONE,
            RELEASE,
            "THEN NULL ELSE NULLIF",
            "THEN waiting ELSE NULLIF"),
        alone(
            "release, mark of others is lost",
            ReleaseFairnessPrograms.TOO_SOON,
            RELEASE,
            "NULLIF(waiting, holder)",
            "NULL"),
        alone(
            "release, own mark stays",
            ReleaseFairnessPrograms.OWN,
            RELEASE,
            "NULLIF(waiting, holder)",
            "waiting"),
        alone(
            "yielding, old offer counts",
            ReleaseFairnessPrograms.YIELDED,
            YIELD,
            "told = NULL, ",
            ""),
        alone(
            "taking away, old offer counts",
            ReleaseFairnessPrograms.FORCED,
            FORCE,
            "told = NULL, ",
            ""),
        alone(
            "not waiting any more, another's mark",
            ReleaseFairnessPrograms.GIVEN_BACK,
            WITHDRAW,
            "CASE WHEN waiting = ?",
            "CASE WHEN ? IS NOT NULL"),
        alone(
            "not waiting any more, another's offer",
            ReleaseFairnessPrograms.WITHDRAWN,
            WITHDRAW,
            "CASE WHEN told = ?",
            "CASE WHEN ? IS NOT NULL"),
        alone(
            "not waiting any more, name dropped",
            ReleaseFairnessPrograms.WITHDRAWN,
            WITHDRAW,
            "AND name = ?",
            "AND ? IS NOT NULL"),
        alone(
            "not waiting any more, kind dropped",
            ReleaseFairnessPrograms.WITHDRAWN,
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
