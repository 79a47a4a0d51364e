package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.transaction.SqlError;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the classifier makes of statements that a real database refuses. */
public abstract class SqlErrorContract extends FloorContract {
  protected SqlErrorContract(TestDatabase database) {
    super(database);
  }

  @BeforeEach
  void createTables() {
    schema.execute(
        """
        create table parents (
          id bigint primary key,
          name varchar(20) not null unique,
          quantity integer check (quantity >= 0),
          price decimal(5, 2))
        """,
        """
        create table children (
          id bigint primary key,
          parent_id bigint not null,
          foreign key (parent_id) references parents (id))
        """,
        "insert into parents values (1, 'one', 1, 1), (2, 'two', 2, 2)",
        "insert into children values (1, 1)");
  }

  @Test
  void distinguishesConstraintViolations() throws SQLException {
    assertError(SqlError.UNIQUE_VIOLATION, "insert into parents values (1, 'new', 1, 1)");
    assertError(SqlError.UNIQUE_VIOLATION, "update parents set name = 'two' where id = 1");
    assertError(SqlError.FOREIGN_KEY_VIOLATION, "insert into children values (2, 99)");
    assertError(SqlError.FOREIGN_KEY_VIOLATION, "delete from parents where id = 1");
    assertError(SqlError.CHECK_VIOLATION, "update parents set quantity = -1 where id = 1");
    assertError(SqlError.NOT_NULL_VIOLATION, "update parents set name = null where id = 1");
    assertError(SqlError.NOT_NULL_VIOLATION, "insert into parents (id) values (3)");
  }

  @Test
  void whatDoesNotExistIsMissing() throws SQLException {
    assertError(SqlError.OBJECT_NOT_FOUND, "select * from no_such_table");
    assertError(SqlError.OBJECT_NOT_FOUND, "update no_such_table set a = 1");
    assertError(SqlError.OBJECT_NOT_FOUND, "select no_such_column from parents");
    assertError(SqlError.OBJECT_NOT_FOUND, "update parents set no_such_column = 1");
    assertError(SqlError.OBJECT_NOT_FOUND, "select * from no_such_schema.parents");
    assertError(SqlError.OBJECT_NOT_FOUND, "create table no_such_schema.tables (id bigint)");
  }

  @Test
  void aNumberThatDoesNotFitIsOutOfRange() throws SQLException {
    assertError(SqlError.OUT_OF_RANGE, "update parents set quantity = 3000000000");
    // H2 calls a decimal that is too great "too long", as it does with texts
    assertError(
        server == ServerProbe.H2 ? SqlError.UNKNOWN : SqlError.OUT_OF_RANGE,
        "update parents set price = 12345.67");
    assertError(SqlError.OUT_OF_RANGE, "update parents set id = 9223372036854775807 + id");
  }

  @Test
  void whatIsNotKnownIsNeverRetried() throws SQLException {
    assertError(SqlError.UNKNOWN, "selekt 1");
    assertError(SqlError.UNKNOWN, "create table parents (id bigint)");
    assertError(SqlError.UNKNOWN, "update parents set name = '" + "x".repeat(21) + "'");
  }

  @Test
  void findsErrorInsideBatch() throws SQLException {
    try (Connection connection = connect();
        PreparedStatement insert =
            connection.prepareStatement("insert into parents values (?, ?, 1, 1)")) {
      for (int id : new int[] {7, 8, 8, 9}) {
        insert.setLong(1, id);
        insert.setString(2, "name " + id);
        insert.addBatch();
      }
      BatchUpdateException failure =
          catchThrowableOfType(BatchUpdateException.class, insert::executeBatch);
      assertThat(SqlError.of(failure)).isEqualTo(SqlError.UNIQUE_VIOLATION);

      // an exception of the pool or the framework with the real one chained behind it
      SQLException chained = new SQLException("batch failed");
      chained.setNextException(failure);
      assertThat(SqlError.of(chained)).isEqualTo(SqlError.UNIQUE_VIOLATION);
    }
  }

  @Test
  void findsErrorInsideFrameworkException() throws SQLException {
    Throwable failure = refused("insert into parents values (1, 'new', 1, 1)");
    Throwable wrapped =
        new IllegalStateException(
            new ExecutionException(new RuntimeException("could not execute statement", failure)));
    assertThat(SqlError.of(wrapped)).isEqualTo(SqlError.UNIQUE_VIOLATION);
    assertThat(SqlError.isRetryable(wrapped)).isFalse();
  }

  /** Asserts what a statement that must fail is taken for, also whether it may be retried. */
  protected final void assertError(SqlError expected, String sql) throws SQLException {
    assertError(expected, sql, refused(sql));
  }

  private Throwable refused(String sql) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      return refused(statement, sql);
    }
  }
}
