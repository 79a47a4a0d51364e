package dev.holdfast.sql;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Isolation and time limits belong to the session: read first and put back after. */
final class MySqlSettings implements SessionSettings {
  private final boolean mariaDb;

  MySqlSettings(boolean mariaDb) {
    this.mariaDb = mariaDb;
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
    List<String> now = new ArrayList<>();
    List<String> before = new ArrayList<>();
    if (settings.lockTimeout() != null) {
      // whole seconds only: rounded up, so that nobody waits shorter than asked
      long seconds = Math.max(1, settings.lockTimeout().plusMillis(999).toSeconds());
      exchange(connection, "innodb_lock_wait_timeout", Long.toString(seconds), now, before);
      // rows are one thing, the table's own lock (of an ALTER TABLE) another: by default a day
      exchange(connection, "lock_wait_timeout", Long.toString(seconds), now, before);
    }
    if (settings.statementTimeout() != null) {
      Duration timeout = settings.statementTimeout();
      if (mariaDb) {
        String seconds = BigDecimal.valueOf(timeout.toMillis(), 3).toPlainString();
        exchange(connection, "max_statement_time", seconds, now, before);
      } else {
        exchange(connection, "max_execution_time", Long.toString(timeout.toMillis()), now, before);
      }
    }
    SessionSettings.execute(connection, now);
    return () -> SessionSettings.execute(connection, before);
  }

  private static void exchange(
      Connection connection, String name, String value, List<String> now, List<String> before)
      throws SQLException {
    now.add("SET SESSION " + name + " = " + value);
    String old = SessionSettings.ask(connection, "SELECT @@SESSION." + name);
    before.add("SET SESSION " + name + " = " + old);
  }
}
