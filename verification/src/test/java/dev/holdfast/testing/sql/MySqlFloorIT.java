package dev.holdfast.testing.sql;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.contract.BindingContract;
import dev.holdfast.testing.contract.JoinedTransactionContract;
import dev.holdfast.testing.contract.NetworkLossContract;
import dev.holdfast.testing.contract.RetryingContract;
import dev.holdfast.testing.contract.SqlConflictsContract;
import dev.holdfast.testing.contract.SqlErrorContract;
import dev.holdfast.testing.contract.TransactionSettingsContract;
import dev.holdfast.testing.contract.TransactionsContract;
import dev.holdfast.transaction.Isolation;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Nested;

/** The JDBC floor keeps its contracts on MySQL. */
class MySqlFloorIT {
  @Nested
  class Errors extends SqlErrorContract {
    Errors() {
      super(TestDatabase.mySql());
    }
  }

  @Nested
  class Conflicts extends SqlConflictsContract {
    Conflicts() {
      super(TestDatabase.mySql());
    }

    @Override
    protected List<Isolation> snapshotIsolations() {
      // REPEATABLE READ lets the update pass, SERIALIZABLE locks what it reads instead
      return List.of();
    }
  }

  @Nested
  class ConnectionLoss extends NetworkLossContract {
    ConnectionLoss() {
      super(TestDatabase.mySql());
    }

    @Override
    protected String urlOfNobody() {
      return "jdbc:mysql://127.0.0.1:1/none?permitMysqlScheme";
    }
  }

  @Nested
  class Own extends TransactionsContract {
    Own() {
      super(TestDatabase.mySql());
    }
  }

  @Nested
  class Settings extends TransactionSettingsContract {
    Settings() {
      super(TestDatabase.mySql());
    }
  }

  @Nested
  class Joined extends JoinedTransactionContract {
    Joined() {
      super(TestDatabase.mySql());
    }
  }

  @Nested
  class Retries extends RetryingContract {
    Retries() {
      super(TestDatabase.mySql());
    }
  }

  @Nested
  class Bindings extends BindingContract {
    Bindings() {
      super(TestDatabase.mySql());
    }

    @Override
    protected String momentType() {
      return "timestamp(6)";
    }

    @Override
    protected String textType() {
      return "longtext";
    }

    @Override
    protected String bytesType() {
      return "varbinary(100)";
    }

    @Override
    protected String setTimeZone(String offset) {
      return "set time_zone = '" + offset + "'";
    }

    @Override
    protected Instant moment(ResultSet row) throws SQLException {
      return row.getTimestamp(1).toInstant();
    }

    @Override
    protected List<String> moments() {
      // the driver writes and reads the clock of the JVM, on which the others may be ambiguous
      return ALL_MOMENTS.subList(0, 2);
    }
  }
}
