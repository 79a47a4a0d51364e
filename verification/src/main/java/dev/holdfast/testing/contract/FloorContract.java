package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.transaction.SqlError;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.EnumSet;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** What the contracts of the JDBC floor have in common: a small pool, and ways to hurt a server. */
public abstract class FloorContract extends DatabaseContract {
  private static final Set<SqlError> CURED_BY_A_FRESH_TRANSACTION =
      EnumSet.of(
          SqlError.SERIALIZATION_FAILURE,
          SqlError.DEADLOCK,
          SqlError.LOCK_TIMEOUT,
          SqlError.CONNECTION_LOST,
          SqlError.STALE_STATEMENT);

  /** How the server of this contract is asked. */
  final ServerProbe server;

  FloorContract(TestDatabase database) {
    super(database, schema -> schema.dataSource(2));
    this.server = ServerProbe.of(database);
  }

  protected static void execute(Connection connection, String sql) throws SQLException {
    Sql.execute(connection, sql);
  }

  protected static String ask(Connection connection, String query) throws SQLException {
    return Sql.ask(connection, query);
  }

  /** Runs what must fail, where it does not matter how. */
  static void mustFail(ThrowingCallable call) {
    assertThatThrownBy(call).isInstanceOf(Exception.class);
  }

  /** Waits until the server has ended the session with the number {@code session}. */
  protected final void awaitEnd(String session) throws SQLException {
    try (Connection beside = connect()) {
      server.awaitEnd(beside, session);
    }
  }

  /** Asserts what a failure is taken for, also whether it may be retried. */
  protected static void assertError(SqlError expected, Throwable failure) {
    assertError(expected, expected.name(), failure);
  }

  static void assertError(SqlError expected, String what, Throwable failure) {
    assertThat(SqlError.of(failure)).as("%s: %s", what, failure).isEqualTo(expected);
    assertThat(SqlError.isRetryable(failure))
        .as("whether %s is retried", expected)
        .isEqualTo(CURED_BY_A_FRESH_TRANSACTION.contains(expected));
  }

  /** The error of a statement that must fail. */
  static Throwable refused(Statement statement, String sql) {
    Throwable failure = catchThrowable(() -> statement.execute(sql));
    assertThat(failure).as(sql).isInstanceOf(SQLException.class);
    return failure;
  }

  /** A connection of its own, in autocommit mode. */
  protected final Connection connect() throws SQLException {
    return schema.unpooled().getConnection();
  }

  /** Ends the session of {@code victim} from the outside. */
  protected final void kill(Connection victim) throws SQLException {
    String session = Sql.ask(victim, server.session);
    try (Connection killer = connect()) {
      server.kill(killer, session);
    }
  }
}
