package dev.holdfast.race.internal.database;

import dev.holdfast.race.internal.database.Engine.Restored;
import dev.holdfast.race.internal.database.Engine.Script;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What was in the tables, in temporary tables of the control connection; and putting it back, with
 * a script that is made once for each set of tables.
 */
final class Copies {
  static final String PREFIX = "holdfast_race_copy_";

  private static final int MAX_ROWS = 20_000;
  private static final int FEW_ROWS = 500;

  /** Some databases refuse a union of several hundred queries. */
  private static final int COUNTED_AT_ONCE = 100;

  private final Connection control;
  private final Engine engine;
  private final Map<Table, String> copies = new LinkedHashMap<>();
  private final Set<Table> tooLarge = new HashSet<>();
  private final Set<Table> large = new HashSet<>();
  private final Map<Set<String>, Script> scripts = new HashMap<>();

  Copies(Connection control, Engine engine) {
    this.control = control;
    this.engine = engine;
  }

  void remember(Catalogue catalogue) throws SQLException {
    forget();
    for (int from = 0; from < catalogue.tables().size(); from += COUNTED_AT_ONCE) {
      int to = Math.min(catalogue.tables().size(), from + COUNTED_AT_ONCE);
      count(catalogue.tables().subList(from, to));
    }
    if (!copies.isEmpty()) {
      engine.copy(copies);
    }
  }

  private void count(List<Table> tables) throws SQLException {
    List<String> counts = new ArrayList<>();
    for (Table table : tables) {
      counts.add("SELECT %d, count(*) FROM %s".formatted(counts.size(), table.source()));
    }
    Query.rows(
        control,
        String.join(" UNION ALL ", counts),
        row -> {
          Table table = tables.get(row.getInt(1));
          long rows = row.getLong(2);
          if (rows > FEW_ROWS) {
            large.add(table);
          }
          if (rows > MAX_ROWS) {
            tooLarge.add(table);
          } else if (rows > 0) {
            copies.put(table, PREFIX + copies.size());
          }
          return rows;
        });
  }

  boolean isLarge(Table table) {
    return large.contains(table);
  }

  void restore(Set<String> titles, Catalogue catalogue) throws SQLException {
    Script script = scripts.get(titles);
    if (script == null) {
      List<Table> tables = catalogue.tables(titles);
      script = tables.isEmpty() ? () -> {} : script(tables, catalogue);
      scripts.put(Set.copyOf(titles), script);
    }
    script.run();
  }

  /** Restores what was remembered and is still there; what was not there is emptied. */
  void restoreAll(Catalogue before, Catalogue now) throws SQLException {
    Map<String, Table> known =
        before.tables().stream().collect(Collectors.toMap(Table::title, table -> table));
    List<Restored> restored = new ArrayList<>();
    for (Table table : now.tables()) {
      Table was = known.getOrDefault(table.title(), table);
      // a table cannot be emptied if a table that stays refers to it
      if (before.withChildren(List.of(was)).stream().noneMatch(tooLarge::contains)) {
        restored.add(new Restored(was, copies.getOrDefault(was, "")));
      }
    }
    if (!restored.isEmpty()) {
      Script script = engine.restore(restored, now);
      script.run();
      script.close();
    }
  }

  /** Drops the copies. */
  void forget() throws SQLException {
    forgetScripts();
    tooLarge.clear();
    large.clear();
    if (!copies.isEmpty()) {
      engine.drop(copies.values());
    }
    copies.clear();
  }

  /** The scripts are created again. */
  void forgetScripts() throws SQLException {
    for (Script script : scripts.values()) {
      script.close();
    }
    scripts.clear();
  }

  private Script script(List<Table> tables, Catalogue catalogue) throws SQLException {
    Collection<Table> restored =
        engine.ignoresReferences() ? tables : catalogue.withChildren(tables);
    requireCopies(restored);
    return engine.restore(
        catalogue.tables().stream()
            .filter(restored::contains)
            .map(table -> new Restored(table, copies.getOrDefault(table, "")))
            .toList(),
        catalogue);
  }

  private void requireCopies(Collection<Table> tables) throws SQLException {
    String large =
        tables.stream()
            .filter(tooLarge::contains)
            .map(Table::title)
            .collect(Collectors.joining(", "));
    if (!large.isEmpty()) {
      throw new SQLException(
          "a table must have at most "
              + MAX_ROWS
              + " rows, because it is restored before each run; more rows are in: "
              + large
              + "; use a database with fewer rows for this test");
    }
  }
}
