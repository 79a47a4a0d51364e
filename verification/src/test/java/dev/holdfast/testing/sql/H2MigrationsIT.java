package dev.holdfast.testing.sql;

import static dev.holdfast.testing.sql.MigrationStepsContract.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.schema.SchemaException;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import dev.holdfast.testing.contract.MigrationsContract;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Migrations keep their contracts on H2. */
class H2MigrationsIT {
  @Nested
  class OfHoldfast extends MigrationsContract {
    OfHoldfast() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class Steps extends MigrationStepsContract {
    Steps() {
      super(TestDatabase.h2());
    }

    @Override
    void assertAfterFailure() {
      assertThat(ledger()).containsExactly("1", "2", "3");
      assertThat(schema.count("select count(*) from holdfast_half")).isZero();
    }

    @Test
    void refusesAPoolOfOne() {
      OneConnection.assertAPoolOfOneIsRefused(schema);
    }

    @Test
    void refusesOneSessionGivenTwice() throws SQLException {
      OneConnection.assertOneSessionGivenTwiceIsRefused(schema);
    }
  }

  @Test
  void saysThatTheUserMayNotCreateASchema() {
    try (TestSchema schema = TestDatabase.h2().newSchema()) {
      schema.execute("create user weak password 'secret'");
      // the settings of the URL are for administrators
      DataSource weak = Login.to(schema.url().replace(";DB_CLOSE_DELAY=-1", ""), "weak", "secret");
      assertRefused(
              SchemaException.Reason.CREATE_DENIED,
              Holdfast.builder(weak).schema("holdfast").build().migrations()::migrate)
          .hasMessageContainingAll("'HOLDFAST'", "rights", "administrator");
    }
  }
}
