package dev.holdfast.race.own;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.race.RaceReport;
import dev.holdfast.race.RaceSetupException;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Sees to it that each mutant is found, and keeps what is to be told of it. */
final class MutantCheck {
  private static final Duration BUDGET = Duration.ofSeconds(30);

  private final List<String> table = new ArrayList<>();

  /** In a schema of its own. */
  void kill(Mutant mutant, TestDatabase database) throws Exception {
    try (TestSchema schema = database.newSchema()) {
      kill(mutant, schema);
    }
  }

  void kill(Mutant mutant, TestSchema schema) throws Exception {
    try {
      RaceReport report = mutant.program().explore(schema, mutant.mutation(), BUDGET);
      tell(
          mutant,
          report.kind().map(RaceReport.Kind::name).orElse("SURVIVED"),
          report.runs(),
          report.duration());
      assertThat(mutant.mutation().notMade()).as("edits that no statement has met").isEmpty();
      assertThat(report.hasFinding()).as(report.text()).isTrue();
      assertThat(mutant.alone()).as("breaks only when there is somebody else").isFalse();
    } catch (RaceSetupException refused) {
      assertThat(refused).hasMessageContaining("does not hold even when the actors run one after");
      assertThat(mutant.mutation().notMade()).as("edits that no statement has met").isEmpty();
      assertThat(mutant.alone()).as("breaks also one after the other: " + refused).isTrue();
      tell(mutant, "ONE BY ONE", 0, Duration.ZERO);
    }
  }

  /** Nobody can tell it, and it says why: what is in the way of what it would break. */
  void fail(EquivalentMutant equivalent, TestSchema schema, Duration budget) throws Exception {
    Mutant mutant = equivalent.mutant();
    RaceReport report = mutant.program().explore(schema, mutant.mutation(), budget);
    tell(mutant, "EQUIVALENT", report.runs(), report.duration());
    table.add("    because " + equivalent.because());
    assertThat(mutant.mutation().notMade()).as("edits that no statement has met").isEmpty();
    assertThat(report.hasFinding()).as("not equivalent any more: " + report.text()).isFalse();
  }

  /** On PostgreSQL, in a schema of its own. */
  void fail(EquivalentMutant equivalent, Duration budget) throws Exception {
    try (TestSchema schema = TestDatabase.postgreSql().newSchema()) {
      fail(equivalent, schema, budget);
    }
  }

  private void tell(Mutant mutant, String kind, int runs, Duration time) {
    table.add(
        "%-66s | %-66s | %-15s | %4d | %6d"
            .formatted(mutant, mutant.program(), kind, runs, time.toMillis()));
  }

  void print() {
    System.out.println("mutant | killed by | kind | runs | ms");
    table.forEach(System.out::println);
  }
}
