package dev.holdfast.race.internal.explore;

import dev.holdfast.race.internal.database.Database;
import dev.holdfast.race.internal.model.TableContent;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Looks for tables that were changed although no statement that was seen can have done it: an actor
 * has a connection from elsewhere. Tables with many rows are not looked at.
 */
final class UnseenChanges {
  private final Database database;
  private final Map<String, List<String>> before;

  UnseenChanges(Database database) throws SQLException {
    this.database = database;
    this.before = contents(database.smallTables());
  }

  private Map<String, List<String>> contents(Set<String> tables) throws SQLException {
    Map<String, List<String>> contents = new TreeMap<>();
    for (TableContent content : database.read(tables)) {
      contents.put(
          content.table(), content.rows().stream().map(Object::toString).sorted().toList());
    }
    return contents;
  }

  /**
   * Refuses them, but for those that were seen to be changed.
   *
   * @param otherThreads threads of no actor that used the data source during the exploration
   */
  void refuse(Set<String> seen, Set<String> otherThreads) throws SQLException {
    Set<String> others = new HashSet<>(before.keySet());
    others.removeAll(seen);
    Set<String> changed = new TreeSet<>();
    contents(others)
        .forEach(
            (table, rows) -> {
              if (!rows.equals(before.get(table))) {
                changed.add(table);
              }
            });
    if (!changed.isEmpty()) {
      throw new Unexplorable(
          "changed, but by no statement that the race finder saw: "
              + String.join(", ", changed)
              + ". An actor must get all its connections from the data source that it is given, or"
              + " from one of RaceDataSource.wrap(…), and nothing else may write to this database"
              + " during the exploration"
              + OtherThreads.hint(otherThreads));
    }
  }
}
