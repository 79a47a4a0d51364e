package dev.holdfast.race.own;

import dev.holdfast.testing.TestDatabase;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The race finder tells each careless edit of some conditional writes. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class MutantTests {
  private static final Duration SHORT = Duration.ofSeconds(3);

  private final MutantCheck killing = new MutantCheck();

  abstract List<Mutant> mutants();

  /** Where its statements differ. */
  abstract List<Mutant> onMariaDb();

  /** Where its statements differ. */
  abstract List<Mutant> onH2();

  abstract List<EquivalentMutant> equivalents();

  @ParameterizedTest
  @MethodSource("mutants")
  void isKilled(Mutant mutant) throws Exception {
    killing.kill(mutant, TestDatabase.postgreSql());
  }

  @ParameterizedTest
  @MethodSource("onMariaDb")
  void isKilledOnMariaDb(Mutant mutant) throws Exception {
    killing.kill(mutant, TestDatabase.mariaDb());
  }

  @ParameterizedTest(allowZeroInvocations = true)
  @MethodSource("onH2")
  void isKilledOnH2(Mutant mutant) throws Exception {
    killing.kill(mutant, TestDatabase.h2());
  }

  /** Nobody can tell these, and each says why: what is in the way of what they would break. */
  @ParameterizedTest
  @MethodSource("equivalents")
  void equivalentMutantsSurvive(EquivalentMutant equivalent) throws Exception {
    killing.fail(equivalent, SHORT);
  }

  @AfterAll
  void print() {
    killing.print();
  }
}
