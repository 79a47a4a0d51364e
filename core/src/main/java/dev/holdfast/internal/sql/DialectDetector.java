package dev.holdfast.internal.sql;

import dev.holdfast.transaction.DatabaseException;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds out the dialect of a connection, once per JDBC URL. Not so for H2, where it costs nothing,
 * and the same URL in memory may be another database a moment later.
 */
public final class DialectDetector {
  private static final Pattern VERSION = Pattern.compile("(\\d+)(?:\\.(\\d+))?");

  /** What speaks the protocol of a database, and has its version, but not its row locks. */
  private static final Pattern FORK = Pattern.compile("-YB-|Greenplum|Cloudberry|-TiDB-");

  /** Tests make many short-lived URLs; a service has a handful. */
  private static final int MAX_CACHED = 1000;

  private static final Map<String, Dialect> BY_URL = new ConcurrentHashMap<>();

  /**
   * By physical connection: to tell its URL takes MariaDB's driver as long as a short statement.
   */
  private static final Map<Connection, Dialect> BY_CONNECTION =
      Collections.synchronizedMap(new WeakHashMap<>());

  private DialectDetector() {}

  static Dialect of(Connection connection) {
    Connection physical = physical(connection);
    Dialect known = BY_CONNECTION.get(physical);
    if (known == null) {
      known = byUrl(connection);
      requireStrict(connection, known);
      BY_CONNECTION.put(physical, known);
    }
    return known;
  }

  public static Connection physical(Connection connection) {
    try {
      return connection.unwrap(Connection.class);
    } catch (SQLException e) {
      // a proxy that hides what it stands for
      return connection;
    }
  }

  private static Dialect byUrl(Connection connection) {
    try {
      DatabaseMetaData metaData = connection.getMetaData();
      String url = metaData.getURL();
      Dialect known = url == null ? null : BY_URL.get(url);
      if (known != null) {
        return known;
      }
      Dialect detected = detect(connection, metaData);
      if (url != null && !(detected instanceof H2Dialect)) {
        if (BY_URL.size() >= MAX_CACHED) {
          BY_URL.clear();
        }
        BY_URL.put(url, detected);
      }
      return detected;
    } catch (SQLException e) {
      throw new DatabaseException("detecting the database", e);
    }
  }

  private static Dialect detect(Connection connection, DatabaseMetaData metaData)
      throws SQLException {
    String product = metaData.getDatabaseProductName();
    return switch (product.toLowerCase(Locale.ROOT)) {
      case "postgresql" -> postgreSql(SessionSettings.ask(connection, "SELECT version()"));
      // each driver calls both servers by one name; only the server itself knows
      case "mariadb", "mysql" -> mySql(SessionSettings.ask(connection, "SELECT version()"));
      case "h2" -> h2(metaData.getDatabaseProductVersion(), folding(metaData));
      default ->
          throw DatabaseException.unsupported(product + " " + metaData.getDatabaseProductVersion());
    };
  }

  /** {@code version()} tells PostgreSQL from CockroachDB, YugabyteDB and others that pose as it. */
  static Dialect postgreSql(String version) {
    String number = version.startsWith("PostgreSQL ") ? version.substring(11) : "";
    if (!atLeast(number, PostgreSqlDialect.OLDEST_MAJOR, 0) || FORK.matcher(version).find()) {
      throw DatabaseException.unsupported(version);
    }
    return new PostgreSqlDialect("PostgreSQL " + firstVersion(number));
  }

  static Dialect mySql(String version) {
    boolean mariaDb = version.toLowerCase(Locale.ROOT).contains("mariadb");
    // old servers put this in front, so that replicas of MySQL 5 accept them
    String number = version.startsWith("5.5.5-") ? version.substring(6) : version;
    String product = (mariaDb ? "MariaDB " : "MySQL ") + firstVersion(number);
    if (!atLeast(number, mariaDb ? 10 : 8, mariaDb ? 6 : 0) || FORK.matcher(version).find()) {
      throw DatabaseException.unsupported(product + " (" + version + ")");
    }
    return new MySqlDialect(product, mariaDb);
  }

  static Dialect h2(String version, SqlIdentifiers.Folding folding) {
    if (!atLeast(version, 2, 2)) {
      throw DatabaseException.unsupported("H2 " + version);
    }
    return new H2Dialect("H2 " + firstVersion(version), folding);
  }

  /** For each connection: pools of one URL may set up their sessions differently. */
  private static void requireStrict(Connection connection, Dialect dialect) {
    if (dialect instanceof MySqlDialect) {
      try {
        requireStrict(dialect, SessionSettings.ask(connection, "SELECT @@SESSION.sql_mode"));
      } catch (SQLException e) {
        throw new DatabaseException("reading the sql_mode", e);
      }
    }
  }

  /**
   * Otherwise an amount that does not fit is cut to the largest that does, and called a success.
   */
  static void requireStrict(Dialect dialect, String sqlMode) {
    if (!sqlMode.contains("STRICT_")) {
      throw DatabaseException.unsupported(
          dialect + " without STRICT_TRANS_TABLES in its sql_mode, which was '" + sqlMode + "'");
    }
  }

  private static SqlIdentifiers.Folding folding(DatabaseMetaData metaData) throws SQLException {
    if (metaData.storesUpperCaseIdentifiers()) {
      return SqlIdentifiers.Folding.UPPER;
    }
    return metaData.storesLowerCaseIdentifiers()
        ? SqlIdentifiers.Folding.LOWER
        : SqlIdentifiers.Folding.NONE;
  }

  private static boolean atLeast(String version, int major, int minor) {
    Matcher matcher = VERSION.matcher(version);
    if (!matcher.lookingAt()) {
      return false;
    }
    int actual = Integer.parseInt(matcher.group(1));
    int actualMinor = matcher.group(2) == null ? 0 : Integer.parseInt(matcher.group(2));
    return actual > major || (actual == major && actualMinor >= minor);
  }

  private static String firstVersion(String version) {
    Matcher matcher = VERSION.matcher(version);
    return matcher.lookingAt() ? matcher.group() : version;
  }
}
