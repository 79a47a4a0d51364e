package dev.holdfast.race.internal.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Locale;
import java.util.regex.Pattern;
import javax.sql.DataSource;

/** Finds out which database it is. */
public final class Databases {

  /** They speak PostgreSQL's protocol, or MySQL's, but lock in ways of their own. */
  private static final Pattern FORK =
      Pattern.compile(
          "cockroach|-YB-|greenplum|cloudberry|-TiDB-|redshift", Pattern.CASE_INSENSITIVE);

  private Databases() {}

  /**
   * Takes a connection, which it keeps until it is closed.
   *
   * @param dataSource the one under test, without gates; its pool needs this one connection more
   *     than the actors use
   */
  public static Database open(DataSource dataSource) throws SQLException {
    return open(dataSource.getConnection());
  }

  /** Keeps this connection until it is closed. */
  public static Database open(Connection control) throws SQLException {
    try {
      control.setAutoCommit(true);
      int usualLevel = control.getTransactionIsolation();
      control.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      return new ConnectedDatabase(control, engine(control), usualLevel);
    } catch (SQLException | RuntimeException e) {
      try (control) {
        throw e;
      }
    }
  }

  private static Engine engine(Connection control) throws SQLException {
    String product = control.getMetaData().getDatabaseProductName().toLowerCase(Locale.ROOT);
    return switch (product) {
      case "postgresql" -> {
        boolean fork = isFork(Query.text(control, "SELECT version()"));
        yield fork ? new OtherEngine(control) : new PostgreSqlEngine(control);
      }
      // each driver calls both servers by one name; only the server itself knows
      case "mariadb", "mysql" -> {
        String version = Query.text(control, "SELECT version()");
        yield isFork(version) ? new OtherEngine(control) : new MySqlEngine(control, version);
      }
      case "h2" -> new H2Engine(control);
      default -> new OtherEngine(control);
    };
  }

  private static boolean isFork(String version) {
    return FORK.matcher(version).find();
  }
}
