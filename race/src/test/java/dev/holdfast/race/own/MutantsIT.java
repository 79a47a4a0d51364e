package dev.holdfast.race.own;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.race.RaceReport;
import dev.holdfast.race.RaceSetupException;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The race finder tells each careless edit of Holdfast's conditional writes. */
class MutantsIT {
  private static final Duration BUDGET = Duration.ofSeconds(30);
  private static final Duration SHORT = Duration.ofSeconds(3);
  private static final List<String> TABLE = new ArrayList<>();

  static List<Mutant> mutants() {
    return Stream.of(
            GuardMutants.ALL,
            HandlingMutants.ALL,
            ChangeMutants.ALL,
            KeyMutants.ALL,
            OrderMutants.ALL,
            WorkerMutants.ALL,
            LeaseMutants.ACQUIRING,
            LeaseMutants.HOLDING,
            LeaseMutants.FENCES,
            LineMutants.ALL,
            SharedLeaseMutants.ALL)
        .flatMap(List::stream)
        .toList();
  }

  static List<Mutant> onMariaDb() {
    return Stream.concat(MariaDbMutants.ALL.stream(), LeaseMutantsElsewhere.ON_MARIADB.stream())
        .toList();
  }

  static List<Mutant> onH2() {
    return LeaseMutantsElsewhere.ON_H2;
  }

  @ParameterizedTest
  @MethodSource("mutants")
  void isKilled(Mutant mutant) throws Exception {
    kill(mutant, TestDatabase.postgreSql());
  }

  @ParameterizedTest
  @MethodSource("onMariaDb")
  void isKilledOnMariaDb(Mutant mutant) throws Exception {
    kill(mutant, TestDatabase.mariaDb());
  }

  @ParameterizedTest
  @MethodSource("onH2")
  void isKilledOnH2(Mutant mutant) throws Exception {
    kill(mutant, TestDatabase.h2());
  }

  private static void kill(Mutant mutant, TestDatabase database) throws Exception {
    try (TestSchema schema = database.newSchema()) {
      RaceReport report = mutant.program().explore(schema, mutant.mutation(), BUDGET);
      tell(mutant, report.kind().orElse("SURVIVED"), report.runs(), report.duration());
      assertThat(mutant.mutation().notMade()).as("edits that no statement has met").isEmpty();
      assertThat(report.found()).as(report.text()).isTrue();
      assertThat(mutant.alone()).as("breaks only when there is somebody else").isFalse();
    } catch (RaceSetupException refused) {
      assertThat(refused).hasMessageContaining("does not even hold when the actors run one after");
      assertThat(mutant.mutation().notMade()).as("edits that no statement has met").isEmpty();
      assertThat(mutant.alone()).as("breaks also one after the other: " + refused).isTrue();
      tell(mutant, "ONE BY ONE", 0, Duration.ZERO);
    }
  }

  /** Nobody can tell these, and each says why: what is in the way of what they would break. */
  @ParameterizedTest
  @MethodSource("equivalents")
  void cannotBeTold(Equivalent equivalent) throws Exception {
    Mutant mutant = equivalent.mutant();
    try (TestSchema schema = TestDatabase.postgreSql().newSchema()) {
      RaceReport report = mutant.program().explore(schema, mutant.mutation(), SHORT);
      tell(mutant, "EQUIVALENT", report.runs(), report.duration());
      TABLE.add("    because " + equivalent.because());
      assertThat(mutant.mutation().notMade()).as("edits that no statement has met").isEmpty();
      assertThat(report.found()).as("not equivalent any more: " + report.text()).isFalse();
    }
  }

  static List<Equivalent> equivalents() {
    return Stream.concat(Equivalent.ALL.stream(), EquivalentLeases.ALL.stream()).toList();
  }

  private static void tell(Mutant mutant, String kind, int runs, Duration time) {
    TABLE.add(
        "%-66s | %-66s | %-15s | %4d | %6d"
            .formatted(mutant, mutant.program(), kind, runs, time.toMillis()));
  }

  @AfterAll
  static void print() {
    System.out.println("mutant | killed by | kind | runs | ms");
    TABLE.forEach(System.out::println);
  }
}
