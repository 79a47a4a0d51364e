package dev.holdfast.internal.sql;

import dev.holdfast.transaction.TransactionSettings;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Everything belongs to the session: read first and put back after. */
final class H2SessionSettings implements SessionSettings {
  @Override
  public Restore joined(Connection connection, TransactionSettings settings) throws SQLException {
    List<String> now = new ArrayList<>();
    List<String> before = new ArrayList<>();
    if (settings.lockTimeout() != null) {
      now.add("SET LOCK_TIMEOUT " + settings.lockTimeout().toMillis());
      before.add("SET LOCK_TIMEOUT " + SessionSettings.ask(connection, "SELECT LOCK_TIMEOUT()"));
    }
    if (settings.statementTimeout() != null) {
      now.add("SET QUERY_TIMEOUT " + settings.statementTimeout().toMillis());
      before.add("SET QUERY_TIMEOUT " + SessionSettings.ask(connection, QUERY_TIMEOUT));
    }
    SessionSettings.execute(connection, now);
    return () -> SessionSettings.execute(connection, before);
  }

  private static final String QUERY_TIMEOUT =
      """
      SELECT COALESCE(MAX(SETTING_VALUE), '0') FROM INFORMATION_SCHEMA.SETTINGS
       WHERE SETTING_NAME = 'QUERY_TIMEOUT'\
      """;
}
