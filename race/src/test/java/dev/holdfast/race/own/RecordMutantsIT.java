package dev.holdfast.race.own;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The race finder tells each careless edit of Holdfast's idempotency records. */
class RecordMutantsIT {
  private static final Duration SHORT = Duration.ofMillis(500);
  private static final MutantCheck KILLING = new MutantCheck();
  private static final Map<TestDatabase, TestSchema> SCHEMAS = new HashMap<>();

  static List<Mutant> mutants() {
    return RecordMutants.ALL;
  }

  static List<Mutant> onMariaDb() {
    return RecordMutantsElsewhere.ON_MARIADB;
  }

  static List<EquivalentMutant> equivalents() {
    return EquivalentRecords.ALL;
  }

  @ParameterizedTest
  @MethodSource("mutants")
  void isKilled(Mutant mutant) throws Exception {
    KILLING.kill(mutant, schema(TestDatabase.postgreSql()));
  }

  @ParameterizedTest
  @MethodSource("onMariaDb")
  void isKilledOnMariaDb(Mutant mutant) throws Exception {
    KILLING.kill(mutant, schema(TestDatabase.mariaDb()));
  }

  /** Nobody can tell these, and each says why: what is in the way of what they would break. */
  @ParameterizedTest
  @MethodSource("equivalents")
  void equivalentMutantsSurvive(EquivalentMutant equivalent) throws Exception {
    KILLING.fail(equivalent, schema(TestDatabase.postgreSql()), SHORT);
  }

  /** All programs have the same tables, so that they are made once. */
  private static TestSchema schema(TestDatabase database) {
    return SCHEMAS.computeIfAbsent(database, TestDatabase::newSchema);
  }

  @AfterAll
  static void close() {
    SCHEMAS.values().forEach(TestSchema::close);
    SCHEMAS.clear();
    KILLING.print();
  }
}
