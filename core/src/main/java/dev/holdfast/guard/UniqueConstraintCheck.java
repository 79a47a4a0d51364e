package dev.holdfast.guard;

import dev.holdfast.internal.sql.SqlBuilder;
import dev.holdfast.transaction.Transaction;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Finds out whether the columns of a key are unique. Asked once per key, table and database; a
 * missing constraint is asked for again, so that adding it helps at once.
 */
final class UniqueConstraintCheck {
  private static final String NO_MATCHING_CONSTRAINT = "42P10";
  private static final SchemaFactCache<Asked, Boolean> UNIQUE = new SchemaFactCache<>();

  private UniqueConstraintCheck() {}

  private record Asked(String table, List<String> columns) {}

  /** Where the name of a table leads to on a connection. */
  private record Place(@Nullable String catalog, @Nullable String schema, String table) {}

  /** Refuses a key without a primary key or unique constraint on exactly its columns. */
  static void require(Transaction tx, RowReference target) {
    try {
      Asked asked = new Asked(target.table(), List.copyOf(target.key().names()));
      if (UNIQUE.get(tx, asked).isEmpty()) {
        ask(tx, target);
        SqlBuilder.requireTransactional(tx, target.table());
        UNIQUE.put(tx, asked, true);
      }
    } catch (SQLException e) {
      throw SqlBuilder.failed(tx, "finding the unique constraint of " + target, e);
    }
  }

  private static void ask(Transaction tx, RowReference target) throws SQLException {
    if (tx.dialect().insertsUnlessConflict()) {
      insertNothing(tx, target);
    } else if (!indexes(tx.connection(), place(tx, target)).contains(columns(tx, target))) {
      requireColumns(tx, target);
      throw notUnique(tx, target, null);
    }
  }

  /** PostgreSQL looks for the constraint of a conflict before it looks for rows to insert. */
  private static void insertNothing(Transaction tx, RowReference target) throws SQLException {
    Collection<String> key = target.key().names();
    SqlBuilder sql = new SqlBuilder(tx.dialect()).add("INSERT INTO ").name(target.table());
    sql.add(" (").names(key).add(") SELECT ").names(key).add(" FROM ").name(target.table());
    sql.add(" WHERE 1 = 0 ON CONFLICT (").names(key).add(") DO NOTHING");
    try {
      sql.tryUpdate(tx);
    } catch (SQLException e) {
      if (NO_MATCHING_CONSTRAINT.equals(e.getSQLState())) {
        throw notUnique(tx, target, e);
      }
      throw e;
    }
  }

  /** The columns of each unique index, in lower case. */
  private static Set<Set<String>> indexes(Connection connection, Place place) throws SQLException {
    Map<String, Set<String>> columnsOf = new HashMap<>();
    Set<String> onExpressions = new HashSet<>();
    try (ResultSet rows =
        connection
            .getMetaData()
            .getIndexInfo(place.catalog, place.schema, place.table, true, true)) {
      while (rows.next()) {
        String index = rows.getString("INDEX_NAME");
        String column = rows.getString("COLUMN_NAME");
        if (index != null && column != null) {
          columnsOf
              .computeIfAbsent(index, ignored -> new HashSet<>())
              .add(column.toLowerCase(Locale.ROOT));
        } else if (index != null) {
          onExpressions.add(index);
        }
      }
    }
    columnsOf.keySet().removeAll(onExpressions);
    return new HashSet<>(columnsOf.values());
  }

  /**
   * A table or column that is not there has no constraint either: its own error is the clearer one.
   */
  private static void requireColumns(Transaction tx, RowReference target) {
    new SqlBuilder(tx.dialect())
        .add("SELECT ")
        .names(target.key().names())
        .add(" FROM ")
        .name(target.table())
        .add(" WHERE 1 = 0")
        .rows(tx, () -> "creating " + target);
  }

  private static GuardException notUnique(
      Transaction tx, RowReference target, @Nullable SQLException cause) {
    GuardException failure = GuardException.notUnique(target, cause);
    tx.setRollbackOnly(failure);
    return failure;
  }

  private static Place place(Transaction tx, RowReference target) throws SQLException {
    List<String> parts = parts(tx.dialect().quote(target.table()));
    String table = parts.get(parts.size() - 1);
    String given = parts.size() > 1 ? parts.get(parts.size() - 2) : null;
    String schema = given == null ? SchemaFactCache.schema(tx) : given;
    return tx.connection().getMetaData().supportsSchemasInDataManipulation()
        ? new Place(null, schema, table)
        : new Place(schema, null, table);
  }

  private static Set<String> columns(Transaction tx, RowReference target) {
    return target.key().names().stream()
        .map(name -> parts(tx.dialect().quote(name)))
        .map(parts -> parts.get(parts.size() - 1).toLowerCase(Locale.ROOT))
        .collect(Collectors.toSet());
  }

  /** The parts of a name that was checked and quoted: none of them has a dot or a quote inside. */
  private static List<String> parts(String quoted) {
    return List.of(quoted.replaceAll("[\"`]", "").split("\\.", -1));
  }
}
