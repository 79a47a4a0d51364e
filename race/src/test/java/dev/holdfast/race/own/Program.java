package dev.holdfast.race.own;

import dev.holdfast.race.Race;
import dev.holdfast.race.RaceReport;
import dev.holdfast.testing.TestSchema;
import java.time.Duration;
import java.util.List;

/**
 * Code of Holdfast, and who runs it at the same time.
 *
 * @param name a sentence about what must hold
 * @param tables what is there beforehand
 */
record Program(String name, Tables tables, Play play) {
  /** Makes tables in an empty schema. */
  interface Tables {
    void in(TestSchema schema) throws Exception;
  }

  Program(String name, List<String> tables, Play play) {
    this(name, schema -> tables.forEach(schema::execute), play);
  }

  /** Says who races, with Holdfast on connections that this mutation is over. */
  interface Play {
    void on(Race race, Mutation mutation) throws Exception;
  }

  /** Explores it in this schema, which must be empty, or fit for its tables. */
  RaceReport explore(TestSchema schema, Mutation mutation, Duration budget) throws Exception {
    tables.in(schema);
    Race race = Race.create(schema.dataSource()).name(name).timeLimit(budget);
    play.on(race, mutation);
    return race.explore();
  }

  @Override
  public String toString() {
    return name;
  }
}
