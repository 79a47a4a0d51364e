package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** What the contracts of the JDBC floor have in common: a small pool, and ways to hurt a server. */
abstract class FloorContract extends DatabaseContract {
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
