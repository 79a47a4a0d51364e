package dev.holdfast.race.own;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.race.RaceReport;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The race finder tells each careless edit of Holdfast's conditional writes. */
class MutantsIT {
  private static final List<String> TABLE = new ArrayList<>();

  static List<Mutant> mutants() {
    return Stream.of(GuardMutants.ALL).flatMap(List::stream).toList();
  }

  @ParameterizedTest
  @MethodSource("mutants")
  void isKilled(Mutant mutant) throws Exception {
    try (TestSchema schema = TestDatabase.postgreSql().newSchema()) {
      RaceReport report = mutant.program().explore(schema, mutant.mutation());
      TABLE.add(
          String.format(
              Locale.ROOT,
              "%-62s | %-62s | %-12s | %-14s | %5d | %6d",
              mutant,
              mutant.program(),
              report.kind().orElse("SURVIVED"),
              report.anomaly().orElse(""),
              report.runs(),
              report.duration().toMillis()));
      assertThat(mutant.mutation().notMade()).as("edits that no statement has met").isEmpty();
      assertThat(report.found()).as(report.text()).isTrue();
    }
  }

  @AfterAll
  static void print() {
    System.out.println("mutant | killed by | kind | anomaly | runs | ms");
    TABLE.forEach(System.out::println);
  }
}
