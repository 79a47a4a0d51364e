package dev.holdfast.testing.sql;

import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.contract.BindingContract;
import dev.holdfast.testing.contract.ConnectionLossContract;
import dev.holdfast.testing.contract.JoinedTransactionContract;
import dev.holdfast.testing.contract.RetryingContract;
import dev.holdfast.testing.contract.SqlConflictsContract;
import dev.holdfast.testing.contract.SqlErrorContract;
import dev.holdfast.testing.contract.TransactionSettingsContract;
import dev.holdfast.testing.contract.TransactionsContract;
import dev.holdfast.transaction.SqlError;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The JDBC floor keeps its contracts on H2. */
class H2FloorIT {
  @Nested
  class Errors extends SqlErrorContract {
    Errors() {
      super(TestDatabase.h2());
    }

    @Test
    void writeToReadOnlyDatabaseIsReadOnly(@TempDir Path folder) throws SQLException {
      String url = "jdbc:h2:file:" + folder.resolve("orders");
      try (Connection writing = DriverManager.getConnection(url)) {
        execute(writing, "create table orders (id bigint)");
      }
      try (Connection reading = DriverManager.getConnection(url + ";ACCESS_MODE_DATA=r")) {
        assertError(
            SqlError.READ_ONLY,
            catchThrowable(() -> execute(reading, "insert into orders values (1)")));
      }
    }
  }

  @Nested
  class Conflicts extends SqlConflictsContract {
    Conflicts() {
      super(TestDatabase.h2());
    }

    @Override
    protected SqlError serializationFailure() {
      // it calls both by one name, and both are cured by a fresh transaction
      return SqlError.DEADLOCK;
    }
  }

  @Nested
  class ConnectionLoss extends ConnectionLossContract {
    ConnectionLoss() {
      super(TestDatabase.h2());
    }

    @Override
    protected String urlOfNobody() {
      return "jdbc:h2:tcp://127.0.0.1:1/none";
    }

    @Test
    void aDatabaseThatWasClosedIsAConnectionLost() throws SQLException {
      try (Connection connection = connect()) {
        schema.execute("shutdown");
        assertError(
            SqlError.CONNECTION_LOST, catchThrowable(() -> execute(connection, "select 1")));
      }
    }
  }

  @Nested
  class Own extends TransactionsContract {
    Own() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class Settings extends TransactionSettingsContract {
    Settings() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class Joined extends JoinedTransactionContract {
    Joined() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class Retries extends RetryingContract {
    Retries() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class Bindings extends BindingContract {
    Bindings() {
      super(TestDatabase.h2());
    }

    @Override
    protected String momentType() {
      return "timestamp(6) with time zone";
    }

    @Override
    protected String textType() {
      return "clob";
    }

    @Override
    protected String bytesType() {
      return "varbinary(100)";
    }

    @Override
    protected String setTimeZone(String offset) {
      return "set time zone '" + offset + "'";
    }

    @Test
    void textTakesTheTypeOfItsColumn() throws SQLException {
      assertComesBack("enum ('SMALL', 'LARGE')", Size.LARGE, row -> row.getString(1), "LARGE");
      assertComesBack("date", "2026-11-15", row -> row.getString(1), "2026-11-15");
    }
  }
}
