package dev.holdfast.guard;

import dev.holdfast.internal.Require;
import dev.holdfast.internal.sql.Dialect;
import dev.holdfast.transaction.Row;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The rows that {@link RowLocks} has locked, as they were once they were locked, and those that it
 * has not.
 *
 * <p>They stay locked until the transaction ends, so what was read here is current until then,
 * unless the transaction itself changes it. Immutable and thread-safe.
 */
public final class LockedRows {
  private final Dialect dialect;
  private final Map<String, LockedTable> tables;

  /** {@code tables} by their quoted names, in the order of locking. */
  LockedRows(Dialect dialect, Map<String, LockedTable> tables) {
    this.dialect = dialect;
    this.tables = tables;
  }

  /** One row by name: {@code value} is the key as it was given. */
  public record Key(String table, String column, Object value) {
    @Override
    public String toString() {
      return "'" + table + "' {" + column + "=" + value + "}";
    }
  }

  /** The locked rows of a table, in the order of their keys. */
  public List<Row> rows(String table) {
    return List.copyOf(table(table).locked().values());
  }

  /** One row, empty where it was not locked. */
  public Optional<Row> find(String table, Object key) {
    return Optional.ofNullable(table(table).find(Require.notNull(key, "key")));
  }

  /**
   * One row.
   *
   * @throws RowsNotFoundException where it was asked for and not locked
   * @throws dev.holdfast.InvalidArgumentException where it was not asked for
   */
  public Row row(String table, Object key) {
    return find(table, key).orElseThrow(() -> table(table).whyNot(key));
  }

  /** The rows that were asked for and do not exist. */
  public List<Key> missing() {
    return tables.values().stream().flatMap(table -> table.missing().stream()).toList();
  }

  /**
   * The rows that were left out because somebody else has locked them, with {@link
   * RowLocks#skipLocked()}; they existed when they were looked for.
   */
  public List<Key> skipped() {
    return tables.values().stream().flatMap(table -> table.skipped().stream()).toList();
  }

  /**
   * Itself, if every row that was asked for is locked.
   *
   * @throws RowsNotFoundException which names those that are not
   */
  public LockedRows requireAll() {
    for (LockedTable table : tables.values()) {
      if (!table.missing().isEmpty() || !table.skipped().isEmpty()) {
        throw new RowsNotFoundException(missing(), skipped());
      }
    }
    return this;
  }

  private LockedTable table(String table) {
    LockedTable locked = tables.get(dialect.quote(table));
    Require.that(
        locked != null,
        () ->
            "rows of '"
                + table
                + "' must have been asked for, were only those of "
                + tables.keySet());
    return Require.notNull(locked, table);
  }

  @Override
  public String toString() {
    return "LockedRows"
        + tables.values().stream().flatMap(table -> table.locked().values().stream()).toList();
  }
}
