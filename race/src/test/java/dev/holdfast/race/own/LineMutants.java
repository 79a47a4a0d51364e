package dev.holdfast.race.own;

import java.util.List;
import java.util.stream.Stream;

/**
 * The line of those who wait on PostgreSQL, and offers to them, without one of their conditions.
 */
final class LineMutants {
  private static final String TRY = "acquired_at, expires_at, arrivals) VALUES";
  private static final String MARK = "arrivals, waiting_until) VALUES";
  private static final String WITHDRAW = "told = NULLIF(told, ?)";
  private static final String FORCE = "SET released = true, owner = NULL";

  private static final String ENTRY = "(chr(10) || excluded.holder || chr(10))";

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
              OfferMutants.RELEASING,
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

  static Mutant alone(String name, Program program, String within, String text, String instead) {
    return new Mutant(name, program, Mutation.none().rewriting(within, text, instead), true);
  }
}
