package dev.holdfast.race.internal.database;

import dev.holdfast.race.internal.database.Table.Column;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** Reads the catalogue of PostgreSQL: the schemas on the search path. */
final class PostgreSqlCatalogue {

  /** What belongs to an extension is no test's business. */
  private static final String OF_EXTENSION =
      """
      EXISTS (SELECT FROM pg_depend d
        WHERE d.classid = '%s'::regclass AND d.objid = %s.oid AND d.deptype = 'e')
      """;

  private static final String TABLES =
      """
      SELECT c.oid, n.nspname, c.relname, c.relkind = 'p' AS partitioned,
        pg_table_is_visible(c.oid) AS visible,
        format('%%I.%%I', n.nspname, c.relname) AS quoted
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = ANY (current_schemas(false))
        AND n.nspname NOT IN ('pg_catalog', 'information_schema')
        AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relpersistence <> 't'
        AND NOT %s
      ORDER BY n.nspname, c.relname
      """
          .formatted(OF_EXTENSION.formatted("pg_class", "c"));

  private static final String PARTITIONS =
      """
      SELECT c.relname, pg_partition_root(c.oid)::oid AS root
      FROM pg_class c WHERE c.relispartition AND c.relkind IN ('r', 'p')
      """;

  private static final String COLUMNS =
      """
      SELECT a.attrelid, a.attname, quote_ident(a.attname) AS quoted,
        a.attgenerated <> '' AS computed, a.attidentity = 'a' AS always
      FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
        JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = ANY (current_schemas(false)) AND a.attnum > 0 AND NOT a.attisdropped
        AND c.relkind IN ('r', 'p')
      ORDER BY a.attrelid, a.attnum
      """;

  /** Rows of a table that inherits from another are rows of that, too. */
  private static final String REFERENCES =
      """
      SELECT coalesce(pg_partition_root(conrelid)::oid, conrelid) AS child,
        coalesce(pg_partition_root(confrelid)::oid, confrelid) AS parent,
        confdeltype NOT IN ('a', 'r') OR confupdtype NOT IN ('a', 'r') AS cascades
      FROM pg_constraint WHERE contype = 'f'
      UNION ALL
      SELECT i.inhrelid, i.inhparent, true
      FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE NOT c.relispartition
      """;

  private static final String TRIGGERS =
      """
      SELECT coalesce(pg_partition_root(tgrelid)::oid, tgrelid) AS table, quote_ident(tgname)
      FROM pg_trigger WHERE NOT tgisinternal AND tgenabled <> 'D'
      UNION ALL
      SELECT ev_class, '' FROM pg_rewrite WHERE rulename <> '_RETURN'
      """;

  private static final String VIEWS =
      """
      SELECT c.relname
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind IN ('v', 'm', 'f')
        AND n.nspname NOT IN ('pg_catalog', 'information_schema')
        AND NOT %s
      """
          .formatted(OF_EXTENSION.formatted("pg_class", "c"));

  /** One that is immutable sees no table. */
  private static final String FUNCTIONS =
      """
      SELECT p.proname
      FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
      WHERE n.nspname NOT IN ('pg_catalog', 'information_schema')
        AND p.provolatile <> 'i' AND p.prorettype <> 'trigger'::regtype
        AND NOT %s
      """
          .formatted(OF_EXTENSION.formatted("pg_proc", "p"));

  /** Left out are those that a column uses whose type or whose checks would not take the ids. */
  private static final String COUNTERS =
      """
      WITH sequence AS (
        SELECT c.oid, n.nspname, c.relname
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relkind = 'S' AND c.relpersistence <> 't'
          AND n.nspname = ANY (current_schemas(false))),
      used AS (
        SELECT s.oid, d.refobjid AS relation, d.refobjsubid AS number
        FROM sequence s JOIN pg_depend d ON d.objid = s.oid
        WHERE d.classid = 'pg_class'::regclass AND d.refclassid = 'pg_class'::regclass
          AND d.deptype IN ('a', 'i')
        UNION ALL
        SELECT s.oid, f.adrelid, f.adnum
        FROM sequence s JOIN pg_depend d ON d.refobjid = s.oid
          JOIN pg_attrdef f ON f.oid = d.objid
        WHERE d.classid = 'pg_attrdef'::regclass AND d.refclassid = 'pg_class'::regclass),
      unfit AS (
        SELECT u.oid
        FROM used u JOIN pg_attribute a ON a.attrelid = u.relation AND a.attnum = u.number
        WHERE a.atttypid NOT IN ('int4'::regtype, 'int8'::regtype, 'numeric'::regtype)
          OR EXISTS (SELECT FROM pg_constraint k
            WHERE k.contype = 'c' AND k.conrelid = a.attrelid AND a.attnum = ANY (k.conkey)))
      SELECT format('%I.%I', s.nspname, s.relname),
        CASE WHEN has_sequence_privilege(s.oid, 'SELECT,USAGE')
          THEN coalesce(pg_sequence_last_value(s.oid), 0) ELSE 0 END,
        p.seqmax
      FROM sequence s JOIN pg_sequence p ON p.seqrelid = s.oid
      WHERE p.seqincrement > 0 AND s.oid NOT IN (SELECT oid FROM unfit)
      ORDER BY s.nspname, s.relname
      """;

  private PostgreSqlCatalogue() {}

  static Catalogue read(Connection control) throws SQLException {
    CatalogueDraft draft = new CatalogueDraft();
    Query.rows(
        control,
        TABLES,
        row -> {
          String name = row.getString("relname");
          if (!Catalogue.isIgnored(name)) {
            String title = row.getBoolean("visible") ? name : row.getString("nspname") + "." + name;
            String quoted = row.getString("quoted");
            String source = (row.getBoolean("partitioned") ? "" : "ONLY ") + quoted;
            draft.table(row.getString("oid"), name, title, quoted, source);
          }
          return name;
        });
    Query.rows(
        control,
        COLUMNS,
        row -> {
          String name = row.getString("attname");
          draft.column(
              row.getString("attrelid"),
              new Column(
                  name,
                  row.getString("quoted"),
                  row.getBoolean("computed"),
                  row.getBoolean("always")));
          return name;
        });
    pairs(control, PARTITIONS, draft::alias);
    pairs(control, TRIGGERS, draft::trigger);
    Query.rows(
        control,
        REFERENCES,
        row -> {
          draft.reference(row.getString(1), row.getString(2), row.getBoolean(3));
          return 0;
        });
    Query.rows(control, VIEWS, row -> row.getString(1)).forEach(draft::view);
    Query.rows(control, FUNCTIONS, row -> row.getString(1)).forEach(draft::function);
    return draft.finish(true);
  }

  static List<Counter> counters(Connection control) throws SQLException {
    return Query.rows(
        control,
        COUNTERS,
        row -> {
          String sequence = row.getString(1).replace("'", "''");
          return new Counter(
              row.getLong(2),
              row.getLong(3),
              next -> Query.run(control, "SELECT setval('" + sequence + "', " + next + ")"));
        });
  }

  private interface Pair {
    void of(String one, String other);
  }

  private static void pairs(Connection control, String sql, Pair pair) throws SQLException {
    Query.rows(
        control,
        sql,
        row -> {
          pair.of(row.getString(1), row.getString(2));
          return 0;
        });
  }
}
