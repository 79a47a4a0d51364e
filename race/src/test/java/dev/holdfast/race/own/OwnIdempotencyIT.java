package dev.holdfast.race.own;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Holdfast's idempotency records, as they are, have no race. */
class OwnIdempotencyIT {
  private static final Duration BUDGET = Duration.ofSeconds(1);

  private static final Map<TestDatabase, TestSchema> SCHEMAS = new HashMap<>();

  static List<Program> programs() {
    return Stream.of(RecordPrograms.ALL, OncePrograms.ALL, OncePrograms.WITHOUT_WAITING)
        .flatMap(List::stream)
        .toList();
  }

  static List<Program> onH2() {
    return Stream.of(RecordPrograms.ALL, OncePrograms.ALL).flatMap(List::stream).toList();
  }

  @ParameterizedTest
  @MethodSource("programs")
  void holdsOnPostgreSql(Program program) throws Exception {
    holds(program, TestDatabase.postgreSql());
  }

  @ParameterizedTest
  @MethodSource("programs")
  void holdsOnMariaDb(Program program) throws Exception {
    holds(program, TestDatabase.mariaDb());
  }

  @ParameterizedTest
  @MethodSource("onH2")
  void holdsOnH2(Program program) throws Exception {
    holds(program, TestDatabase.h2());
  }

  /** All programs have the same tables, so that they are made once. */
  private static void holds(Program program, TestDatabase database) throws Exception {
    TestSchema schema = SCHEMAS.computeIfAbsent(database, TestDatabase::newSchema);
    OrderExploration.holds(program, database, schema, BUDGET, /* thorough= */ false);
  }

  @AfterAll
  static void close() {
    SCHEMAS.values().forEach(TestSchema::close);
    SCHEMAS.clear();
  }
}
