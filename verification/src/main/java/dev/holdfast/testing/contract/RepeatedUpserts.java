package dev.holdfast.testing.contract;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Answers upserts of leases as Galera does after it had to repeat one: with the row of the attempt
 * that was undone, in which the lease is granted, before the row that was committed.
 */
final class RepeatedUpserts {
  private static final int OWNER_PARAMETER = 4;

  private RepeatedUpserts() {}

  /**
   * @param repeated counts the statements that were answered in this way
   */
  static DataSource on(DataSource real, AtomicInteger repeated) {
    return JdbcProxy.of(
        DataSource.class,
        (self, method, arguments) -> {
          Object answer = JdbcProxy.pass(method, real, arguments);
          return answer instanceof Connection connection ? on(connection, repeated) : answer;
        });
  }

  private static Connection on(Connection real, AtomicInteger repeated) {
    return JdbcProxy.of(
        Connection.class,
        (self, method, arguments) -> {
          Object answer = JdbcProxy.pass(method, real, arguments);
          return answer instanceof PreparedStatement statement
                  && arguments != null
                  && isUpsert(String.valueOf(arguments[0]))
              ? on(statement, repeated)
              : answer;
        });
  }

  private static boolean isUpsert(String sql) {
    String upper = sql.toUpperCase(Locale.ROOT);
    return upper.contains("ON DUPLICATE KEY UPDATE") && upper.contains("RETURNING OWNER");
  }

  private static PreparedStatement on(PreparedStatement real, AtomicInteger repeated) {
    AtomicReference<byte @Nullable []> owner = new AtomicReference<>();
    return JdbcProxy.of(
        PreparedStatement.class,
        (self, method, arguments) -> {
          if (method.getName().equals("setBytes")
              && arguments != null
              && arguments[0].equals(OWNER_PARAMETER)) {
            owner.set((byte[]) arguments[1]);
          }
          Object answer = JdbcProxy.pass(method, real, arguments);
          if (answer instanceof ResultSet rows) {
            repeated.incrementAndGet();
            return undoneBefore(rows, owner);
          }
          return answer;
        });
  }

  private static ResultSet undoneBefore(ResultSet real, AtomicReference<byte @Nullable []> owner) {
    AtomicInteger row = new AtomicInteger();
    return JdbcProxy.of(
        ResultSet.class,
        (self, method, arguments) -> {
          if (method.getName().equals("next") && row.incrementAndGet() == 1) {
            return true;
          }
          if (row.get() != 1 || !method.getName().startsWith("get")) {
            return JdbcProxy.pass(method, real, arguments);
          }
          return method.getReturnType() == long.class ? 1L : owner.get();
        });
  }
}
