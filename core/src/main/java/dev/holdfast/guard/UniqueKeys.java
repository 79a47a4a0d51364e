package dev.holdfast.guard;

import dev.holdfast.sql.Dialect;
import dev.holdfast.sql.Transaction;
import dev.holdfast.sql.internal.SqlText;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Finds out whether the columns of a key are unique, for databases where an insert cannot tell.
 * Asked once per key and place; a missing constraint is asked for again, so that adding it helps at
 * once.
 */
final class UniqueKeys {
  private static final Remembered<Key, Boolean> UNIQUE = new Remembered<>();

  private UniqueKeys() {}

  /** A table where its name leads to on this connection. */
  private record Place(@Nullable String catalog, @Nullable String schema, String table) {}

  private record Key(Place place, Set<String> columns) {}

  /** Refuses a key without a primary key or unique constraint on exactly its columns. */
  static void require(Transaction tx, Target target) {
    Dialect dialect = tx.dialect();
    Set<String> columns =
        target.key().names().stream()
            .map(column -> lastPart(dialect.quote(column)).toLowerCase(Locale.ROOT))
            .collect(Collectors.toSet());
    try {
      DatabaseMetaData metaData = tx.connection().getMetaData();
      Place place = place(tx.connection(), metaData, dialect.quote(target.table()));
      Key key = new Key(place, columns);
      if (UNIQUE.get(tx.connection(), key).isEmpty()) {
        if (!read(metaData, place).contains(columns)) {
          throw missing(tx, target);
        }
        UNIQUE.put(tx.connection(), key, true);
      }
    } catch (SQLException e) {
      throw SqlText.failed(tx, "reading the unique constraints of '" + target.table() + "'", e);
    }
  }

  private static Set<Set<String>> read(DatabaseMetaData metaData, Place place) throws SQLException {
    Map<String, Set<String>> byIndex = new HashMap<>();
    Set<String> onExpressions = new HashSet<>();
    try (ResultSet columns =
        metaData.getIndexInfo(place.catalog, place.schema, place.table, true, true)) {
      while (columns.next()) {
        String index = columns.getString("INDEX_NAME");
        String column = columns.getString("COLUMN_NAME");
        if (index == null) {
          continue;
        }
        if (column == null) {
          onExpressions.add(index);
        } else {
          byIndex
              .computeIfAbsent(index, ignored -> new HashSet<>())
              .add(column.toLowerCase(Locale.ROOT));
        }
      }
    }
    byIndex.keySet().removeAll(onExpressions);
    return new HashSet<>(byIndex.values());
  }

  /** A table that is not there either is found out by the insert, with the words for it. */
  private static RuntimeException missing(Transaction tx, Target target) {
    new SqlText(tx.dialect())
        .add("SELECT 1 FROM ")
        .name(target.table())
        .add(" WHERE 1 = 0")
        .rows(tx, "creating " + target);
    UnusableKeyException failure = UnusableKeyException.notUnique(target, null);
    tx.mustRollBack(failure);
    return failure;
  }

  private static Place place(Connection connection, DatabaseMetaData metaData, String quoted)
      throws SQLException {
    List<String> parts = parts(quoted);
    String table = lastPart(quoted);
    String given = parts.size() > 1 ? parts.get(parts.size() - 2) : null;
    // what H2 calls a schema is a catalog to MariaDB and MySQL
    return metaData.supportsSchemasInDataManipulation()
        ? new Place(null, given == null ? connection.getSchema() : given, table)
        : new Place(given == null ? connection.getCatalog() : given, null, table);
  }

  private static String lastPart(String quoted) {
    List<String> parts = parts(quoted);
    return parts.get(parts.size() - 1);
  }

  /** The parts of a name that was checked and quoted: none of them has a dot or a quote inside. */
  private static List<String> parts(String quoted) {
    return List.of(quoted.replaceAll("[\"`]", "").split("\\.", -1));
  }
}
