package dev.holdfast.race.sample;

import dev.holdfast.race.Race;
import dev.holdfast.race.RaceReport;
import dev.holdfast.race.RaceReport.Kind;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A bug as an application has it, and its twin that is fixed. */
final class Bug {

  /** Where it happens. */
  enum Server {
    POSTGRESQL,
    MARIADB;

    TestSchema newSchema() {
      return (this == POSTGRESQL ? TestDatabase.postgreSql() : TestDatabase.mariaDb()).newSchema();
    }
  }

  private final String name;
  private Set<Server> servers = EnumSet.of(Server.POSTGRESQL);
  private final List<String> tables = new ArrayList<>();
  private final List<String> fixedTables = new ArrayList<>();
  private final List<String> rows = new ArrayList<>();
  private final List<Consumer<Race>> invariants = new ArrayList<>();
  private Consumer<Race> broken = Bug::nobody;
  private Consumer<Race> fixed = Bug::nobody;
  private @Nullable Kind kind;
  private boolean serial = true;

  private Bug(String name) {
    this.name = name;
  }

  private static void nobody(Race race) {}

  static Bug named(String name) {
    return new Bug(name);
  }

  Bug alsoOnMariaDb() {
    servers = EnumSet.allOf(Server.class);
    return this;
  }

  Bug onlyOnMariaDb() {
    servers = EnumSet.of(Server.MARIADB);
    return this;
  }

  Bug tables(String... ddl) {
    tables.addAll(List.of(ddl));
    return this;
  }

  /** What only the twin has: its unique index, its constraint. */
  Bug fixedTables(String... ddl) {
    fixedTables.addAll(List.of(ddl));
    return this;
  }

  Bug rows(String... sql) {
    rows.addAll(List.of(sql));
    return this;
  }

  Bug broken(Consumer<Race> cast) {
    broken = cast;
    return this;
  }

  Bug fixed(Consumer<Race> cast) {
    fixed = cast;
    return this;
  }

  Bug invariant(String text, String sql) {
    return invariant(race -> race.invariant(text, sql));
  }

  Bug invariant(Consumer<Race> invariant) {
    invariants.add(invariant);
    return this;
  }

  /** It is found as a finding of this kind, whatever the outcome is compared with. */
  Bug foundAs(Kind findingKind) {
    kind = findingKind;
    return this;
  }

  /** Even the twin gives what no serial order gives, rightly: somebody is told "busy". */
  Bug withInvariantOnly() {
    serial = false;
    return this;
  }

  Set<Server> servers() {
    return servers;
  }

  boolean serial() {
    return serial;
  }

  Kind kind(boolean withInvariant) {
    if (kind != null) {
      return kind;
    }
    return withInvariant ? Kind.INVARIANT_VIOLATED : Kind.NOT_SERIALIZABLE;
  }

  RaceReport exploreBroken(TestSchema schema, boolean withInvariant) {
    schema.execute(tables.toArray(String[]::new));
    return explore(schema, broken, withInvariant);
  }

  RaceReport exploreFixed(TestSchema schema, boolean withInvariant) {
    schema.execute(tables.toArray(String[]::new));
    schema.execute(fixedTables.toArray(String[]::new));
    return explore(schema, fixed, withInvariant);
  }

  private RaceReport explore(TestSchema schema, Consumer<Race> cast, boolean withInvariant) {
    Race race = Race.create(schema.dataSource(8)).name(name).given(rows.toArray(String[]::new));
    cast.accept(race);
    if (withInvariant) {
      invariants.forEach(invariant -> invariant.accept(race));
    }
    return race.explore();
  }

  @Override
  public String toString() {
    return name;
  }
}
