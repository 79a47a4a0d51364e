package dev.holdfast.internal.event.store;

import dev.holdfast.internal.sql.PostgreSqlListener;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * Short messages between instances, beside the tables: only hints, which may be lost. Thread-safe.
 */
public enum NotificationSupport {
  /** Where there are none: everything is found by looking. */
  NONE,

  /** {@code LISTEN} and {@code NOTIFY}. */
  OF_POSTGRESQL;

  /** Where they are sent to. */
  public static final String CHANNEL = "holdfast_event";

  /** Whether this database has them. */
  public boolean exist() {
    return this == OF_POSTGRESQL;
  }

  /** Sends a text when the transaction of the connection commits. */
  public void send(Connection connection, String text) throws SQLException {
    if (exist()) {
      PostgreSqlListener.send(connection, CHANNEL, text);
    }
  }
}
