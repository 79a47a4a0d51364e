package dev.holdfast.race.internal.database;

import dev.holdfast.race.internal.database.Table.Column;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

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
  private static final String COUNTERS =
      """
      SELECT t.TABLE_NAME, coalesce(t.AUTO_INCREMENT, 1)
      FROM information_schema.TABLES t
        JOIN information_schema.COLUMNS c
          ON c.TABLE_SCHEMA = t.TABLE_SCHEMA AND c.TABLE_NAME = t.TABLE_NAME
      WHERE t.TABLE_SCHEMA = database() AND t.TABLE_TYPE = 'BASE TABLE'
        AND c.EXTRA LIKE '%auto_increment%' AND c.DATA_TYPE IN ('int', 'bigint')
      ORDER BY t.TABLE_NAME
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
    List<Counter> counters =
        new ArrayList<>(
            Query.rows(
                control,
                COUNTERS,
                row -> {
                  String alter = "ALTER TABLE " + quoted(row.getString(1)) + " AUTO_INCREMENT = ";
                  return new Counter(
                      row.getLong(2) - 1,
                      Integer.MAX_VALUE,
                      next -> Query.run(control, alter + next));
                }));
    for (String name : Query.rows(control, SEQUENCES, row -> row.getString(1))) {
      counters.addAll(sequence(control, quoted(name)));
    }
    return counters;
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
