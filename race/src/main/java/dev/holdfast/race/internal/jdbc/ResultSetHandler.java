package dev.holdfast.race.internal.jdbc;

import dev.holdfast.race.internal.jdbc.RoundTrip.Answer;
import dev.holdfast.race.internal.model.StepKind;
import dev.holdfast.race.internal.model.StepResult;
import dev.holdfast.race.internal.model.StepResult.RowRead;
import java.lang.reflect.Method;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The rows that the code reads; what it looks at is recorded. */
final class ResultSetHandler extends JdbcHandler {
  private final ActorConnection connection;
  private final @Nullable Statement owner;
  private final ResultSet real;
  private final StepResult result;
  private final String sql;
  private @Nullable ResultSetMetaData columns;
  private @Nullable RowRead row;

  private ResultSetHandler(
      ActorConnection connection,
      @Nullable Statement owner,
      ResultSet real,
      StepResult result,
      String sql) {
    super(real);
    this.connection = connection;
    this.owner = owner;
    this.real = real;
    this.result = result;
    this.sql = sql;
  }

  /**
   * @param owner the statement as the code has it; null for what is read of the database itself
   * @param result where to record
   * @param sql what the rows come from
   */
  static ResultSet proxy(
      ActorConnection connection,
      @Nullable Statement owner,
      ResultSet real,
      StepResult result,
      String sql) {
    return proxy(ResultSet.class, new ResultSetHandler(connection, owner, real, result, sql));
  }

  @Override
  @Nullable Object call(Object proxy, Method method, Object[] arguments) throws SQLException {
    switch (method.getName()) {
      case "close" -> {
        if (!connection.isGone()) {
          pass(method);
        }
        return null;
      }
      case "isClosed" -> {
        return connection.isGone() || real.isClosed();
      }
      case "getStatement" -> {
        return owner;
      }
      case "insertRow", "updateRow", "deleteRow" -> {
        connection.check();
        change(method);
        return null;
      }
      default -> {
        connection.check();
        return read(method, arguments);
      }
    }
  }

  /** A row that is changed where it was read: a round trip of its own. */
  private void change(Method method) throws SQLException {
    String text = method.getName().replace("Row", " row") + " of: " + sql;
    connection.run(
        StepKind.STATEMENT,
        SqlText.of(text),
        List.of(),
        () -> {
          pass(method);
          return new Answer(null, StepResult.updated(1));
        });
  }

  private @Nullable Object read(Method method, Object[] arguments) throws SQLException {
    Object answer = pass(method, arguments);
    switch (method.getName()) {
      case "next", "previous", "first", "last", "absolute", "relative" ->
          row = Boolean.TRUE.equals(answer) ? result.nextRow() : null;
      case "beforeFirst", "afterLast", "moveToInsertRow" -> row = null;
      default -> {
        if (method.getName().startsWith("get") && arguments.length > 0) {
          record(arguments[0], answer);
        }
      }
    }
    return answer;
  }

  private void record(Object column, @Nullable Object value) throws SQLException {
    RowRead current = row;
    if (current == null) {
      return;
    }
    String label = column instanceof Integer place ? columns().getColumnLabel(place) : "" + column;
    if (current.labels().stream().noneMatch(label::equalsIgnoreCase)) {
      current.labels().add(label);
      current.values().add(Literals.of(isNull(value) ? null : value));
    }
  }

  /** Numbers and booleans cannot represent NULL. */
  private boolean isNull(@Nullable Object value) throws SQLException {
    return value == null
        || ((value instanceof Number || value instanceof Boolean) && real.wasNull());
  }

  private ResultSetMetaData columns() throws SQLException {
    ResultSetMetaData known = columns;
    if (known == null) {
      known = real.getMetaData();
      columns = known;
    }
    return known;
  }
}
