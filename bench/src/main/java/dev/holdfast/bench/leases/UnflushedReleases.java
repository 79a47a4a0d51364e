package dev.holdfast.bench.leases;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.testing.TestSchema;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.AbstractDataSource;

/**
 * Two pools for one peer: what it does while it releases runs on connections whose commits do not
 * wait for the disk, as Holdfast's releases do; everything else waits.
 */
final class UnflushedReleases extends AbstractDataSource implements AutoCloseable {
  private final DataSource flushed;
  private final HikariDataSource unflushed;
  private final ThreadLocal<Boolean> releasing = ThreadLocal.withInitial(() -> false);

  UnflushedReleases(TestSchema schema, DataSource flushed, int connections) {
    this.flushed = flushed;
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(schema.url());
    config.setUsername(schema.user());
    config.setPassword(schema.password());
    config.setMaximumPoolSize(connections);
    config.setConnectionInitSql("SET synchronous_commit = off");
    this.unflushed = new HikariDataSource(config);
  }

  /** Runs a release, which does not wait for the disk. */
  void release(Runnable release) {
    releasing.set(true);
    try {
      release.run();
    } finally {
      releasing.set(false);
    }
  }

  @Override
  public Connection getConnection() throws SQLException {
    return releasing.get() ? unflushed.getConnection() : flushed.getConnection();
  }

  @Override
  public Connection getConnection(String user, String password) throws SQLException {
    return getConnection();
  }

  @Override
  public void close() {
    unflushed.close();
  }
}
