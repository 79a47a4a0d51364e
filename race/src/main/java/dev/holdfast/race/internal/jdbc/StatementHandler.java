package dev.holdfast.race.internal.jdbc;

import dev.holdfast.race.internal.jdbc.RoundTrip.Answer;
import dev.holdfast.race.internal.model.StepKind;
import dev.holdfast.race.internal.model.StepResult;
import dev.holdfast.race.internal.model.StepResult.RowRead;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A statement that the code has, prepared or not. */
final class StatementHandler extends JdbcHandler {
  private final ActorConnection connection;
  private final Connection owner;
  private final Statement real;
  private final String prepared;
  private final BoundValues bound = new BoundValues();
  private StepResult last = StepResult.done();
  private String lastSql = "";
  private boolean hasOutputs;
  private @Nullable RowRead outputs;

  private StatementHandler(
      ActorConnection connection, Connection owner, Statement real, String prepared) {
    super(real);
    this.connection = connection;
    this.owner = owner;
    this.real = real;
    this.prepared = prepared;
  }

  /**
   * @param owner the connection as the code has it
   * @param prepared its SQL, as the code has written it; empty if it comes later
   */
  static <T extends Statement> T proxy(
      Class<T> type, ActorConnection connection, Connection owner, T real, String prepared) {
    return proxy(type, new StatementHandler(connection, owner, real, prepared));
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
      case "cancel" -> {
        return pass(method);
      }
      default -> {
        if (connection.isOver() && CleanUp.is(method)) {
          return CleanUp.answer(method);
        }
        connection.check();
        Object answer = use(method, arguments);
        return answer instanceof ResultSet rows
            ? ResultSetHandler.proxy(connection, (Statement) proxy, rows, last, lastSql)
            : answer;
      }
    }
  }

  private @Nullable Object use(Method method, Object[] arguments) throws SQLException {
    switch (method.getName()) {
      case "getConnection" -> {
        return owner;
      }
      case "execute", "executeQuery", "executeUpdate", "executeLargeUpdate" -> {
        return execute(method, arguments);
      }
      case "executeBatch", "executeLargeBatch" -> {
        return executeBatch(method);
      }
      default -> {
        Object answer = pass(method, arguments);
        note(method, arguments, answer);
        return answer;
      }
    }
  }

  private @Nullable Object execute(Method method, Object[] arguments) throws SQLException {
    if (arguments.length == 0) {
      return run(StepKind.STATEMENT, prepared, bound.now(), () -> pass(method));
    }
    String sql = (String) arguments[0];
    Object[] changed = arguments.clone();
    changed[0] = connection.taken().leveled(sql);
    return run(StepKind.STATEMENT, sql, List.of(), () -> pass(method, changed));
  }

  private @Nullable Object executeBatch(Method method) throws SQLException {
    if (bound.isBatchEmpty()) {
      return pass(method);
    }
    String sql = prepared.isEmpty() ? bound.batchText() : prepared;
    List<String> values = bound.ofBatch();
    bound.clearBatch();
    return run(StepKind.BATCH, sql, values, () -> pass(method));
  }

  /** The call that makes the round trip. */
  private interface Call {
    @Nullable Object make() throws SQLException;
  }

  private @Nullable Object run(StepKind kind, String sql, List<String> values, Call call)
      throws SQLException {
    SqlText text = SqlText.of(sql);
    // a cursor would not survive the commit
    int fetchSize = connection.splits(text) ? real.getFetchSize() : 0;
    if (fetchSize != 0) {
      real.setFetchSize(0);
    }
    try {
      Answer answer =
          connection.run(
              kind,
              text,
              values,
              () -> {
                Object value = call.make();
                return new Answer(value, resultOf(value));
              });
      last = answer.result();
      lastSql = sql;
      outputs = null;
      return answer.value();
    } finally {
      if (fetchSize != 0 && !connection.isGone()) {
        real.setFetchSize(fetchSize);
      }
    }
  }

  private StepResult resultOf(@Nullable Object value) throws SQLException {
    if (hasOutputs || value instanceof ResultSet || Boolean.TRUE.equals(value)) {
      return StepResult.query();
    }
    if (value instanceof Number count) {
      return StepResult.updated(count.longValue());
    }
    if (value instanceof int[] counts) {
      return StepResult.updated(
          Arrays.stream(counts).mapToLong(count -> count).map(this::rows).toArray());
    }
    if (value instanceof long[] counts) {
      return StepResult.updated(Arrays.stream(counts).map(this::rows).toArray());
    }
    int count = real.getUpdateCount();
    return count < 0 ? StepResult.done() : StepResult.updated(count);
  }

  /** Some drivers do not count what a batch does. */
  private long rows(long count) {
    return count == Statement.SUCCESS_NO_INFO ? 1 : Math.max(0, count);
  }

  private void note(Method method, Object[] arguments, @Nullable Object answer) {
    String name = method.getName();
    switch (name) {
      case "addBatch" -> {
        if (arguments.length == 0) {
          bound.addEntry();
        } else {
          bound.addEntry((String) arguments[0]);
        }
      }
      case "clearBatch" -> bound.clearBatch();
      case "clearParameters" -> bound.clear();
      case "registerOutParameter" -> hasOutputs = true;
      case "setNull" -> bound.bind(arguments[0], null);
      default -> {
        if (name.startsWith("set") && arguments.length > 1) {
          bound.bind(arguments[0], arguments[1]);
        } else if (isOutput(method, arguments)) {
          recordOutput(arguments[0], answer);
        }
      }
    }
  }

  /** Whether it reads what a procedure returned. */
  private boolean isOutput(Method method, Object[] arguments) {
    return hasOutputs
        && method.getName().startsWith("get")
        && arguments.length > 0
        && !method.getName().equals("getMoreResults");
  }

  private void recordOutput(Object parameter, @Nullable Object value) {
    RowRead row = outputs == null ? last.nextRow() : outputs;
    outputs = row;
    String label = String.valueOf(parameter);
    if (!row.labels().contains(label)) {
      row.labels().add(label);
      row.values().add(Literals.of(value));
    }
  }
}
