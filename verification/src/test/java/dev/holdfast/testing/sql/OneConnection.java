package dev.holdfast.testing.sql;

import static dev.holdfast.testing.sql.MigrationSets.BASE;
import static dev.holdfast.testing.sql.MigrationStepsContract.assertRefused;

import dev.holdfast.schema.SchemaException;
import dev.holdfast.schema.TestMigrations;
import dev.holdfast.testing.TestSchema;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/** What a migrator that needs two connections says when it gets one. */
final class OneConnection {
  private OneConnection() {}

  static void assertAPoolOfOneIsRefused(TestSchema schema) {
    assertRefused(
            SchemaException.Reason.POOL_TOO_SMALL,
            TestMigrations.on(schema.dataSource(1), BASE).waitTimeout(Duration.ofMillis(300))
                ::migrate)
        .hasMessageContainingAll("two connections", "2 connections or more");
  }

  static void assertOneSessionGivenTwiceIsRefused(TestSchema schema) throws SQLException {
    try (Connection only = schema.unpooled().getConnection()) {
      assertRefused(
              SchemaException.Reason.POOL_TOO_SMALL,
              TestMigrations.on(always(keptOpen(only)), BASE)::migrate)
          .hasMessageContainingAll("two connections", "one session");
    }
  }

  private static DataSource always(Connection connection) {
    return (DataSource)
        Proxy.newProxyInstance(
            OneConnection.class.getClassLoader(),
            new Class<?>[] {DataSource.class},
            (proxy, method, arguments) -> connection);
  }

  private static Connection keptOpen(Connection connection) {
    return (Connection)
        Proxy.newProxyInstance(
            OneConnection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) ->
                method.getName().equals("close") ? null : method.invoke(connection, arguments));
  }
}
