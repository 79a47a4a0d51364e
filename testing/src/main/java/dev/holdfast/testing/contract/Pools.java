package dev.holdfast.testing.contract;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.testing.TestSchema;

/** Pools that are set up in another way than the one of a schema; whoever asks closes them. */
final class Pools {
  private Pools() {}

  /** A pool of one connection, so that each transaction meets what the one before has left. */
  static HikariDataSource ofOne(TestSchema schema, boolean autoCommit) {
    HikariConfig config = new HikariConfig();
    config.setDataSource(schema.unpooled());
    config.setAutoCommit(autoCommit);
    config.setMaximumPoolSize(1);
    return new HikariDataSource(config);
  }

  /** A pool of one connection that starts even if there is no server, and gives up soon. */
  static HikariDataSource of(String url, String user, String password) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setUsername(user);
    config.setPassword(password);
    config.setMaximumPoolSize(1);
    config.setInitializationFailTimeout(-1);
    config.setConnectionTimeout(250);
    return new HikariDataSource(config);
  }
}
