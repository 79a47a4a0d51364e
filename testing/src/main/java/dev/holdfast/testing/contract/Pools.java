package dev.holdfast.testing.contract;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;

/** Pools that are set up in another way than the one of a schema; whoever asks closes them. */
final class Pools {
  private Pools() {}

  /** A pool of one connection that starts even if there is no server, and gives up soon. */
  static HikariDataSource of(String url, String user, String password) {
    return of(url, user, password, 1);
  }

  /** As the other one, with up to so many connections. */
  static HikariDataSource of(String url, String user, String password, int size) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setUsername(user);
    config.setPassword(password);
    config.setMaximumPoolSize(size);
    config.setInitializationFailTimeout(-1);
    config.setConnectionTimeout(250);
    return new HikariDataSource(config);
  }
}
