package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.testing.TcpProxy;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.transaction.CommitUnknownException;
import dev.holdfast.transaction.SqlError;
import dev.holdfast.transaction.Transactions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What becomes of a transaction when the network between it and the server breaks. */
public abstract class NetworkLossContract extends ConnectionLossContract {
  protected NetworkLossContract(TestDatabase database) {
    super(database);
  }

  @Test
  void aSocketThatWasCutIsAConnectionLost() throws SQLException {
    try (TcpProxy proxy = TcpProxy.before(schema.url());
        Connection connection =
            DriverManager.getConnection(proxy.url(), schema.user(), schema.password());
        Statement statement = connection.createStatement()) {
      statement.execute("select 1");
      proxy.cut();
      assertError(SqlError.CONNECTION_LOST, "cut", refused(statement, "select 1"));
    }
  }

  @Test
  void lostStatementResponseIsConnectionLost() throws SQLException {
    try (TcpProxy proxy = TcpProxy.before(schema.url());
        Connection connection =
            DriverManager.getConnection(proxy.url(), schema.user(), schema.password());
        Statement statement = connection.createStatement()) {
      proxy.loseNextAnswer();
      assertError(SqlError.CONNECTION_LOST, "answer lost", refused(statement, "select 1"));
    }
  }

  @Test
  void aPoolThatFindsNoServerIsAConnectionLost() {
    try (HikariDataSource nowhere = Pools.of(urlOfNobody(), "nobody", "")) {
      assertError(
          SqlError.CONNECTION_LOST,
          "pool",
          catchThrowable(() -> Transactions.on(nowhere).run(tx -> {})));
    }
  }

  @Test
  void doesNotRetryUnknownCommit() throws SQLException {
    assertThat(rowsAfterUnknownCommit(TcpProxy::loseNextAnswer)).isEqualTo(1);
  }

  @Test
  void doesNotRetryCommitThatNeverArrived() throws SQLException {
    assertThat(rowsAfterUnknownCommit(TcpProxy::loseNextMessage)).isZero();
  }

  /** Does work that would take effect again with every attempt, and breaks its commit. */
  private long rowsAfterUnknownCommit(Consumer<TcpProxy> fault) throws SQLException {
    schema.execute("create table orders (attempt integer)");
    AtomicInteger runs = new AtomicInteger();
    try (TcpProxy proxy = TcpProxy.before(schema.url());
        HikariDataSource pool = Pools.of(proxy.url(), schema.user(), schema.password(), 1)) {
      Throwable failure =
          catchThrowable(
              () ->
                  Transactions.on(pool)
                      .retrying(5)
                      .alsoOn(anything -> true)
                      .run(
                          tx -> {
                            execute(tx.connection(), "insert into orders values (1)");
                            runs.incrementAndGet();
                            // the next message is the COMMIT
                            fault.accept(proxy);
                          }));

      assertThat(failure).isInstanceOf(CommitUnknownException.class);
      assertThat(runs).hasValue(1);
      Transactions.on(pool).run(tx -> assertThat(ask(tx.connection(), "select 1")).isEqualTo("1"));
    }
    return schema.count("select count(*) from orders");
  }
}
