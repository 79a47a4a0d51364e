package dev.holdfast.testing.idempotency;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.Holdfast;
import dev.holdfast.idempotency.IdempotencyRequest;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import dev.holdfast.transaction.DatabaseException;
import dev.holdfast.workflow.Workflows;
import org.junit.jupiter.api.Test;

/** A driver that sends the statements of one text one by one. */
class PostgreSqlQueryModeIT {
  @Test
  void rejectsUnsupportedQueryMode() {
    try (TestSchema schema = TestDatabase.postgreSql().newSchema();
        HikariDataSource pool = new HikariDataSource()) {
      Holdfast.create(schema.dataSource()).migrations().migrate();
      pool.setJdbcUrl(schema.url() + "&preferQueryMode=simple");
      pool.setUsername(schema.user());
      pool.setPassword(schema.password());
      Workflows workflows = Holdfast.create(pool).workflows();

      assertThatThrownBy(
              () ->
                  workflows.run(
                      IdempotencyRequest.of("orders", "k", String.class), steps -> "answer"))
          .isInstanceOf(DatabaseException.class)
          .hasMessageContaining("preferQueryMode=simple");
    }
  }
}
