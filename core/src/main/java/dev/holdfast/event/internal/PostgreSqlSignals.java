package dev.holdfast.event.internal;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@code LISTEN} and {@code NOTIFY}. The driver is spoken to by reflection, so that Holdfast can be
 * compiled and run without it.
 */
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
    try {
      Class<?> driver =
          Class.forName(
              "org.postgresql.PGConnection",
              false,
              connection.unwrap(Connection.class).getClass().getClassLoader());
      Method receive = driver.getMethod("getNotifications", int.class);
      @Nullable Object received =
          receive.invoke(connection.unwrap(driver), (int) Math.max(1, wait.toMillis()));
      List<String> texts = new ArrayList<>();
      if (received instanceof Object[] notifications) {
        Method text =
            Class.forName("org.postgresql.PGNotification", false, driver.getClassLoader())
                .getMethod("getParameter");
        for (Object notification : notifications) {
          texts.add(String.valueOf(text.invoke(notification)));
        }
      }
      return texts;
    } catch (InvocationTargetException e) {
      throw e.getCause() instanceof SQLException failure ? failure : new SQLException(e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new SQLException("notifications need the driver org.postgresql:postgresql", e);
    }
  }
}
