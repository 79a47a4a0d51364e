package dev.holdfast.internal.sql;

import dev.holdfast.InvalidArgumentException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Which index of a MariaDB or MySQL table begins with a column. Found out once, and again after a
 * minute, because indexes are renamed and dropped. Thread-safe.
 */
final class IndexLookup {
  private static final long NANOS_REMEMBERED = TimeUnit.MINUTES.toNanos(1);

  /** Tests make many short-lived tables; a service locks rows of a handful. */
  private static final int MAX_CACHED = 1000;

  private final boolean mariaDb;
  private final Map<Asked, Found> byColumn = new ConcurrentHashMap<>();

  private final LongSupplier nanoTime;

  IndexLookup(boolean mariaDb) {
    this(mariaDb, System::nanoTime);
  }

  IndexLookup(boolean mariaDb, LongSupplier nanoTime) {
    this.mariaDb = mariaDb;
    this.nanoTime = nanoTime;
  }

  private record Asked(@Nullable String schema, String table, String column) {}

  private record Found(String hint, long atNanos) {}

  /** One column of an index; {@code column} is null for an expression or a prefix. */
  private record Part(
      String index, int position, @Nullable String column, boolean unique, boolean ascending) {}

  /** The hint that makes a {@code SELECT} use the index of the column and no other. */
  String force(Connection connection, String quotedTable, String quotedColumn) throws SQLException {
    Asked asked = new Asked(connection.getCatalog(), quotedTable, quotedColumn);
    Found known = byColumn.get(asked);
    if (known != null && nanoTime.getAsLong() - known.atNanos < NANOS_REMEMBERED) {
      return known.hint;
    }
    String column = quotedColumn.replace("`", "");
    String index = best(parts(connection, quotedTable), column);
    if (index == null) {
      requireColumn(connection, quotedTable, quotedColumn);
      throw new InvalidArgumentException(
          "the column '"
              + column
              + "' must be the first of an index, or locking by it would lock all rows of "
              + quotedTable
              + "; there is no such index");
    }
    TableEngineCheck.requireTransactional(connection, quotedTable);
    if (byColumn.size() >= MAX_CACHED) {
      byColumn.clear();
    }
    String hint = " FORCE INDEX (`" + index.replace("`", "``") + "`)";
    byColumn.put(asked, new Found(hint, nanoTime.getAsLong()));
    return hint;
  }

  /** A column that is not there has no index either: its own error is the clearer one. */
  private static void requireColumn(Connection connection, String quotedTable, String quotedColumn)
      throws SQLException {
    String none = "SELECT " + quotedColumn + " FROM " + quotedTable + " WHERE 1 = 0";
    try (Statement statement = connection.createStatement()) {
      statement.executeQuery(none).close();
    }
  }

  private static @Nullable String best(List<Part> parts, String column) {
    return parts.stream()
        .filter(
            part -> part.position == 1 && part.ascending && column.equalsIgnoreCase(part.column))
        .min(
            Comparator.comparing((Part part) -> isKeyByItself(part, parts) ? 0 : 1)
                .thenComparing(part -> part.index.equals("PRIMARY") ? 0 : 1))
        .map(Part::index)
        .orElse(null);
  }

  private static boolean isKeyByItself(Part first, List<Part> parts) {
    return first.unique
        && parts.stream().noneMatch(part -> part.index.equals(first.index) && part.position > 1);
  }

  private List<Part> parts(Connection connection, String quotedTable) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SHOW INDEX FROM " + quotedTable)) {
      List<Part> parts = new ArrayList<>();
      while (row.next()) {
        boolean hidden =
            mariaDb
                ? "YES".equals(row.getString("Ignored"))
                : "NO".equals(row.getString("Visible"));
        if (!hidden) {
          parts.add(
              new Part(
                  row.getString("Key_name"),
                  row.getInt("Seq_in_index"),
                  row.getString("Sub_part") == null ? row.getString("Column_name") : null,
                  row.getInt("Non_unique") == 0,
                  // neither descending nor unordered, as full-text and hash indexes are
                  "A".equals(row.getString("Collation"))));
        }
      }
      return parts;
    }
  }
}
