package dev.holdfast.testing.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.testing.KillableDatabase;
import dev.holdfast.testing.TestSchema;
import dev.holdfast.transaction.SqlError;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A MariaDB server that is read-only, such as a replica, as a user without special rights sees it.
 */
class MariaDbReadOnlyIT {
  /** Rights count from then on; the connection that is open keeps all of them. */
  private static final List<String> WITH_RIGHTS =
      List.of(
          "flush privileges",
          "alter user root@localhost identified by ''",
          "create user clerk@localhost identified by 'secret'",
          "grant select, insert on *.* to clerk@localhost",
          "create table orders (id bigint primary key)");

  @Test
  void aWriteToAReadOnlyServerIsReadOnly() throws SQLException {
    try (KillableDatabase server = KillableDatabase.mariaDb();
        TestSchema schema = server.database().newSchema();
        Connection root = schema.unpooled().getConnection();
        Statement statement = root.createStatement()) {
      for (String sql : WITH_RIGHTS) {
        statement.execute(sql);
      }
      try (Connection clerk = DriverManager.getConnection(schema.url(), "clerk", "secret");
          Statement writing = clerk.createStatement()) {
        writing.execute("insert into orders values (1)");
        statement.execute("set global read_only = on");
        SQLException failure =
            catchThrowableOfType(
                SQLException.class, () -> writing.execute("insert into orders values (2)"));
        statement.execute("set global read_only = off");

        assertThat(failure.getErrorCode()).isEqualTo(1290);
        assertThat(SqlError.of(failure)).isEqualTo(SqlError.READ_ONLY);
        assertThat(SqlError.isRetryable(failure)).isFalse();
      }
    }
  }
}
