package dev.holdfast.testing.cache;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.Holdfast;
import dev.holdfast.cache.CacheStore;
import dev.holdfast.testing.contract.CacheTestProcess;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import javax.sql.DataSource;

/** An instance with a shared cache in a database, as a process of its own. */
final class SqlCacheMain {
  private SqlCacheMain() {}

  public static void main(String[] args) throws IOException {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(args[0]);
    config.setUsername(args[1]);
    config.setPassword(args[2]);
    config.setMaximumPoolSize(8);
    try (HikariDataSource dataSource = new HikariDataSource(config)) {
      CacheTestProcess.run(
          Holdfast.create(dataSource).leases(),
          CacheStore.using(dataSource),
          key -> count(dataSource, key));
    }
  }

  private static int count(DataSource dataSource, String key) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        PreparedStatement insert =
            connection.prepareStatement("insert into loads (name) values (?)");
        PreparedStatement count =
            connection.prepareStatement("select count(*) from loads where name = ?")) {
      insert.setString(1, key);
      insert.executeUpdate();
      count.setString(1, key);
      try (var row = count.executeQuery()) {
        row.next();
        return row.getInt(1) - 1;
      }
    }
  }
}
