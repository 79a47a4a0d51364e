package dev.holdfast.testing.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.guard.ConditionalUpdate;
import dev.holdfast.guard.ConditionalUpdateResult;
import dev.holdfast.guard.RowLocks;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import dev.holdfast.transaction.DatabaseException;
import dev.holdfast.transaction.Transaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What guards ask of a session of MariaDB, and what they have done to it when they refuse. */
class MariaDbSessionsIT {
  private final TestSchema schema = TestDatabase.mariaDb().newSchema();

  @AfterEach
  void close() {
    schema.close();
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  @Test
  void refusesEverySessionThatIsNotStrict() throws SQLException {
    schema.execute(
        "create table stock (id bigint primary key, n tinyint)",
        "insert into stock values (1, 20)");
    ConditionalUpdate more = ConditionalUpdate.table("stock").where("id", 1).increase("n", 100);
    try (Connection strict = schema.unpooled().getConnection();
        Connection lax = schema.unpooled().getConnection()) {
      strict.setAutoCommit(false);
      assertThat(more.apply(Transaction.of(strict)))
          .isEqualTo(new ConditionalUpdateResult.Applied());
      strict.commit();
      execute(lax, "set session sql_mode = ''");
      lax.setAutoCommit(false);

      assertThatThrownBy(() -> more.apply(Transaction.of(lax)))
          .isInstanceOf(DatabaseException.class)
          .hasMessageContaining("STRICT_TRANS_TABLES");
    }
    assertThat(schema.count("select n from stock")).isEqualTo(120);
  }

  @Test
  void locksNothingIfATableHasNoIndex() throws SQLException {
    schema.execute(
        "create table a (id bigint primary key)",
        "create table b (id bigint)",
        "insert into a values (1)",
        "insert into b values (1)");
    try (Connection connection = schema.unpooled().getConnection()) {
      connection.setAutoCommit(false);
      Transaction tx = Transaction.of(connection);
      assertThatThrownBy(() -> RowLocks.of("a", List.of(1)).and("b", List.of(1)).lock(tx))
          .isInstanceOf(InvalidArgumentException.class)
          .hasMessageContainingAll("`b`", "index");
      // nobody has to wait for a row that is not locked
      schema.execute("set statement innodb_lock_wait_timeout = 1 for delete from a");
      connection.rollback();
    }
    assertThat(schema.count("select count(*) from a")).isZero();
  }
}
