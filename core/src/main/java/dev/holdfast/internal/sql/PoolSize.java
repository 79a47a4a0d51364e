package dev.holdfast.internal.sql;

import java.util.List;
import java.util.OptionalInt;
import javax.sql.DataSource;

/** How many connections a data source gives out at most, where it is a pool that tells. */
public final class PoolSize {
  /** As HikariCP, DBCP 2, and Tomcat's and others call it. */
  private static final List<String> NAMES =
      List.of("getMaximumPoolSize", "getMaxTotal", "getMaxActive", "getMaxPoolSize");

  private PoolSize() {}

  public static OptionalInt of(DataSource dataSource) {
    for (String name : NAMES) {
      try {
        Object answer = dataSource.getClass().getMethod(name).invoke(dataSource);
        if (answer instanceof Integer size && size > 0) {
          return OptionalInt.of(size);
        }
      } catch (ReflectiveOperationException | RuntimeException e) {
        // not this one
      }
    }
    return OptionalInt.empty();
  }
}
