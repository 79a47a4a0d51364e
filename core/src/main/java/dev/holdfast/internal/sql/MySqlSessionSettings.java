package dev.holdfast.internal.sql;

import dev.holdfast.transaction.TransactionSettings;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Isolation and time limits belong to the session: read first and put back after. */
final class MySqlSessionSettings implements SessionSettings {
  private final boolean mariaDb;

  MySqlSessionSettings(boolean mariaDb) {
    this.mariaDb = mariaDb;
  }

  @Override
  public Restore beforeOwn(Connection connection, TransactionSettings settings)
      throws SQLException {
    Map<String, String> values = timeouts(settings);
    if (settings.idleTimeout() != null) {
      values.put(
          mariaDb ? "idle_transaction_timeout" : "wait_timeout", seconds(settings.idleTimeout()));
    }
    return withIsolation(connection, settings, exchange(connection, values));
  }

  @Override
  public void insideOwn(Connection connection, TransactionSettings settings) throws SQLException {
    if (settings.readOnly()) {
      // READ ONLY is for the next transaction: were it not begun here, and the work without a
      // statement, it would hit the next user of the connection. In two steps, because the first is
      // refused inside a transaction, and START TRANSACTION alone would commit it
      SessionSettings.execute(
          connection, List.of("SET TRANSACTION READ ONLY", "START TRANSACTION"));
    }
  }

  @Override
  public Restore joined(Connection connection, TransactionSettings settings) throws SQLException {
    return exchange(connection, timeouts(settings));
  }

  private Map<String, String> timeouts(TransactionSettings settings) {
    Map<String, String> values = new LinkedHashMap<>();
    if (settings.lockTimeout() != null) {
      String seconds = seconds(settings.lockTimeout());
      values.put("innodb_lock_wait_timeout", seconds);
      // rows are one thing, the table's own lock (of an ALTER TABLE) another: by default a day
      values.put("lock_wait_timeout", seconds);
    }
    if (settings.statementTimeout() != null) {
      long millis = settings.statementTimeout().toMillis();
      if (mariaDb) {
        values.put("max_statement_time", BigDecimal.valueOf(millis, 3).toPlainString());
      } else {
        values.put("max_execution_time", Long.toString(millis));
      }
    }
    return values;
  }

  /** Whole seconds only: rounded up, so that no wait is shorter than asked. */
  private static String seconds(Duration timeout) {
    return Long.toString(Math.max(1, timeout.plusMillis(999).toSeconds()));
  }

  /** Reads the old values in one round trip, and sets the new ones in another. */
  private static Restore exchange(Connection connection, Map<String, String> values)
      throws SQLException {
    if (values.isEmpty()) {
      return Restore.NOTHING;
    }
    Map<String, String> before = new LinkedHashMap<>();
    List<String> names = new ArrayList<>(values.keySet());
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery("SELECT @@SESSION." + String.join(", @@SESSION.", names))) {
      row.next();
      for (int i = 0; i < names.size(); i++) {
        before.put(names.get(i), row.getString(i + 1));
      }
    }
    set(connection, values);
    return () -> set(connection, before);
  }

  private static void set(Connection connection, Map<String, String> values) throws SQLException {
    SessionSettings.execute(
        connection,
        List.of(
            values.entrySet().stream()
                .map(entry -> "SESSION " + entry.getKey() + " = " + entry.getValue())
                .collect(Collectors.joining(", ", "SET ", ""))));
  }
}
