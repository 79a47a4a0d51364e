package dev.holdfast.race.internal.jdbc;

import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Has a pool drop a connection for good, where it has a method for that, as HikariCP has. Of one
 * that is just cut off pools write a warning when it is given back.
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
