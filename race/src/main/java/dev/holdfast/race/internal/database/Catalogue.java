package dev.holdfast.race.internal.database;

import dev.holdfast.race.internal.database.Table.Reference;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * What there is in a database, as far as statements can touch it.
 *
 * @param tables all tables, but for those that tools of migration keep
 * @param names by which names they are mentioned, in lower case; a partition is its table
 * @param triggers the names of the triggers, quoted, of each table that has any
 * @param views what is read like a table but is none, in lower case
 * @param functions what was defined to be called, in lower case
 * @param complete whether triggers, views and functions are known
 */
record Catalogue(
    List<Table> tables,
    Map<String, Set<Table>> names,
    List<Reference> references,
    Map<Table, List<String>> triggers,
    Set<String> views,
    Set<String> functions,
    boolean complete) {

  private static final Set<String> OF_MIGRATIONS =
      Set.of(
          "flyway_schema_history",
          "schema_version",
          "databasechangelog",
          "databasechangeloglock",
          "holdfast_migration");

  static boolean isIgnored(String table) {
    return OF_MIGRATIONS.contains(table.toLowerCase(Locale.ROOT))
        || table.toLowerCase(Locale.ROOT).startsWith(Copies.PREFIX);
  }

  /** All of them, in their order. */
  Set<String> titles() {
    return titles(tables);
  }

  static Set<String> titles(Collection<Table> tables) {
    return tables.stream().map(Table::title).collect(Collectors.toCollection(LinkedHashSet::new));
  }

  /** The tables of these titles, in the order of the catalogue. */
  List<Table> tables(Set<String> titles) {
    return tables.stream().filter(table -> titles.contains(table.title())).toList();
  }

  /** These and what is changed with them. */
  Set<Table> withCascades(Collection<Table> changed) {
    return closed(changed, Reference::cascades);
  }

  /** These and all that refer to them, directly or not. */
  Set<Table> withChildren(Collection<Table> parents) {
    return closed(parents, reference -> true);
  }

  private Set<Table> closed(Collection<Table> begin, Predicate<Reference> along) {
    Set<Table> closed = new LinkedHashSet<>(begin);
    Deque<Table> open = new ArrayDeque<>(begin);
    while (!open.isEmpty()) {
      Table parent = open.remove();
      for (Reference reference : references) {
        if (reference.parent().equals(parent)
            && along.test(reference)
            && closed.add(reference.child())) {
          open.add(reference.child());
        }
      }
    }
    return closed;
  }
}
