package dev.holdfast.race.sample;

import dev.holdfast.race.Crash;
import dev.holdfast.race.RaceReport;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.util.List;
import java.util.function.Consumer;

/**
 * An operation that cannot be run again after a crash, and its twin that can.
 *
 * @param tables with their rows
 * @param fixedTables what only the twin has
 */
record CrashBug(
    String name,
    List<String> tables,
    List<String> fixedTables,
    Consumer<Crash> broken,
    Consumer<Crash> fixed) {

  RaceReport exploreBroken() {
    return explore(broken, List.of());
  }

  RaceReport exploreFixed() {
    return explore(fixed, fixedTables);
  }

  private RaceReport explore(Consumer<Crash> operation, List<String> moreTables) {
    try (TestSchema schema = TestDatabase.postgreSql().newSchema()) {
      schema.execute(tables.toArray(String[]::new));
      schema.execute(moreTables.toArray(String[]::new));
      Crash crash = Crash.create(schema.dataSource(8)).name(name);
      operation.accept(crash);
      return crash.explore();
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
