package dev.holdfast.testing.contract;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;

/** Pools that are set up in another way than the one of a schema; whoever asks closes them. */
final class Pools {
  private Pools() {}

  /** A pool of one connection that starts even if there is no server, and gives up soon. */
  static HikariDataSource of(String url, String user, String password) {
    return of(url, user, password, 1, 250);
  }

  /** A pool of up to so many connections, which waits for them as long as a busy machine needs. */
  static HikariDataSource of(String url, String user, String password, int size) {
    return of(url, user, password, size, 20_000);
  }

  private static HikariDataSource of(
      String url, String user, String password, int size, long waitMillis) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setUsername(user);
    config.setPassword(password);
    config.setMaximumPoolSize(size);
    config.setInitializationFailTimeout(-1);
    config.setConnectionTimeout(waitMillis);
    return new HikariDataSource(config);
  }
}
