package dev.holdfast.event.internal;

import dev.holdfast.sql.internal.Notifications;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;

/** {@code LISTEN} and {@code NOTIFY}. */
final class PostgreSqlSignals implements Signals {
  private static final String CHANNEL = "holdfast_event";

  @Override
  public boolean exist() {
    return true;
  }

  @Override
  public void send(Connection connection, String text) throws SQLException {
    try (PreparedStatement notify = connection.prepareStatement("SELECT pg_notify(?, ?)")) {
      notify.setString(1, CHANNEL);
      notify.setString(2, text);
      notify.execute();
    }
  }

  @Override
  public void listen(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("LISTEN " + CHANNEL);
    }
  }

  @Override
  public void unlisten(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("UNLISTEN " + CHANNEL);
    }
  }

  @Override
  public List<String> receive(Connection connection, Duration wait) throws SQLException {
    return Notifications.receive(connection, wait);
  }
}
