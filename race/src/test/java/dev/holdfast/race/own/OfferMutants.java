package dev.holdfast.race.own;

import static dev.holdfast.race.own.LineMutants.alone;

import java.util.List;

/** Releases on PostgreSQL that offer the lease to who waits, without one of their conditions. */
final class OfferMutants {
  private static final String RELEASE = "SET released = true, told";
  private static final String OWN = "(chr(10) || holder || chr(10))";
  private static final String OTHERS = "replace(waiting, " + OWN + ", '')";
  private static final String NO_QUEUE = "waiting NOT LIKE '*%' AND ";
  private static final String IN_TIME = "waiting_until > statement_timestamp() AND ";
  private static final String OTHERS_WAIT =
      "(waiting IS NOT NULL AND " + IN_TIME + OTHERS + " <> '')";
  private static final String IS_OFFERED = NO_QUEUE + OTHERS_WAIT;

  private static final String TOLD = "told = CASE WHEN " + IS_OFFERED;
  private static final String ALL_TOLD = " WHEN " + OTHERS_WAIT + " THEN waiting END";
  private static final String REST = "waiting = CASE WHEN " + IS_OFFERED + " THEN NULLIF(";
  private static final String REST_AND_SELF = "waiting = CASE WHEN " + IS_OFFERED + " THEN substr(";
  private static final String END = "expires_at = CASE WHEN " + IS_OFFERED;

  static final List<Mutant> RELEASING =
      List.of(
          alone(
              "release, offers to a line that has run out",
              OfferPrograms.LATE,
              RELEASE,
              TOLD,
              TOLD.replace(IN_TIME, "")),
          alone(
              "release, tells a queue that has run out",
              OfferPrograms.LATE,
              RELEASE,
              ALL_TOLD,
              ALL_TOLD.replace(IN_TIME, "")),
          alone(
              "release, keeps a line that has run out",
              OfferPrograms.LATE,
              RELEASE,
              REST,
              REST.replace(IN_TIME, "")),
          alone(
              "release, ends earlier for a line that has run out",
              OfferPrograms.LATE,
              RELEASE,
              END,
              END.replace(IN_TIME, "")),
          alone(
              "release, offers to nobody where its own process waits first",
              OfferPrograms.FIRST,
              RELEASE,
              "split_part(" + OTHERS,
              "split_part(waiting"),
          alone(
              "release, offers where only its own process waits",
              OfferPrograms.OWN,
              RELEASE,
              TOLD,
              TOLD.replace(OTHERS, "waiting")),
          alone(
              "release, tells all where only its own process waits",
              OfferPrograms.OWN,
              RELEASE,
              ALL_TOLD,
              ALL_TOLD.replace(OTHERS, "waiting")),
          alone(
              "release, ends earlier where only its own process waits",
              OfferPrograms.OWN,
              RELEASE,
              END,
              END.replace(OTHERS, "waiting")),
          alone(
              "release, keeps its own process in line",
              OfferPrograms.FIRST,
              RELEASE,
              "substr(" + OTHERS,
              "substr(waiting"),
          alone(
              "release, offers to the second",
              OfferPrograms.FIRST,
              RELEASE,
              "THEN split_part(" + OTHERS + ", chr(10), 2)",
              "THEN split_part(" + OTHERS + ", chr(10), 4)"),
          alone(
              "release, offers to nobody",
              OfferPrograms.FIRST,
              RELEASE,
              TOLD,
              "told = CASE WHEN FALSE"),
          alone("release, tells no queue", OfferPrograms.QUEUE, RELEASE, ALL_TOLD, " END"),
          alone(
              "release, offers to a queue",
              OfferPrograms.QUEUE,
              RELEASE,
              TOLD,
              TOLD.replace(NO_QUEUE, "")),
          alone(
              "release, keeps the mark of a queue",
              OfferPrograms.QUEUE,
              RELEASE,
              REST,
              REST.replace(NO_QUEUE, "")),
          alone(
              "release, ends earlier for a queue",
              OfferPrograms.QUEUE,
              RELEASE,
              END,
              END.replace(NO_QUEUE, "")),
          alone(
              "release, first stays in line",
              OfferPrograms.FIRST,
              RELEASE,
              ", chr(10), 2)) + 3)",
              ", chr(10), 2)) * 0 + 1)"),
          alone(
              "release, empty line stays",
              OfferPrograms.ONLY_ONE,
              RELEASE,
              "+ 3), '') END",
              "+ 3), '-') END"),
          alone(
              "release, line is lost",
              OfferPrograms.FIRST,
              RELEASE,
              REST,
              "waiting = CASE WHEN FALSE THEN NULLIF("),
          alone(
              "release, offer lasts as long as the lease",
              OfferPrograms.FIRST,
              RELEASE,
              END,
              "expires_at = CASE WHEN FALSE"),
          alone(
              "release, offer lasts longer than the lease",
              OfferPrograms.NOT_LONGER,
              RELEASE,
              "LEAST(expires_at, statement_timestamp()",
              "(statement_timestamp()"),
          alone(
              "release, always ends earlier",
              OfferPrograms.OWN,
              RELEASE,
              "ELSE expires_at END",
              "ELSE statement_timestamp() END"),
          alone(
              "release, of a long lease needs not be on the disk",
              OfferPrograms.ON_DISK,
              RELEASE,
              "WHEN acquired_at < statement_timestamp() + interval '1 min' THEN",
              "WHEN TRUE THEN"),
          alone(
              "release, end of the offer is taken for that of the lease",
              OfferPrograms.ON_DISK,
              RELEASE,
              "WHEN acquired_at < statement_timestamp() + interval '1 min' THEN",
              "WHEN expires_at < statement_timestamp() + interval '1 min' THEN"),
          alone(
              "release, end of the lease is not kept",
              OfferPrograms.ON_DISK,
              RELEASE,
              ", acquired_at = expires_at WHERE",
              " WHERE"),
          alone(
              "release, notifies also where nobody is told",
              OfferPrograms.OWN,
              RELEASE,
              "CASE WHEN told IS NOT NULL THEN",
              "CASE WHEN TRUE THEN"),
          alone(
              "release, notifies a queue as if it were offered",
              OfferPrograms.QUEUE,
              RELEASE,
              "CASE WHEN told LIKE '*%' THEN",
              "CASE WHEN FALSE THEN"),
          alone(
              "release, notifies of an offer as if it were anybody's",
              OfferPrograms.FIRST,
              RELEASE,
              "CASE WHEN told LIKE '*%' THEN",
              "CASE WHEN TRUE THEN"),
          alone(
              "yielding, not in line",
              OfferPrograms.YIELDED_TO_ONE,
              RELEASE,
              "+ 3) || " + OWN + " END",
              "+ 3) END"),
          alone(
              "yielding, in line twice",
              OfferPrograms.YIELDED,
              RELEASE,
              "THEN substr(" + OTHERS,
              "THEN substr(waiting"),
          alone(
              "yielding, in line beside a queue",
              OfferPrograms.YIELDED_TO_QUEUE,
              RELEASE,
              REST_AND_SELF,
              REST_AND_SELF.replace(NO_QUEUE, "")),
          new Mutant(
              "yielding, in a line that has run out",
              OfferPrograms.YIELDED_LATE,
              Mutation.none()
                  .rewriting(RELEASE, REST_AND_SELF, REST_AND_SELF.replace(IN_TIME, ""))),
          alone(
              "yielding, line is lost",
              OfferPrograms.YIELDED,
              RELEASE,
              REST_AND_SELF,
              "waiting = CASE WHEN FALSE THEN substr("));

  private OfferMutants() {}
}
