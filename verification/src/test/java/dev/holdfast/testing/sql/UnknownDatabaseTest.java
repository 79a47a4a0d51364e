package dev.holdfast.testing.sql;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.transaction.DatabaseException;
import dev.holdfast.transaction.Transactions;
import org.hsqldb.jdbc.JDBCDataSource;
import org.junit.jupiter.api.Test;

class UnknownDatabaseTest {
  @Test
  void rejectsUnknownDatabase() {
    JDBCDataSource hsqldb = new JDBCDataSource();
    hsqldb.setUrl("jdbc:hsqldb:mem:unknown");

    assertThatThrownBy(() -> Transactions.on(hsqldb).run(tx -> {}))
        .isInstanceOf(DatabaseException.class)
        .hasMessageContainingAll("PostgreSQL 14+", "MariaDB 10.6+", "MySQL 8.0+", "H2 2.2+")
        .hasMessageContaining("this is HSQL Database Engine 2.7");
  }
}
