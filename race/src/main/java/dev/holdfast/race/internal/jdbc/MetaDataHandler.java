package dev.holdfast.race.internal.jdbc;

import dev.holdfast.race.internal.model.StepResult;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Metadata of the database: reading it is never a step. */
final class MetaDataHandler extends JdbcHandler {
  private final ActorConnection connection;
  private final Connection owner;

  private MetaDataHandler(ActorConnection connection, Connection owner, DatabaseMetaData real) {
    super(real);
    this.connection = connection;
    this.owner = owner;
  }

  static DatabaseMetaData proxy(
      ActorConnection connection, Connection owner, DatabaseMetaData real) {
    return proxy(DatabaseMetaData.class, new MetaDataHandler(connection, owner, real));
  }

  @Override
  @Nullable Object call(Object proxy, Method method, Object[] arguments) throws SQLException {
    connection.check();
    if (method.getName().equals("getConnection")) {
      return owner;
    }
    Object answer = pass(method, arguments);
    return answer instanceof ResultSet rows
        ? ResultSetHandler.proxy(
            connection, /* owner= */ null, rows, StepResult.query(), /* sql= */ "")
        : answer;
  }
}
