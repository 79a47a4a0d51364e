package dev.holdfast.server;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.InvalidArgumentException;
import dev.holdfast.embedded.EmbeddedAddress;
import dev.holdfast.embedded.EmbeddedPostgreSql;
import dev.holdfast.transaction.DatabaseException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.Properties;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The database of a command: one that was given, or the embedded one. Closing it stops the embedded
 * one if it was started here.
 */
final class Database implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Database.class);
  private static final Duration CONNECT_LIMIT = Duration.ofSeconds(5);

  private final String url;
  private final String user;
  private final String password;
  private final @Nullable EmbeddedPostgreSql embedded;

  private Database(
      String url, String user, String password, @Nullable EmbeddedPostgreSql embedded) {
    this.url = url;
    this.user = user;
    this.password = password;
    this.embedded = embedded;
  }

  /** The one to serve from: an embedded one must be ours alone. */
  static Database start(DatabaseOptions options, Settings settings, Consumer<String> progress) {
    if (options.url != null) {
      Database given = given(options, options.url, settings);
      given.requireConnection();
      return given;
    }
    EmbeddedPostgreSql embedded =
        EmbeddedPostgreSql.start(options.data(), options.cache(), progress);
    return of(embedded.address(), embedded);
  }

  /** The one to do something in, also while a server has it. */
  static Database use(DatabaseOptions options, Settings settings, Consumer<String> progress) {
    if (options.url == null) {
      Optional<EmbeddedAddress> running = EmbeddedPostgreSql.running(options.data());
      if (running.isPresent()) {
        return of(running.get(), null);
      }
    }
    return start(options, settings, progress);
  }

  /** The one that a server has, or had: none is made. */
  static Database existing(DatabaseOptions options, Settings settings, Consumer<String> progress) {
    Path data = options.data().toAbsolutePath().normalize();
    if (options.url == null && !Files.isDirectory(data.resolve("postgresql"))) {
      throw new InvalidArgumentException(
          "there is no data of Holdfast in "
              + data
              + "; say --data FOLDER or --database-url as for serve");
    }
    return use(options, settings, progress);
  }

  private static Database given(DatabaseOptions options, String url, Settings settings) {
    if (!url.startsWith("jdbc:")) {
      throw new InvalidArgumentException(
          "--database-url must begin with jdbc:, such as jdbc:postgresql://db/holdfast, was '"
              + url.replaceFirst("://[^/]*@", "://…@")
              + "'");
    }
    String user = options.user == null ? "" : options.user;
    return new Database(url, user, options.password(settings), null);
  }

  private static Database of(EmbeddedAddress address, @Nullable EmbeddedPostgreSql embedded) {
    return new Database(address.url(), address.user(), address.password(), embedded);
  }

  private void requireConnection() {
    try {
      DriverManager.getDriver(url);
    } catch (SQLException none) {
      throw new InvalidArgumentException(
          "there is no driver for "
              + url.replaceFirst("[/?].*", "")
              + "…; --database-url must begin with jdbc:postgresql: or jdbc:mariadb:",
          none);
    }
    try (Connection connection = connect()) {
      connection.isValid(0);
    } catch (SQLException e) {
      throw new DatabaseException("connecting to " + url.replaceFirst("\\?.*", ""), e);
    }
  }

  /**
   * Starts an embedded one again whenever it ends; others are not ours.
   *
   * @param gaveUp is run where that does not succeed within the limit
   */
  Database supervised(Duration limit, Runnable gaveUp) {
    if (embedded != null) {
      embedded.supervise(limit, message -> LOG.warn("embedded-restart: {}", message), gaveUp);
    }
    return this;
  }

  /** For how long an embedded one is dead and could not be started again; else empty. */
  Optional<Duration> deadFor() {
    return embedded == null ? Optional.empty() : embedded.deadFor();
  }

  /** What people may read about it. */
  String described(DatabaseOptions options) {
    return options.url == null
        ? options.data().toAbsolutePath().normalize() + " (embedded PostgreSQL)"
        : url.replaceFirst("\\?.*", "");
  }

  /** A pool of connections, for one to close. */
  HikariDataSource pool(int connections) {
    HikariConfig config = new HikariConfig();
    config.setPoolName("holdfast");
    config.setJdbcUrl(url);
    if (!user.isEmpty()) {
      config.setUsername(user);
      config.setPassword(password);
    }
    config.setMaximumPoolSize(connections);
    config.setMinimumIdle(Math.min(connections, 4));
    config.setConnectionTimeout(CONNECT_LIMIT.toMillis());
    config.setInitializationFailTimeout(CONNECT_LIMIT.toMillis());
    return new HikariDataSource(config);
  }

  /** A connection beside the pool. */
  Connection connect() throws SQLException {
    Properties properties = new Properties();
    if (!user.isEmpty()) {
      properties.setProperty("user", user);
      properties.setProperty("password", password);
    }
    if (url.startsWith("jdbc:postgresql:")) {
      properties.setProperty("loginTimeout", Long.toString(CONNECT_LIMIT.toSeconds()));
      properties.setProperty("connectTimeout", Long.toString(CONNECT_LIMIT.toSeconds()));
    }
    return DriverManager.getConnection(url, properties);
  }

  @Override
  public void close() {
    if (embedded != null) {
      embedded.close();
    }
  }
}
