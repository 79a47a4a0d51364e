package dev.holdfast.testing.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.contract.MigrationsContract;
import java.sql.SQLException;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Migrations keep their contracts on MariaDB. */
class MariaDbMigrationsIT {
  @Nested
  class OfHoldfast extends MigrationsContract {
    OfHoldfast() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class Steps extends MigrationStepsContract {
    Steps() {
      super(TestDatabase.mariaDb());
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
}
