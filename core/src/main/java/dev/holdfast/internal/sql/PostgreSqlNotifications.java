package dev.holdfast.internal.sql;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a connection to PostgreSQL hears after {@code LISTEN}. The driver is spoken to by
 * reflection, so that Holdfast can be compiled and run without it.
 */
public final class PostgreSqlNotifications {
  private static final Logger LOG = LoggerFactory.getLogger(PostgreSqlNotifications.class);

  private PostgreSqlNotifications() {}

  /** What was heard, after waiting for it for a while. */
  public static List<String> receive(Connection connection, Duration wait) throws SQLException {
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

  /** Begins to hear what is sent to a channel. */
  public static void listen(Connection connection, String channel) throws SQLException {
    execute(connection, "LISTEN " + channel);
  }

  /**
   * Hears no more: the connection may be one of a pool, and go on with others, who never fetch what
   * it hears. One that is closed hears nothing anyway; a pool would complain of being asked.
   */
  public static void stop(Connection connection, String channel) {
    try {
      if (!connection.isClosed() && !connection.unwrap(Connection.class).isClosed()) {
        execute(connection, "UNLISTEN " + channel);
      }
    } catch (SQLException e) {
      LOG.debug("could not stop listening on a lost connection", e);
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
