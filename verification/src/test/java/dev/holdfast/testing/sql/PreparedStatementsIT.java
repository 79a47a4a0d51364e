package dev.holdfast.testing.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import dev.holdfast.transaction.DatabaseException;
import dev.holdfast.transaction.SqlError;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A pooler in transaction mode that does not know prepared statements gives a connection of another
 * client: there a statement of that name is another one, or none. The error says what to set.
 */
class PreparedStatementsIT {
  private final TestSchema schema = TestDatabase.postgreSql().newSchema();

  @AfterEach
  void drop() {
    schema.close();
  }

  @Test
  void aStatementThatExistsAlready() {
    DatabaseException failure = failureOf("PREPARE p AS SELECT 1", "PREPARE p AS SELECT 2");

    assertThat(failure.error()).isEqualTo(SqlError.UNKNOWN);
    assertThat(failure.isRetryable()).as("it may be another's statement").isFalse();
    assertThat(failure)
        .hasMessageContainingAll("already exists", "PgBouncer", "prepareThreshold=0");
  }

  @Test
  void aStatementThatDoesNotExist() {
    DatabaseException failure = failureOf("EXECUTE p");

    assertThat(failure.error()).isEqualTo(SqlError.STALE_STATEMENT);
    assertThat(failure)
        .hasMessageContainingAll("does not exist", "PgBouncer", "prepareThreshold=0");
  }

  @Test
  void otherErrorsAreNotBlamedOnPooler() {
    assertThat(failureOf("SELECT nothing")).hasMessageNotContaining("PgBouncer");
  }

  private DatabaseException failureOf(String... statements) {
    SQLException failure =
        catchThrowableOfType(
            SQLException.class,
            () -> {
              try (Connection connection = schema.unpooled().getConnection();
                  Statement statement = connection.createStatement()) {
                for (String sql : statements) {
                  statement.execute(sql);
                }
              }
            });
    return new DatabaseException("claiming", failure);
  }
}
