package dev.holdfast.internal.sql;

import dev.holdfast.internal.Require;
import dev.holdfast.transaction.DatabaseException;
import dev.holdfast.transaction.Row;
import dev.holdfast.transaction.Transaction;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One statement over tables of a user: text of ours, names that are checked and quoted, and values
 * that are always bound. Mutable while it is written; for one thread.
 */
public final class SqlBuilder {
  private final Dialect dialect;
  private final StringBuilder text = new StringBuilder(128);
  private final List<@Nullable Object> values = new ArrayList<>();

  public SqlBuilder(Dialect dialect) {
    this.dialect = dialect;
  }

  /** Adds text of our own; never anything that comes from a user. */
  public SqlBuilder add(String ours) {
    text.append(ours);
    return this;
  }

  /** Adds the name of a table or column. */
  public SqlBuilder name(String name) {
    text.append(dialect.quote(name));
    return this;
  }

  /** Adds, after a table, that its rows get locked by the values of {@code column}. */
  public SqlBuilder searchedBy(Transaction tx, String table, String column) {
    try {
      return trySearchedBy(tx, table, column);
    } catch (SQLException e) {
      throw failed(tx, "looking for the index of '" + table + "'", e);
    }
  }

  /** As {@link #searchedBy}, where the caller can tell more about a failure. */
  public SqlBuilder trySearchedBy(Transaction tx, String table, String column) throws SQLException {
    return add(dialect.searchedBy(tx.connection(), table, column));
  }

  /** Adds a parameter. */
  public SqlBuilder value(@Nullable Object value) {
    text.append('?');
    values.add(value);
    return this;
  }

  /** Adds names with commas between them. */
  public SqlBuilder names(Collection<String> names) {
    Iterator<String> rest = names.iterator();
    while (rest.hasNext()) {
      name(rest.next()).add(rest.hasNext() ? ", " : "");
    }
    return this;
  }

  /** Adds parameters with commas between them. */
  public SqlBuilder values(Collection<? extends @Nullable Object> values) {
    Iterator<? extends @Nullable Object> rest = values.iterator();
    while (rest.hasNext()) {
      value(rest.next()).add(rest.hasNext() ? ", " : "");
    }
    return this;
  }

  /** Ends a {@code SELECT} that wants no more than this many rows. */
  public SqlBuilder limit(int rows) {
    return add(dialect.limit(rows));
  }

  /** Adds the clock of the database. */
  public SqlBuilder now() {
    return add(dialect.now());
  }

  /** Adds the clock of the database, less a time, to the microsecond. */
  public SqlBuilder nowMinus(Duration time) {
    add(dialect.nowMinusMicroseconds());
    values.add(TimeUnit.MICROSECONDS.convert(time));
    return this;
  }

  /** Adds the clock of the database and a time, to the microsecond; the time may be negative. */
  public SqlBuilder nowPlus(Duration time) {
    add(dialect.nowPlusMicroseconds());
    values.add(TimeUnit.MICROSECONDS.convert(time));
    return this;
  }

  /** Adds the condition that a column has a value, where null is the same as null. */
  public SqlBuilder same(String column, @Nullable Object value) {
    if (isText(value)) {
      return exactly(column, Require.notNull(value, "value"));
    }
    add(dialect.isSame(dialect.quote(column), "?"));
    values.add(value);
    return this;
  }

  /** Adds the condition that a column has exactly this value, and is not null. */
  public SqlBuilder exactly(String column, Object value) {
    String name = dialect.quote(column);
    add(isText(value) ? dialect.isSameText(name, "?") : name + " = ?");
    values.add(value);
    return this;
  }

  private static boolean isText(@Nullable Object value) {
    return value instanceof CharSequence || value instanceof Enum<?> || value instanceof UUID;
  }

  /** Makes this change answer with the rows it has changed. */
  public SqlBuilder returning(String columns) {
    String change = text.toString();
    text.setLength(0);
    text.append(dialect.returning(change, columns));
    return this;
  }

  /** As {@link #returning(String)}, with parameters among the columns. */
  public SqlBuilder returning(SqlBuilder columns) {
    String change = text.toString();
    returning(columns.toString());
    // H2 has the columns first
    values.addAll(text.indexOf(change) == 0 ? values.size() : 0, columns.values);
    return this;
  }

  /**
   * Runs a change and answers the number of rows. A failure marks the transaction to be rolled
   * back.
   *
   * @param doing names the change in the error
   */
  public int update(Transaction tx, Supplier<String> doing) {
    try {
      return tryUpdate(tx);
    } catch (SQLException e) {
      throw failed(tx, doing.get(), e);
    }
  }

  /** Runs a change whose failure the caller can deal with. */
  public int tryUpdate(Transaction tx) throws SQLException {
    try (PreparedStatement statement = prepare(tx)) {
      return statement.executeUpdate();
    }
  }

  /** Runs a query and answers all its rows. A failure marks the transaction to be rolled back. */
  public List<Row> rows(Transaction tx, Supplier<String> doing) {
    try {
      return tryRows(tx);
    } catch (SQLException e) {
      throw failed(tx, doing.get(), e);
    }
  }

  /** Runs a query, or a change that returns rows, whose failure the caller can deal with. */
  public List<Row> tryRows(Transaction tx) throws SQLException {
    try (PreparedStatement statement = prepare(tx);
        ResultSet results = statement.executeQuery()) {
      return Row.allOf(results);
    }
  }

  /** Runs a query that finds at most one row, and answers it. */
  public Optional<Row> row(Transaction tx, Supplier<String> doing) {
    List<Row> rows = rows(tx, doing);
    return rows.isEmpty() ? Optional.empty() : Optional.of(rows.get(0));
  }

  /** Refuses a table that neither locks rows nor rolls back. May ask the database. */
  public static void requireTransactional(Transaction tx, String table) {
    try {
      tx.dialect().requireTransactional(tx.connection(), table);
    } catch (SQLException e) {
      throw failed(tx, "reading the storage engine of '" + table + "'", e);
    }
  }

  /** The error to throw for a statement that failed; the transaction must be rolled back. */
  public static DatabaseException failed(Transaction tx, String doing, SQLException cause) {
    DatabaseException failure = new DatabaseException(doing, cause);
    tx.setRollbackOnly(failure);
    return failure;
  }

  private PreparedStatement prepare(Transaction tx) throws SQLException {
    PreparedStatement statement = tx.connection().prepareStatement(text.toString());
    try {
      bind(statement);
      return statement;
    } catch (SQLException | RuntimeException e) {
      statement.close();
      throw e;
    }
  }

  private void bind(PreparedStatement statement) throws SQLException {
    int index = 0;
    try {
      for (; index < values.size(); index++) {
        dialect.bind(statement, index + 1, values.get(index));
      }
    } catch (SQLException e) {
      Object value = values.get(index);
      throw new SQLException(
          "the driver does not take the value of parameter %d, a %s, of %s: %s"
              .formatted(
                  index + 1,
                  value == null ? "null" : value.getClass().getName(),
                  text,
                  e.getMessage()),
          e.getSQLState(),
          e.getErrorCode(),
          e);
    }
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
