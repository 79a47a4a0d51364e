package dev.holdfast.race.internal.jdbc;

import dev.holdfast.race.internal.model.RunAborted;
import java.lang.reflect.Method;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/** The connection that the code has. */
final class ConnectionHandler extends JdbcHandler {
  private final ActorConnection connection;

  private ConnectionHandler(ActorConnection connection) {
    super(connection.taken().raw());
    this.connection = connection;
  }

  static Connection proxy(ActorConnection connection) {
    return proxy(Connection.class, new ConnectionHandler(connection));
  }

  @Override
  @Nullable Object call(Object proxy, Method method, Object[] arguments) throws SQLException {
    switch (method.getName()) {
      case "close" -> {
        connection.close();
        return null;
      }
      case "abort" -> {
        connection.abort();
        return null;
      }
      case "isClosed" -> {
        return connection.isGone() || connection.taken().raw().isClosed();
      }
      case "isValid" -> {
        return !connection.isGone() && Boolean.TRUE.equals(pass(method, arguments));
      }
      default -> {
        return checked((Connection) proxy, method, arguments);
      }
    }
  }

  private @Nullable Object checked(Connection proxy, Method method, Object[] arguments)
      throws SQLException {
    if (connection.isOver() && CleanUp.is(method)) {
      return CleanUp.answer(method);
    }
    try {
      connection.check();
      return use(proxy, method, arguments);
    } catch (RunAborted over) {
      if (method.getName().equals("rollback")) {
        // all is rolled back anyway
        return null;
      }
      throw over;
    }
  }

  private @Nullable Object use(Connection proxy, Method method, Object[] arguments)
      throws SQLException {
    switch (method.getName()) {
      case "createStatement" -> {
        Statement real = (Statement) passed(method, arguments);
        return StatementHandler.proxy(Statement.class, connection, proxy, real, "");
      }
      case "prepareStatement" -> {
        String sql = (String) arguments[0];
        PreparedStatement real = (PreparedStatement) passed(method, leveled(arguments));
        return StatementHandler.proxy(PreparedStatement.class, connection, proxy, real, sql);
      }
      case "prepareCall" -> {
        String sql = (String) arguments[0];
        CallableStatement real = (CallableStatement) passed(method, leveled(arguments));
        return StatementHandler.proxy(CallableStatement.class, connection, proxy, real, sql);
      }
      case "getMetaData" -> {
        return MetaDataHandler.proxy(
            connection, proxy, (DatabaseMetaData) passed(method, arguments));
      }
      case "getAutoCommit" -> {
        return connection.autoCommit();
      }
      case "setAutoCommit" -> connection.setAutoCommit((Boolean) arguments[0]);
      case "commit" -> connection.commit();
      case "rollback" -> rollBack(method, arguments);
      case "setTransactionIsolation" -> connection.setLevel((Integer) arguments[0]);
      default -> {
        return pass(method, arguments);
      }
    }
    return null;
  }

  private Object[] leveled(Object[] arguments) {
    Object[] changed = arguments.clone();
    changed[0] = connection.leveled((String) arguments[0]);
    return changed;
  }

  private void rollBack(Method method, Object[] arguments) throws SQLException {
    if (arguments.length == 0) {
      connection.rollBack();
    } else {
      connection.rollBackTo(name((Savepoint) arguments[0]), () -> pass(method, arguments));
    }
  }

  private static String name(Savepoint savepoint) {
    try {
      return savepoint.getSavepointName();
    } catch (SQLException e) {
      // it has a number only, which is another one in each run
      return "";
    }
  }
}
