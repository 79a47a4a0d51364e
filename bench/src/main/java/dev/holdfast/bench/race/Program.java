package dev.holdfast.bench.race;

import dev.holdfast.race.ActorAction;
import java.util.Collections;
import java.util.List;

/**
 * A bug in a few lines, and its twin that is mended.
 *
 * @param tables how they are created
 * @param mendedTables what the twin has besides: its unique index
 * @param rows what is in them
 * @param invariant what must hold; empty where the serial orders decide
 * @param alike whether its actors are interchangeable
 */
record Program(
    String name,
    List<String> tables,
    List<String> mendedTables,
    List<String> rows,
    String invariant,
    boolean alike,
    List<ActorAction> broken,
    List<ActorAction> mended) {

  Program(String name, List<String> tables, List<String> rows) {
    this(name, tables, List.of(), rows, "", true, List.of(), List.of());
  }

  /** All of them do the same. */
  Program copies(int count, ActorAction bug, ActorAction twin) {
    return new Program(
        name,
        tables,
        mendedTables,
        rows,
        invariant,
        true,
        Collections.nCopies(count, bug),
        Collections.nCopies(count, twin));
  }

  /** Each does something else. */
  Program actors(List<ActorAction> bugs, List<ActorAction> twins) {
    return new Program(name, tables, mendedTables, rows, invariant, false, bugs, twins);
  }

  Program mendedBy(String... ddl) {
    return new Program(name, tables, List.of(ddl), rows, invariant, alike, broken, mended);
  }

  Program mustHold(String sql) {
    return new Program(name, tables, mendedTables, rows, sql, alike, broken, mended);
  }

  static String nameOf(int actor) {
    return List.of("Ana", "Ben", "Cleo").get(actor);
  }
}
