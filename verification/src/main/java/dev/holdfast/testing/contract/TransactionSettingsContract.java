package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.transaction.Isolation;
import dev.holdfast.transaction.SqlError;
import dev.holdfast.transaction.Transaction;
import dev.holdfast.transaction.TransactionStateException;
import dev.holdfast.transaction.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The settings of a transaction are really in force inside it and really gone after it, on a pool
 * whose connections come with autocommit on, and on one whose connections come with it off.
 */
public abstract class TransactionSettingsContract extends FloorContract {
  private static final String INSERT = "insert into orders values (1)";

  private List<BarePool> barePools = List.of();
  private List<DataSource> pools = List.of();

  protected TransactionSettingsContract(TestDatabase database) {
    super(database);
  }

  @BeforeEach
  void openPoolsOfOne() {
    schema.execute("create table orders (id bigint)");
    barePools =
        List.of(new BarePool(schema.unpooled(), true), new BarePool(schema.unpooled(), false));
    pools = barePools.stream().map(BarePool::dataSource).toList();
  }

  @AfterEach
  void closePools() throws SQLException {
    for (BarePool pool : barePools) {
      pool.close();
    }
  }

  @Test
  void theIsolationIsInForceInsideAndNotAfter() throws SQLException {
    for (DataSource pool : pools) {
      Isolation before = isolationInForce(Transactions.on(pool));
      for (Isolation isolation : EnumSet.range(Isolation.READ_COMMITTED, Isolation.SERIALIZABLE)) {
        Transactions isolated = Transactions.on(pool).isolation(isolation);

        assertThat(isolationInForce(isolated)).isEqualTo(isolation);
        assertThat(isolationInForce(Transactions.on(pool))).as("after").isEqualTo(before);

        isolated.run(tx -> {});
        assertThat(isolationInForce(Transactions.on(pool)))
            .as("after a transaction without statements")
            .isEqualTo(before);

        mustFail(() -> isolated.run(TransactionSettingsContract::fail));
        assertThat(isolationInForce(Transactions.on(pool))).as("after a failure").isEqualTo(before);
      }
    }
  }

  @Test
  void joinedTransactionSeesIsolation() {
    for (DataSource pool : pools) {
      for (Isolation isolation : EnumSet.range(Isolation.READ_COMMITTED, Isolation.SERIALIZABLE)) {
        Transactions.on(pool)
            .isolation(isolation)
            .run(
                tx -> {
                  assertThat(tx.isolation()).isEqualTo(isolation);
                  assertThat(Transaction.of(tx.connection()).isolation()).isEqualTo(isolation);
                });
      }
    }
  }

  @Test
  void firstTransactionHasItsSettings() throws SQLException {
    Transactions first = Transactions.on(pools.get(1));
    assertThat(isolationInForce(first.isolation(Isolation.SERIALIZABLE).readOnly()))
        .isEqualTo(Isolation.SERIALIZABLE);
  }

  private Isolation isolationInForce(Transactions asked) throws SQLException {
    try (Connection beside = connect()) {
      return asked.call(tx -> server.isolation(tx.connection(), beside));
    }
  }

  @Test
  void serverRejectsReadOnlyWrites() throws SQLException {
    for (DataSource pool : pools) {
      Transactions reading = Transactions.on(pool).readOnly();

      Throwable failure = catchThrowable(() -> reading.run(tx -> execute(tx.connection(), INSERT)));
      if (server == ServerProbe.H2) {
        // it has no transactions that only read: there, only the guards refuse
        assertThat(failure).isNull();
      } else {
        assertError(SqlError.READ_ONLY, "read-only", failure);
      }
      assertThatThrownBy(() -> reading.run(tx -> tx.requireWritable(() -> "an update")))
          .isInstanceOf(TransactionStateException.class)
          .hasMessageContaining("read-only");

      reading.run(tx -> assertThat(ask(tx.connection(), "select 1")).isEqualTo("1"));
      reading.run(tx -> {});
      reading
          .isolation(Isolation.SERIALIZABLE)
          .run(tx -> assertThat(ask(tx.connection(), "select 1")).isEqualTo("1"));
      Transactions.on(pool)
          .run(
              tx -> {
                tx.requireWritable(() -> "an update");
                execute(tx.connection(), INSERT);
              });
    }
  }

  @Test
  void restoresTimeoutsAfterTransaction() throws SQLException {
    for (DataSource pool : pools) {
      String before = Transactions.on(pool).call(this::timeLimits);

      String inside =
          Transactions.on(pool)
              .lockTimeout(Duration.ofSeconds(7))
              .statementTimeout(Duration.ofSeconds(8).plusMillis(250))
              .call(this::timeLimits);

      assertThat(inside).matches("7(000|s)?, 8(.2500*|250(ms)?)");
      assertThat(Transactions.on(pool).call(this::timeLimits)).isEqualTo(before);
    }
  }

  private String timeLimits(Transaction tx) throws SQLException {
    return ask(tx.connection(), server.lockTimeout)
        + ", "
        + ask(tx.connection(), server.statementTimeout);
  }

  @Test
  void nothingIsLeftChangedOnTheConnection() throws SQLException {
    for (DataSource pool : pools) {
      Transactions everything =
          Transactions.on(pool)
              .isolation(Isolation.SERIALIZABLE)
              .readOnly()
              .lockTimeout(Duration.ofSeconds(7))
              .statementTimeout(Duration.ofSeconds(8))
              .idleTimeout(Duration.ofSeconds(60))
              .networkTimeout(Duration.ofSeconds(90));
      Map<String, @Nullable String> before = settings(pool);
      assertThat(before).hasSizeGreaterThan(4);

      everything.run(tx -> ask(tx.connection(), "select count(*) from orders"));
      assertThat(settings(pool)).as("after success").isEqualTo(before);

      everything.run(tx -> {});
      assertThat(settings(pool)).as("after nothing").isEqualTo(before);

      mustFail(() -> everything.run(TransactionSettingsContract::fail));
      assertThat(settings(pool)).as("after failure").isEqualTo(before);

      mustFail(() -> everything.run(tx -> execute(tx.connection(), "selekt 1")));
      assertThat(settings(pool)).as("after a refused statement").isEqualTo(before);

      mustFail(
          () -> everything.run(tx -> tx.setRollbackOnly(new IllegalStateException("swallowed"))));
      assertThat(settings(pool)).as("after a swallowed failure").isEqualTo(before);
    }
  }

  /** Everything that the next user of a pooled connection finds there. */
  private Map<String, @Nullable String> settings(DataSource pool) throws SQLException {
    try (Connection connection = pool.getConnection()) {
      Map<String, @Nullable String> settings =
          new TreeMap<>(Sql.pairs(connection, server.settings));
      settings.put("its session", ask(connection, server.session));
      settings.put("its autocommit", String.valueOf(connection.getAutoCommit()));
      settings.put("its isolation", String.valueOf(connection.getTransactionIsolation()));
      settings.put("its read-only", String.valueOf(connection.isReadOnly()));
      settings.put("its network timeout", String.valueOf(connection.getNetworkTimeout()));
      return settings;
    }
  }

  @Test
  void idleTransactionIsEnded() throws SQLException {
    assumeThat(server).as("H2 has no idle timeout").isNotEqualTo(ServerProbe.H2);
    schema.execute(INSERT);
    Transactions idle = transactions.idleTimeout(Duration.ofSeconds(1));
    try (Connection beside = connect()) {
      assertThatThrownBy(
              () ->
                  idle.run(
                      tx -> {
                        execute(tx.connection(), "update orders set id = 2");
                        awaitEnd(ask(tx.connection(), server.session));
                        execute(beside, "update orders set id = 3");
                        execute(tx.connection(), "update orders set id = 4");
                      }))
          .isInstanceOf(SQLException.class);
      assertThat(ask(beside, "select id from orders")).isEqualTo("3");
    }
  }

  @Test
  void silentServerIsConnectionLost() throws SQLException {
    assumeThat(server).as("H2 has no network timeout").isNotEqualTo(ServerProbe.H2);
    Throwable failure =
        catchThrowable(
            () ->
                transactions
                    .networkTimeout(Duration.ofMillis(500))
                    .run(tx -> execute(tx.connection(), server.endless)));

    assertThat(SqlError.of(failure)).isEqualTo(SqlError.CONNECTION_LOST);
    assertThat(transactions.<String, SQLException>call(tx -> ask(tx.connection(), "select 1")))
        .isEqualTo("1");
  }

  @Test
  void keepsShorterNetworkTimeout() throws SQLException {
    for (DataSource pool : pools) {
      try (Connection connection = pool.getConnection()) {
        connection.setNetworkTimeout(Runnable::run, 70_000);
      }
      Transactions limited = Transactions.on(pool);
      int before = limited.<Integer, SQLException>call(tx -> tx.connection().getNetworkTimeout());
      assumeThat(before).as("H2 has no network timeout").isEqualTo(70_000);

      assertThat(
              limited
                  .networkTimeout(Duration.ofSeconds(80))
                  .<Integer, SQLException>call(tx -> tx.connection().getNetworkTimeout()))
          .isEqualTo(70_000);
      assertThat(
              limited
                  .networkTimeout(Duration.ofSeconds(60))
                  .<Integer, SQLException>call(tx -> tx.connection().getNetworkTimeout()))
          .isEqualTo(60_000);
      assertThat(limited.<Integer, SQLException>call(tx -> tx.connection().getNetworkTimeout()))
          .isEqualTo(70_000);
    }
  }

  private static void fail(Transaction tx) throws SQLException {
    ask(tx.connection(), "select count(*) from orders");
    throw new IllegalStateException("out of stock");
  }

  @Test
  void limitsThatMakeNoSenseAreRefused() {
    for (Duration limit : List.of(Duration.ZERO, Duration.ofNanos(999_999), Duration.ofDays(2))) {
      assertThatThrownBy(() -> transactions.lockTimeout(limit))
          .isInstanceOf(InvalidArgumentException.class)
          .hasMessageContaining("lockTimeout must be from PT0.001S to PT24H");
      assertThatThrownBy(() -> transactions.statementTimeout(limit))
          .isInstanceOf(InvalidArgumentException.class)
          .hasMessageContaining("statementTimeout must be from");
      assertThatThrownBy(() -> transactions.idleTimeout(limit))
          .isInstanceOf(InvalidArgumentException.class)
          .hasMessageContaining("idleTimeout must be from");
      assertThatThrownBy(() -> transactions.networkTimeout(limit))
          .isInstanceOf(InvalidArgumentException.class)
          .hasMessageContaining("networkTimeout must be from");
    }
    for (Duration limit : List.of(Duration.ofMillis(1), Duration.ofDays(1))) {
      transactions.lockTimeout(limit).statementTimeout(limit).run(tx -> {});
    }
  }
}
