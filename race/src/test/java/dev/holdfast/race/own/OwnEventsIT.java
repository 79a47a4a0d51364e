package dev.holdfast.race.own;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Holdfast's events, as they are, have no race. */
class OwnEventsIT {
  private static final Duration BUDGET = Duration.ofSeconds(3);

  static List<Program> programs() {
    return Stream.of(
            HandlingPrograms.ALL,
            ChangePrograms.ALL,
            KeyPrograms.ALL,
            OrderPrograms.ALL,
            WorkerPrograms.ALL)
        .flatMap(List::stream)
        .toList();
  }

  static List<Program> onMariaDb() {
    return List.of(
        HandlingPrograms.CLAIM,
        HandlingPrograms.CLAIM_BESIDE,
        HandlingPrograms.COMPLETE_OR_RESCUE,
        HandlingPrograms.RESCUE,
        ChangePrograms.CANCEL_OR_CLAIM,
        ChangePrograms.CHANGE_OR_CHANGE,
        KeyPrograms.KEEP,
        KeyPrograms.TAKE_OVER,
        KeyPrograms.REPLACE_OR_CLAIM,
        OrderPrograms.IN_ORDER,
        OrderPrograms.LIMITED);
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
