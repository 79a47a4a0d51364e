package dev.holdfast.race.internal.database;

import dev.holdfast.race.internal.database.Table.Column;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Reads the catalogue of MariaDB or MySQL: the database that the connection is in. */
final class MySqlCatalogue {
  private static final String TABLES =
      """
      SELECT TABLE_NAME FROM information_schema.TABLES
      WHERE TABLE_SCHEMA = database() AND TABLE_TYPE = 'BASE TABLE' ORDER BY TABLE_NAME
      """;

  private static final String COLUMNS =
      """
      SELECT TABLE_NAME, COLUMN_NAME, coalesce(GENERATION_EXPRESSION, '') <> '' AS COMPUTED
      FROM information_schema.COLUMNS
      WHERE TABLE_SCHEMA = database() ORDER BY TABLE_NAME, ORDINAL_POSITION
      """;

  private static final String REFERENCES =
      """
      SELECT TABLE_NAME, REFERENCED_TABLE_NAME,
        DELETE_RULE NOT IN ('RESTRICT', 'NO ACTION')
          OR UPDATE_RULE NOT IN ('RESTRICT', 'NO ACTION') AS CASCADES
      FROM information_schema.REFERENTIAL_CONSTRAINTS
      WHERE CONSTRAINT_SCHEMA = database() AND UNIQUE_CONSTRAINT_SCHEMA = database()
      """;

  private static final String TRIGGERS =
      """
      SELECT EVENT_OBJECT_TABLE, TRIGGER_NAME FROM information_schema.TRIGGERS
      WHERE EVENT_OBJECT_SCHEMA = database()
      """;

  private static final String VIEWS =
      """
      SELECT TABLE_NAME FROM information_schema.TABLES
      WHERE TABLE_SCHEMA = database() AND TABLE_TYPE = 'VIEW'
      """;

  private static final String FUNCTIONS =
      """
      SELECT ROUTINE_NAME FROM information_schema.ROUTINES
      WHERE ROUTINE_SCHEMA NOT IN ('mysql', 'sys', 'information_schema', 'performance_schema')
      """;

  /** Of the narrower types, none has room for such ids. */
  private static final String COUNTED =
      """
      SELECT TABLE_NAME FROM information_schema.COLUMNS
      WHERE TABLE_SCHEMA = database()
        AND EXTRA LIKE '%auto_increment%' AND DATA_TYPE IN ('int', 'bigint')
      """;

  /** Not joined with those: MariaDB reads the columns of all once more for each table then. */
  private static final String COUNTERS =
      """
      SELECT TABLE_NAME, coalesce(AUTO_INCREMENT, 1) FROM information_schema.TABLES
      WHERE TABLE_SCHEMA = database() AND TABLE_TYPE = 'BASE TABLE' ORDER BY TABLE_NAME
      """;

  private static final String SEQUENCES =
      """
      SELECT TABLE_NAME FROM information_schema.TABLES
      WHERE TABLE_SCHEMA = database() AND TABLE_TYPE = 'SEQUENCE' ORDER BY TABLE_NAME
      """;

  private MySqlCatalogue() {}

  static Catalogue read(Connection control) throws SQLException {
    CatalogueDraft draft = new CatalogueDraft();
    for (String name : Query.rows(control, TABLES, row -> row.getString(1))) {
      if (!Catalogue.isIgnored(name)) {
        draft.table(name, name, name, quoted(name), quoted(name));
      }
    }
    Query.rows(
        control,
        COLUMNS,
        row -> {
          String name = row.getString(2);
          draft.column(row.getString(1), new Column(name, quoted(name), row.getBoolean(3), false));
          return 0;
        });
    Query.rows(
        control,
        REFERENCES,
        row -> {
          draft.reference(row.getString(1), row.getString(2), row.getBoolean(3));
          return 0;
        });
    Query.rows(
        control,
        TRIGGERS,
        row -> {
          draft.trigger(row.getString(1), quoted(row.getString(2)));
          return 0;
        });
    Query.rows(control, VIEWS, row -> row.getString(1)).forEach(draft::view);
    Query.rows(control, FUNCTIONS, row -> row.getString(1)).forEach(draft::function);
    return draft.finish(true);
  }

  static List<Counter> counters(Connection control) throws SQLException {
    List<Counter> counters = new ArrayList<>();
    Set<String> counted = new HashSet<>(Query.rows(control, COUNTED, row -> row.getString(1)));
    if (!counted.isEmpty()) {
      Query.rows(
          control,
          COUNTERS,
          row ->
              counted.contains(row.getString(1))
                  && counters.add(column(control, quoted(row.getString(1)), row.getLong(2))));
    }
    for (String name : Query.rows(control, SEQUENCES, row -> row.getString(1))) {
      counters.addAll(sequence(control, quoted(name)));
    }
    return counters;
  }

  private static Counter column(Connection control, String quoted, long next) {
    return new Counter(
        next - 1,
        Integer.MAX_VALUE,
        first -> Query.run(control, "ALTER TABLE " + quoted + " AUTO_INCREMENT = " + first));
  }

  private static List<Counter> sequence(Connection control, String quoted) throws SQLException {
    return Query.rows(
        control,
        "SELECT next_not_cached_value, maximum_value FROM " + quoted + " WHERE increment > 0",
        row ->
            new Counter(
                row.getLong(1) - 1,
                row.getLong(2),
                next -> Query.run(control, "SELECT setval(" + quoted + ", " + next + ")")));
  }

  static String quoted(String name) {
    return "`" + name.replace("`", "``") + "`";
  }
}
