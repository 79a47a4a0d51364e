package dev.holdfast.testing.sql;

import dev.holdfast.sql.SqlError;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.contract.ConnectionLossContract;
import dev.holdfast.testing.contract.JoinedTransactionContract;
import dev.holdfast.testing.contract.RetryingContract;
import dev.holdfast.testing.contract.SqlConflictsContract;
import dev.holdfast.testing.contract.SqlErrorsContract;
import dev.holdfast.testing.contract.TransactionSettingsContract;
import dev.holdfast.testing.contract.TransactionsContract;
import org.junit.jupiter.api.Nested;

/** The JDBC floor keeps its contracts on H2. */
class H2FloorIT {
  @Nested
  class Errors extends SqlErrorsContract {
    Errors() {
      super(TestDatabase.h2());
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
}
