package dev.holdfast.race.own;

import java.util.List;
import java.util.stream.Stream;

/**
 * The line of those who wait on PostgreSQL, and offers to them, without one of their conditions.
 */
final class LineMutants {
  private static final String TRY = "acquired_at, expires_at, arrivals) VALUES";
  private static final String MARK = "arrivals, waiting_until) VALUES";
  private static final String RELEASE = "SET released = true, told";
  private static final String WITHDRAW = "told = NULLIF(told, ?)";
  private static final String FORCE = "SET released = true, owner = NULL";

  private static final String OWN = "(chr(10) || holder || chr(10))";
  private static final String ENTRY = "(chr(10) || excluded.holder || chr(10))";
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

  private static final List<Mutant> MARKING =
      List.of(
          alone(
              "waiting, line of who comes last",
              LinePrograms.AFTER_OTHERS,
              MARK,
              "WHEN l.waiting IS NULL OR",
              "WHEN TRUE OR"),
          alone(
              "waiting, first in line is not looked for",
              LinePrograms.IN_LINE,
              MARK,
              "l.waiting IS NULL OR",
              ""),
          alone(
              "waiting, old line counts",
              LinePrograms.RUN_OUT,
              MARK,
              "OR l.waiting_until <= excluded.acquired_at THEN",
              "THEN"),
          alone(
              "waiting, queue is not looked for",
              LinePrograms.WITH_QUEUE,
              MARK,
              "WHEN l.waiting LIKE '*%' THEN",
              "WHEN FALSE THEN"),
          alone(
              "waiting, in line again",
              LinePrograms.IN_LINE,
              MARK,
              "WHEN strpos(l.waiting, " + ENTRY + ") > 0 THEN",
              "WHEN FALSE THEN"),
          alone(
              "waiting, in front of the line",
              LinePrograms.AFTER_OTHERS,
              MARK,
              "THEN l.waiting || " + ENTRY,
              "THEN " + ENTRY + " || l.waiting"),
          alone(
              "waiting, line grows and grows",
              LinePrograms.LONG_LINE,
              MARK,
              "length(l.waiting) <= 2000",
              "TRUE"),
          alone(
              "waiting, no line for several",
              LinePrograms.IN_LINE,
              MARK,
              "length(l.waiting) <= 2000",
              "FALSE"),
          alone(
              "waiting, line ends too early",
              LinePrograms.ALMOST_LONG,
              MARK,
              "length(l.waiting) <= 2000",
              "length(l.waiting) < 2000"),
          alone(
              "waiting, those without a place in line again",
              LinePrograms.LONG_LINE,
              MARK,
              "WHEN strpos(l.waiting, (chr(10) || '*' || chr(10))) > 0 THEN",
              "WHEN FALSE THEN"),
          alone(
              "waiting, those without a place not in line",
              LinePrograms.LONG_LINE,
              MARK,
              "ELSE l.waiting || (chr(10) || '*' || chr(10)) END",
              "ELSE l.waiting END"),
          alone(
              "queue, shortens the marks of others",
              MarkPrograms.NOT_SHORTENED,
              "SET arrivals = ?",
              "WHEN waiting_until >",
              "WHEN NULL >"),
          alone(
              "waiting, condition of released dropped",
              OfferPrograms.FOR_ONE_WAITING,
              MARK,
              "THEN false ELSE l.released END",
              "THEN false ELSE false END"),
          alone(
              "waiting, grant needs not be on the disk",
              OfferPrograms.ON_DISK,
              MARK,
              "CASE WHEN owner IS DISTINCT FROM ? THEN",
              "CASE WHEN CAST(? AS uuid) IS NOT NULL THEN"));

  private static final List<Mutant> RELEASING =
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
          of(
              "yielding, in a line that has run out",
              OfferPrograms.YIELDED_LATE,
              RELEASE,
              REST_AND_SELF,
              REST_AND_SELF.replace(IN_TIME, "")),
          alone(
              "yielding, line is lost",
              OfferPrograms.YIELDED,
              RELEASE,
              REST_AND_SELF,
              "waiting = CASE WHEN FALSE THEN substr("));

  private static final List<Mutant> LEAVING =
      List.of(
          alone(
              "waiting no longer, still in line",
              LinePrograms.WITHDRAWN,
              WITHDRAW,
              "(strpos(waiting,",
              "(FALSE AND strpos(waiting,"),
          alone(
              "waiting no longer, nobody is in line",
              LinePrograms.WITHDRAWN,
              WITHDRAW,
              "NULLIF(replace(waiting, (chr(10) || ?::text || chr(10)), ''), '')",
              "(?::text || NULL)"),
          alone(
              "waiting no longer, empty line stays",
              LinePrograms.WITHDRAWN_ALONE,
              WITHDRAW,
              ", ''), '')",
              ", ''), '-')"),
          alone(
              "waiting no longer, offer is kept",
              OfferPrograms.GIVEN_BACK_ALONE,
              WITHDRAW,
              "OR told = ?)",
              "OR CAST(? AS text) IS NULL)"),
          alone(
              "waiting no longer, offer is kept (at that moment)",
              OfferPrograms.LEFT_BESIDE,
              WITHDRAW,
              "OR told = ?)",
              "OR CAST(? AS text) IS NULL)"),
          alone(
              "waiting no longer, offer is not taken back",
              OfferPrograms.GIVEN_BACK,
              WITHDRAW,
              "told = NULLIF(told, ?)",
              "told = COALESCE(told, ?)"),
          alone(
              "waiting no longer, gives back what is another's",
              OfferPrograms.OF_ANOTHER,
              WITHDRAW,
              "told = NULLIF(told, ?)",
              "told = (?::text || NULL)"),
          alone(
              "waiting no longer, name dropped",
              LinePrograms.WITHDRAWN,
              WITHDRAW,
              "AND name = ?",
              "AND CAST(? AS text) IS NOT NULL"),
          alone(
              "waiting no longer, tells of what is held",
              LinePrograms.WITHDRAWN,
              WITHDRAW,
              "CASE WHEN released AND",
              "CASE WHEN"),
          alone(
              "waiting no longer, tells where nobody is in line",
              OfferPrograms.GIVEN_BACK_ALONE,
              WITHDRAW,
              "released AND waiting IS NOT NULL THEN",
              "released THEN"),
          alone(
              "waiting no longer, tells nobody",
              OfferPrograms.GIVEN_BACK,
              WITHDRAW,
              "CASE WHEN released AND",
              "CASE WHEN FALSE AND"),
          alone("taking away, offer stays", OfferPrograms.FORCED, FORCE, "told = NULL,", ""),
          alone("taking away, line stays", OfferPrograms.FORCED, FORCE, "waiting = NULL,", ""));

  static final List<Mutant> ALL =
      Stream.of(
              taking(
                  "acquiring",
                  TRY,
                  OfferPrograms.FOR_ONE,
                  OfferPrograms.FOR_QUEUE,
                  LeasePrograms.NEXT,
                  OfferPrograms.NOT_TAKEN),
              taking(
                  "waiting",
                  MARK,
                  OfferPrograms.FOR_ONE_WAITING,
                  OfferPrograms.FOR_QUEUE_WAITING,
                  LeasePrograms.NEXT_WAITING,
                  OfferPrograms.NOT_TAKEN_WAITING),
              List.of(
                  alone(
                      "acquiring, what is offered to another (turns)",
                      OfferPrograms.TURNS,
                      TRY,
                      "(l.told IS NULL OR",
                      "(TRUE OR")),
              MARKING,
              RELEASING,
              LEAVING)
          .flatMap(List::stream)
          .toList();

  private LineMutants() {}

  private static List<Mutant> taking(
      String name, String within, Program one, Program queue, Program free, Program late) {
    return List.of(
        alone(name + ", what is offered to another", one, within, "(l.told IS NULL OR", "(TRUE OR"),
        alone(name + ", not what is offered", one, within, "OR l.told = excluded.holder", ""),
        alone(name + ", not what is offered to nobody", free, within, "l.told IS NULL OR", ""),
        alone(name + ", not what a queue was told of", queue, within, "OR l.told LIKE '*%')", ")"),
        alone(
            name + ", not what was offered in vain",
            late,
            within,
            "OR l.expires_at <= excluded.acquired_at OR",
            "OR l.expires_at <= excluded.acquired_at AND NOT l.released OR"));
  }

  private static Mutant of(
      String name, Program program, String within, String text, String instead) {
    return new Mutant(name, program, Mutation.none().rewriting(within, text, instead));
  }

  private static Mutant alone(
      String name, Program program, String within, String text, String instead) {
    return new Mutant(name, program, Mutation.none().rewriting(within, text, instead), true);
  }
}
