package dev.holdfast.race.own;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The race finder tells each careless edit of Holdfast's conditional writes. */
class MutantsIT {
  private static final Duration SHORT = Duration.ofSeconds(3);
  private static final Killing KILLING = new Killing();

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
      KILLING.kill(mutant, schema);
    }
  }

  /** Nobody can tell these, and each says why: what is in the way of what they would break. */
  @ParameterizedTest
  @MethodSource("equivalents")
  void cannotBeTold(Equivalent equivalent) throws Exception {
    try (TestSchema schema = TestDatabase.postgreSql().newSchema()) {
      KILLING.fail(equivalent, schema, SHORT);
    }
  }

  static List<Equivalent> equivalents() {
    return Stream.concat(Equivalent.ALL.stream(), EquivalentLeases.ALL.stream()).toList();
  }

  @AfterAll
  static void print() {
    KILLING.print();
  }
}
