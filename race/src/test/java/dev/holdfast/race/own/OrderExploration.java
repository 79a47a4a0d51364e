package dev.holdfast.race.own;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.race.RaceReport;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Explores Holdfast as it is. Programs that are small enough are explored until every order is
 * covered, and must be; of the others it is printed how far their time has sufficed.
 */
final class OrderExploration {
  /** Far more than a small program takes: it ends by itself, also on a machine that is busy. */
  private static final Duration LONG = Duration.ofMinutes(3);

  /** Those of which every order on PostgreSQL was covered within seconds, on a busy machine. */
  private static final Set<String> SMALL =
      """
      a versioned update loses nobody's change
      a stuck row is recovered once
      of two who expect a value one is applied
      a payment is not overwritten by another
      money is moved both ways, and none is made
      the total is that of the lines
      a row that was recovered and taken again is left alone
      giving back can be repeated
      what is still kept is told, whoever cleans up
      what has run out is not taken away
      the token of taking it away is nobody else's
      who gets it leaves no mark
      who gets into the queue shortens nobody's mark
      it is handed over where its own process waits
      it is handed over where a mark has run out
      it is handed over where nobody waits any more
      who waits in the queue has nothing
      a stale write is refused by a new fence
      a stale write is refused by a fence
      a stale write is refused by the fence of a column
      each process that waits is in line once, and changes nothing else
      who comes later is later in line
      a line that has run out is left by all
      where there is a queue all are told
      those for whom there is no room are in line together
      who has a place in a long line is there once
      there is room for who comes next
      who waits no longer leaves the line, and nobody else does
      who was alone in line leaves none
      it is offered for a moment to the first of another process
      who was alone in line leaves none when it is offered
      it is not offered where only its own process waits
      it is not offered to a line that has run out
      where there is a queue it is not offered, and all are told
      all are told when it is the turn of those for whom there was no room
      an offer does not outlast the lease
      who is offered it and waits no longer gives it back
      who waits no longer does not give back what is offered to another
      who waits no longer keeps nobody from what is released at that moment
      a grant is on the disk, and what would be missed for long if it is not
      a rescue waits for nobody
      an event that was put back does not fail by the death of who had it
      an instance that lives on keeps what it has
      an instance that has stopped does not live on
      what was changed meanwhile is not cancelled unseen
      """
          .lines()
          .collect(Collectors.toSet());

  private OrderExploration() {}

  /**
   * Explores a program.
   *
   * @param budget of a program that need not be covered
   * @param thorough whether it must be, on any database
   */
  static void holds(
      Program program, TestDatabase database, TestSchema schema, Duration budget, boolean thorough)
      throws Exception {
    boolean whole =
        thorough || (database == TestDatabase.postgreSql() && SMALL.contains(program.name()));
    RaceReport report = program.explore(schema, Mutation.none(), whole ? LONG : budget);
    System.out.printf(
        "%-10s  %-80s  %5d runs  %s%n",
        database,
        program,
        report.runs(),
        report.isExhaustive()
            ? "every order is covered"
            : "all orders with up to " + report.preemptionBound().orElse(0) + " preemptions");
    assertThat(report.hasFinding()).as(report.text()).isFalse();
    assertThat(report.isExhaustive() || !whole).as(report.text()).isTrue();
  }
}
