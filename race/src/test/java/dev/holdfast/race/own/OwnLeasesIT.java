package dev.holdfast.race.own;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Holdfast's leases, as they are, have no race. */
class OwnLeasesIT {
  private static final Duration BUDGET = Duration.ofMillis(500);

  /** Where there was a race once: until every order is covered. */
  private static final Set<Program> FIXED =
      Set.of(SharedLeasePrograms.RENEWED_LATE, LeasePrograms.FORCED_BESIDE, FencePrograms.FIRST);

  private static final List<List<Program>> EVERYWHERE =
      List.of(LeasePrograms.ALL, MarkPrograms.ALL, SharedLeasePrograms.ALL, FencePrograms.ALL);

  private static final Map<TestDatabase, TestSchema> SCHEMAS = new HashMap<>();

  static List<Program> programs() {
    return all(EVERYWHERE, List.of(LinePrograms.ALL, OfferPrograms.ALL));
  }

  static List<Program> elsewhere() {
    return all(EVERYWHERE, List.of(MarkPrograms.ELSEWHERE, ReleaseFairnessPrograms.ALL));
  }

  private static List<Program> all(List<List<Program>> some, List<List<Program>> more) {
    return Stream.concat(some.stream(), more.stream()).flatMap(List::stream).toList();
  }

  @ParameterizedTest
  @MethodSource("programs")
  void holdsOnPostgreSql(Program program) throws Exception {
    holds(program, TestDatabase.postgreSql());
  }

  @ParameterizedTest
  @MethodSource("elsewhere")
  void holdsOnMariaDb(Program program) throws Exception {
    holds(program, TestDatabase.mariaDb());
  }

  @ParameterizedTest
  @MethodSource("elsewhere")
  void holdsOnH2(Program program) throws Exception {
    holds(program, TestDatabase.h2());
  }

  /** All programs have the same tables, so that they are made once. */
  private static void holds(Program program, TestDatabase database) throws Exception {
    TestSchema schema = SCHEMAS.computeIfAbsent(database, TestDatabase::newSchema);
    OrderExploration.holds(program, database, schema, BUDGET, FIXED.contains(program));
  }

  @AfterAll
  static void close() {
    SCHEMAS.values().forEach(TestSchema::close);
    SCHEMAS.clear();
  }
}
