package dev.holdfast.testing;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;

class PostgreSqlDatabaseIT extends TestDatabaseContract {

  @Override
  TestDatabase database() {
    return TestDatabase.postgreSql();
  }

  @Override
  boolean exists(TestSchema dropped) {
    try (TestSchema other = database().newSchema()) {
      return other.count(
              "select count(*) from pg_namespace where nspname = '" + dropped.name() + "'")
          > 0;
    }
  }

  @Test
  void dropOfLockedSchemaIsBounded() throws SQLException {
    TestSchema schema = database().newSchema();
    schema.execute("create table orders (id bigint primary key)");
    try (Connection connection = schema.unpooled().getConnection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.executeQuery("select * from orders").close();

      assertThatThrownBy(schema::close)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("lock timeout");
    }
    schema.execute("drop schema " + schema.name() + " cascade");
  }
}
