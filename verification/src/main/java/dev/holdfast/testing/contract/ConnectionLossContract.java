package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.transaction.CommitUnknownException;
import dev.holdfast.transaction.SqlError;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Every way to lose a session, or to get none, is recognised as one. */
public abstract class ConnectionLossContract extends FloorContract {
  protected ConnectionLossContract(TestDatabase database) {
    super(database);
  }

  @Test
  void aSessionThatWasKilledIsAConnectionLost() throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      kill(connection);
      assertError(SqlError.CONNECTION_LOST, "first use", refused(statement, "select 1"));
      assertError(
          SqlError.CONNECTION_LOST,
          "further use",
          catchThrowable(() -> execute(connection, "select 1")));
    }
  }

  @Test
  void closedConnectionIsConnectionLost() throws SQLException {
    Connection connection = connect();
    connection.close();
    assertError(
        SqlError.CONNECTION_LOST, "closed", catchThrowable(() -> execute(connection, "select 1")));
  }

  @Test
  void rejectedConnectionIsConnectionLost() {
    assertError(
        SqlError.CONNECTION_LOST,
        "refused",
        catchThrowable(() -> DriverManager.getConnection(urlOfNobody(), "nobody", "")));
  }

  /** The URL of a server that does not run. */
  protected abstract String urlOfNobody();

  @Test
  void lostSessionBeforeCommitIsUnknown() {
    schema.execute("create table orders (id bigint primary key)");
    AtomicInteger runs = new AtomicInteger();

    Throwable failure =
        catchThrowable(
            () ->
                transactions
                    .retrying(5)
                    .alsoOn(anything -> true)
                    .run(
                        tx -> {
                          runs.incrementAndGet();
                          execute(tx.connection(), "insert into orders values (1)");
                          kill(tx.connection());
                        }));

    assertThat(failure).isInstanceOf(CommitUnknownException.class);
    assertThat(runs).hasValue(1);
    assertThat(schema.count("select count(*) from orders")).isZero();
  }
}
