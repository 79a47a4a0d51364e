package dev.holdfast.race.own;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Holdfast's guards, as they are, have no race. */
class OwnGuardsIT {
  private static final Duration BUDGET = Duration.ofSeconds(3);

  static List<Program> programs() {
    return Stream.of(GuardPrograms.ALL, RowPrograms.ALL).flatMap(List::stream).toList();
  }

  static List<Program> onMariaDb() {
    return Stream.of(GuardPrograms.ALL, RowPrograms.ALL).flatMap(List::stream).toList();
  }

  @ParameterizedTest
  @MethodSource("programs")
  void holdsOnPostgreSql(Program program) throws Exception {
    holds(program, TestDatabase.postgreSql());
  }

  @ParameterizedTest
  @MethodSource("onMariaDb")
  void holdsOnMariaDb(Program program) throws Exception {
    holds(program, TestDatabase.mariaDb());
  }

  private static void holds(Program program, TestDatabase database) throws Exception {
    try (TestSchema schema = database.newSchema()) {
      OrderExploration.holds(program, database, schema, BUDGET, /* thorough= */ false);
    }
  }
}
