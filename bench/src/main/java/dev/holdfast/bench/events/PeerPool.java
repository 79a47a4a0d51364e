package dev.holdfast.bench.events;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.testing.TestSchema;

/** A pool of connections to PostgreSQL that a peer does its best with. */
final class PeerPool {
  private PeerPool() {}

  /** All connections are opened at once; the driver makes one insert of a batch of inserts. */
  static HikariDataSource open(TestSchema schema, int connections) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(schema.url());
    config.setUsername(schema.user());
    config.setPassword(schema.password());
    config.setMaximumPoolSize(connections);
    config.addDataSourceProperty("reWriteBatchedInserts", "true");
    return new HikariDataSource(config);
  }
}
