package dev.holdfast.internal.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Tables of Holdfast that Citus manages: distributed ones, reference tables, and those of a
 * distributed schema. Several statements fail on them, and some would be answered wrongly.
 */
public final class DistributedTables {
  /** In one statement that any PostgreSQL takes; the table is Citus's own. */
  private static final String IS_CITUS = "SELECT to_regclass('pg_dist_partition') IS NOT NULL";

  private static final String DISTRIBUTED =
      """
      SELECT n.nspname || '.' || c.relname FROM pg_dist_partition p \
      JOIN pg_class c ON c.oid = p.logicalrelid JOIN pg_namespace n ON n.oid = c.relnamespace \
      WHERE c.relname LIKE 'holdfast\\_%' AND n.nspname = COALESCE(?::text, n.nspname)""";

  /** Why they are refused, and what to do. */
  public static final String ADVICE =
      "Citus distributes them, and not every statement of Holdfast works on distributed tables, some"
          + " without an error; call undistribute_table(…) for each, or keep Holdfast's tables in a"
          + " schema or database that is not distributed";

  private DistributedTables() {}

  /**
   * Their names with the schema, in order; none on a database without Citus.
   *
   * @param schema null for all of them
   */
  public static Set<String> find(Connection connection, Dialect dialect, @Nullable String schema)
      throws SQLException {
    Set<String> tables = new TreeSet<>();
    if (dialect.family().equals("postgresql") && isCitus(connection)) {
      try (PreparedStatement statement = connection.prepareStatement(DISTRIBUTED)) {
        statement.setString(1, schema);
        try (ResultSet row = statement.executeQuery()) {
          while (row.next()) {
            tables.add(row.getString(1));
          }
        }
      }
    }
    return tables;
  }

  private static boolean isCitus(Connection connection) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(IS_CITUS);
        ResultSet row = statement.executeQuery()) {
      return row.next() && row.getBoolean(1);
    }
  }
}
