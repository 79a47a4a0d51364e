package dev.holdfast.race.internal.jdbc;

import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Removes a connection from its pool, if the pool has a method for that, as HikariCP has. Without
 * it, pools log a warning when a broken connection is closed.
 */
final class Eviction {
  private final DataSource pool;
  private final @Nullable Method evict;

  Eviction(DataSource pool) {
    this.pool = pool;
    this.evict = method(pool.getClass());
  }

  private static @Nullable Method method(Class<?> type) {
    try {
      return type.getMethod("evictConnection", Connection.class);
    } catch (NoSuchMethodException none) {
      return null;
    }
  }

  boolean isPossible() {
    return evict != null;
  }

  /** Whether it was dropped and closed. */
  boolean of(Connection connection) {
    if (evict == null) {
      return false;
    }
    try {
      evict.invoke(pool, connection);
    } catch (ReflectiveOperationException | RuntimeException notNow) {
      return false;
    }
    try {
      connection.close();
    } catch (SQLException | RuntimeException closedAlready) {
      // what the pool has given out for it is closed now, too
    }
    return true;
  }
}
