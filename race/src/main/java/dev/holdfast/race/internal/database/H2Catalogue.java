package dev.holdfast.race.internal.database;

import dev.holdfast.race.internal.database.Table.Column;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Reads the catalogue of H2: the current schema. */
final class H2Catalogue {
  private static final String TABLES =
      """
      SELECT TABLE_NAME FROM INFORMATION_SCHEMA.TABLES
      WHERE TABLE_SCHEMA = SCHEMA() AND TABLE_TYPE = 'BASE TABLE' ORDER BY TABLE_NAME
      """;

  private static final String COLUMNS =
      """
      SELECT TABLE_NAME, COLUMN_NAME, IS_GENERATED = 'ALWAYS', IDENTITY_GENERATION = 'ALWAYS'
      FROM INFORMATION_SCHEMA.COLUMNS
      WHERE TABLE_SCHEMA = SCHEMA() ORDER BY TABLE_NAME, ORDINAL_POSITION
      """;

  private static final String REFERENCES =
      """
      SELECT c.TABLE_NAME, p.TABLE_NAME,
        r.DELETE_RULE NOT IN ('RESTRICT', 'NO ACTION')
          OR r.UPDATE_RULE NOT IN ('RESTRICT', 'NO ACTION')
      FROM INFORMATION_SCHEMA.REFERENTIAL_CONSTRAINTS r
        JOIN INFORMATION_SCHEMA.TABLE_CONSTRAINTS c
          ON c.CONSTRAINT_SCHEMA = r.CONSTRAINT_SCHEMA AND c.CONSTRAINT_NAME = r.CONSTRAINT_NAME
        JOIN INFORMATION_SCHEMA.TABLE_CONSTRAINTS p
          ON p.CONSTRAINT_SCHEMA = r.UNIQUE_CONSTRAINT_SCHEMA
            AND p.CONSTRAINT_NAME = r.UNIQUE_CONSTRAINT_NAME
      WHERE c.TABLE_SCHEMA = SCHEMA() AND p.TABLE_SCHEMA = SCHEMA()
      """;

  private static final String TRIGGERS =
      """
      SELECT EVENT_OBJECT_TABLE, TRIGGER_NAME FROM INFORMATION_SCHEMA.TRIGGERS
      WHERE EVENT_OBJECT_SCHEMA = SCHEMA()
      """;

  private static final String VIEWS =
      """
      SELECT TABLE_NAME FROM INFORMATION_SCHEMA.TABLES
      WHERE TABLE_SCHEMA <> 'INFORMATION_SCHEMA' AND TABLE_TYPE = 'VIEW'
      UNION ALL
      SELECT SYNONYM_NAME FROM INFORMATION_SCHEMA.SYNONYMS
      """;

  private static final String FUNCTIONS =
      """
      SELECT ROUTINE_NAME FROM INFORMATION_SCHEMA.ROUTINES
      WHERE ROUTINE_SCHEMA <> 'INFORMATION_SCHEMA'
      """;

  /** What a check looks at is left alone. */
  private static final String IDENTITIES =
      """
      SELECT c.TABLE_NAME, c.COLUMN_NAME, c.IDENTITY_BASE, c.IDENTITY_MAXIMUM
      FROM INFORMATION_SCHEMA.COLUMNS c
      WHERE c.TABLE_SCHEMA = SCHEMA() AND c.IS_IDENTITY = 'YES' AND c.IDENTITY_INCREMENT > 0
        AND c.DATA_TYPE IN ('INTEGER', 'BIGINT')
        AND NOT EXISTS (
          SELECT 1 FROM INFORMATION_SCHEMA.CONSTRAINT_COLUMN_USAGE u
            JOIN INFORMATION_SCHEMA.CHECK_CONSTRAINTS k
              ON k.CONSTRAINT_SCHEMA = u.CONSTRAINT_SCHEMA
                AND k.CONSTRAINT_NAME = u.CONSTRAINT_NAME
          WHERE u.TABLE_SCHEMA = c.TABLE_SCHEMA AND u.TABLE_NAME = c.TABLE_NAME
            AND u.COLUMN_NAME = c.COLUMN_NAME)
      ORDER BY c.TABLE_NAME
      """;

  private static final String SEQUENCES =
      """
      SELECT SEQUENCE_NAME, BASE_VALUE, MAXIMUM_VALUE FROM INFORMATION_SCHEMA.SEQUENCES
      WHERE SEQUENCE_SCHEMA = SCHEMA() AND INCREMENT > 0 ORDER BY SEQUENCE_NAME
      """;

  private H2Catalogue() {}

  static Catalogue read(Connection control) throws SQLException {
    CatalogueDraft draft = new CatalogueDraft();
    for (String name : Query.rows(control, TABLES, row -> row.getString(1))) {
      if (!Catalogue.isIgnored(name)) {
        String title = draft.hasTitle(title(name)) ? quoted(name) : title(name);
        draft.table(name, name, title, quoted(name), quoted(name));
      }
    }
    Query.rows(
        control,
        COLUMNS,
        row -> {
          String name = row.getString(2);
          draft.column(
              row.getString(1),
              new Column(title(name), quoted(name), row.getBoolean(3), row.getBoolean(4)));
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
                IDENTITIES,
                row ->
                    counter(
                        control,
                        row.getLong(3),
                        row.getLong(4),
                        "ALTER TABLE %s ALTER COLUMN %s RESTART WITH "
                            .formatted(quoted(row.getString(1)), quoted(row.getString(2))))));
    counters.addAll(
        Query.rows(
            control,
            SEQUENCES,
            row ->
                counter(
                    control,
                    row.getLong(2),
                    row.getLong(3),
                    "ALTER SEQUENCE " + quoted(row.getString(1)) + " RESTART WITH ")));
    return counters;
  }

  private static Counter counter(Connection control, long next, long max, String restart) {
    return new Counter(next - 1, max, number -> Query.run(control, restart + number));
  }

  /** Names that were written without quotes are in capitals. */
  private static String title(String name) {
    String upper = name.toUpperCase(Locale.ROOT);
    return name.equals(upper) ? name.toLowerCase(Locale.ROOT) : name;
  }

  private static String quoted(String name) {
    return "\"" + name.replace("\"", "\"\"") + "\"";
  }
}
