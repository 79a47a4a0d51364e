package dev.holdfast.race.internal.jdbc;

import dev.holdfast.race.internal.database.Database;
import dev.holdfast.race.internal.model.Gate;
import dev.holdfast.transaction.Isolation;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The data source of one actor: on its connections, every round trip waits at the actor's gate.
 * Thread-safe; its connections are as thread-safe as the real ones.
 */
public final class ActorDataSource extends JdbcHandler {
  private final Gate gate;
  private final Eviction eviction;
  private final Database database;
  private final @Nullable Isolation isolation;
  private final boolean forced;

  private ActorDataSource(
      DataSource raw, Gate gate, Database database, @Nullable Isolation isolation, boolean forced) {
    super(raw);
    this.gate = gate;
    this.eviction = new Eviction(raw);
    this.database = database;
    this.isolation = isolation;
    this.forced = forced;
  }

  /**
   * A data source for one actor and one run.
   *
   * @param isolation the level its connections have; null for that of {@code raw}
   * @param forced whether the code's own wishes for a level are not heard
   */
  public static DataSource of(
      DataSource raw, Gate gate, Database database, @Nullable Isolation isolation, boolean forced) {
    return proxy(DataSource.class, new ActorDataSource(raw, gate, database, isolation, forced));
  }

  @Override
  @Nullable Object call(Object proxy, Method method, Object[] arguments) throws SQLException {
    return switch (method.getName()) {
      case "getConnection" -> {
        gate.check();
        yield connection(raw(method, arguments));
      }
      // would give connections that have no gates
      case "createConnectionBuilder" ->
          throw new SQLFeatureNotSupportedException("createConnectionBuilder");
      default -> pass(method, arguments);
    };
  }

  private Connection raw(Method method, Object[] arguments) throws SQLException {
    try {
      return (Connection) passed(method, arguments);
    } catch (SQLException none) {
      gate.notOpened(none);
      throw none;
    }
  }

  private Connection connection(Connection raw) throws SQLException {
    PreparedConnection taken = PreparedConnection.take(raw, eviction, database, isolation, forced);
    try {
      int number = gate.nextConnection();
      gate.opened(number, taken.session(), raw);
      boolean refusesAfterError = database.product().equals("PostgreSQL");
      return ConnectionHandler.proxy(new ActorConnection(taken, gate, number, refusesAfterError));
    } catch (RuntimeException | Error e) {
      taken.giveBack(/* byText= */ false);
      throw e;
    }
  }
}
