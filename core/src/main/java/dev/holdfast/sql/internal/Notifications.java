package dev.holdfast.sql.internal;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a connection to PostgreSQL hears after {@code LISTEN}. The driver is spoken to by
 * reflection, so that Holdfast can be compiled and run without it.
 */
public final class Notifications {
  private Notifications() {}

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
}
