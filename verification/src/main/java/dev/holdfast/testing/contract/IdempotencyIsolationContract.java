package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.idempotency.Idempotency;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IdempotencyRequest;
import dev.holdfast.idempotency.IdempotencyResult;
import dev.holdfast.idempotency.ReplyCodecs;
import dev.holdfast.testing.ConcurrentActors;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.transaction.DatabaseException;
import dev.holdfast.transaction.Isolation;
import dev.holdfast.transaction.SqlError;
import dev.holdfast.transaction.Transaction;
import dev.holdfast.transaction.TransactionCallback;
import dev.holdfast.transaction.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Requests take effect once in every isolation, and leave a session as it was. */
public abstract class IdempotencyIsolationContract extends IdempotentExecutionTests {
  private static final List<Isolation> ALL =
      List.of(Isolation.READ_COMMITTED, Isolation.REPEATABLE_READ, Isolation.SERIALIZABLE);

  protected IdempotencyIsolationContract(TestDatabase database) {
    super(database);
  }

  private static IdempotencyKey key(Isolation isolation) {
    return IdempotencyKey.of("isolation", isolation.name());
  }

  private long orders(String item) {
    return schema.count("select count(*) from orders where item = '" + item + "'");
  }

  @Test
  void manyAtOnceInTransactionsOfTheirOwn() {
    for (Isolation isolation : ALL) {
      Idempotency in = with(transactions.isolation(isolation));
      List<IdempotencyResult<String>> told =
          ConcurrentActors.run(
                  16,
                  index ->
                      untilItCan(
                          () ->
                              in.execute(
                                  IdempotencyRequest.of(key(isolation), ReplyCodecs.text())
                                      .fingerprint(PAYLOAD),
                                  ordering(isolation.name()))))
              .resultsOrThrow();
      assertOne(isolation, told);
    }
  }

  @Test
  void replacesExpiredRecordInRequestedIsolation() throws Exception {
    for (Isolation isolation : ALL) {
      Idempotency in =
          with(transactions.isolation(isolation), o -> o.retention(Duration.ofMillis(1)));
      TransactionCallback<String, RuntimeException> asking =
          tx -> Transaction.of(tx.connection()).isolation().name();
      for (int i = 0; i < 2; i++) {
        assertThat(
                untilItCan(
                    () ->
                        in.execute(
                            IdempotencyRequest.of(key(isolation), ReplyCodecs.text())
                                .fingerprint(PAYLOAD),
                            asking)))
            .isEqualTo(new IdempotencyResult.Executed<>(isolation.name()));
        await("its time must be over", () -> idempotency.find(key(isolation)).isEmpty());
      }
    }
  }

  @Test
  void manyAtOnceInTransactionsThatTheyJoin() {
    for (Isolation isolation : ALL) {
      Transactions in = transactions.isolation(isolation);
      List<IdempotencyResult<String>> told =
          ConcurrentActors.run(
                  16,
                  index ->
                      untilItCan(
                          () ->
                              in.call(
                                  tx -> {
                                    // the snapshot may be older than the record of another
                                    Sql.number(tx.connection(), "select count(*) from orders");
                                    return idempotency.execute(
                                        tx,
                                        IdempotencyRequest.of(key(isolation), ReplyCodecs.text())
                                            .fingerprint(PAYLOAD),
                                        ordering(isolation.name()));
                                  })))
              .resultsOrThrow();
      assertOne(isolation, told);
    }
  }

  private interface Attempt<T> {
    T run() throws Exception;
  }

  /** As whoever asks again where a fresh transaction may cure it. */
  private static <T> T untilItCan(Attempt<T> attempt) throws Exception {
    for (int tries = 0; ; tries++) {
      try {
        return attempt.run();
      } catch (RuntimeException e) {
        if (tries == 200 || !SqlError.isRetryable(e)) {
          throw e;
        }
      }
    }
  }

  private void assertOne(Isolation isolation, List<IdempotencyResult<String>> told) {
    assertThat(told)
        .as("%s", isolation)
        .filteredOn(result -> result instanceof IdempotencyResult.Executed)
        .hasSize(1);
    assertThat(told)
        .extracting(IdempotencyResult::orElseThrow)
        .as("%s", isolation)
        .containsOnly(told.get(0).orElseThrow());
    assertThat(orders(isolation.name())).as("%s", isolation).isEqualTo(1);
  }

  @Test
  void staleSnapshotNeverRerunsWork() throws Exception {
    for (Isolation isolation : ALL) {
      if (isolation == Isolation.SERIALIZABLE && locksWhatItReads()) {
        continue; // then nobody else can write a record
      }
      try {
        transactions.isolation(isolation).run(tx -> assertReplayedBehind(tx, isolation));
      } catch (DatabaseException e) {
        assertThat(isolation).isNotEqualTo(Isolation.READ_COMMITTED);
        assertThat(e.isRetryable()).as("%s", e).isTrue();
      }
      assertThat(orders(isolation.name())).isEqualTo(1);
    }
  }

  private void assertReplayedBehind(Transaction tx, Isolation isolation) throws SQLException {
    Sql.number(tx.connection(), "select count(*) from holdfast_idempotency");
    String answer =
        idempotency
            .execute(
                IdempotencyRequest.of(key(isolation), ReplyCodecs.text()).fingerprint(PAYLOAD),
                ordering(isolation.name()))
            .orElseThrow();
    assertThat(
            idempotency
                .execute(
                    tx,
                    IdempotencyRequest.of(key(isolation), ReplyCodecs.text()).fingerprint(PAYLOAD),
                    never())
                .orElseThrow())
        .isEqualTo(answer);
  }

  private boolean locksWhatItReads() {
    return database().name().equals("MariaDB") || database().name().equals("MySQL");
  }

  @Test
  void theSessionIsAsBefore() throws Exception {
    ServerProbe server = ServerProbe.of(database());
    BarePool pool = new BarePool(schema.unpooled(), true);
    Idempotency bare = Holdfast.create(pool.dataSource()).idempotency();
    try (pool) {
      once(bare);
      try (Connection connection = pool.dataSource().getConnection()) {
        setLockTimeout(connection);
      }
      Map<String, @Nullable String> before = settings(pool, server);

      replayed(once(bare));
      executed(
          bare.execute(
              IdempotencyRequest.of(IdempotencyKey.of("another", "1"), ReplyCodecs.text())
                  .fingerprint(PAYLOAD),
              tx -> {
                assertThat(lockTimeout(tx.connection(), server)).isIn("7s", "7", "7000");
                return order(tx, "apple");
              }));
      assertThat(settings(pool, server)).isEqualTo(before);

      IdempotencyKey held = IdempotencyKey.of("held", "1");
      try (InProgressRequest<IdempotencyResult<String>> first =
          InProgressRequest.held(
              work ->
                  idempotency.execute(
                      IdempotencyRequest.of(held, ReplyCodecs.text()).fingerprint(PAYLOAD),
                      tx -> work.order(tx, "pear")))) {
        assertThat(
                bare.execute(
                    IdempotencyRequest.of(held, ReplyCodecs.text())
                        .fingerprint(PAYLOAD)
                        .waitTimeout(Duration.ZERO),
                    never()))
            .isInstanceOf(IdempotencyResult.InProgress.class);
        assertThat(settings(pool, server)).isEqualTo(before);
        Transactions.on(pool.dataSource())
            .run(
                tx -> {
                  assertThat(
                          bare.execute(
                              tx,
                              IdempotencyRequest.of(held, ReplyCodecs.text())
                                  .fingerprint(PAYLOAD)
                                  .waitTimeout(Duration.ZERO),
                              never()))
                      .isInstanceOf(IdempotencyResult.InProgress.class);
                  assertThat(lockTimeout(tx.connection(), server)).isIn("7s", "7", "7000");
                });
        assertThat(settings(pool, server)).isEqualTo(before);
        first.end();
      }
      bare.delete(held);
      bare.deleteExpired();
      assertThat(settings(pool, server)).isEqualTo(before);
    }
  }

  private static String lockTimeout(Connection connection, ServerProbe server) {
    try {
      return Sql.ask(connection, server.lockTimeout);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private void setLockTimeout(Connection connection) throws SQLException {
    switch (database().name()) {
      case "PostgreSQL" -> Sql.execute(connection, "set lock_timeout = 7000");
      case "H2" -> Sql.execute(connection, "set lock_timeout 7000");
      default -> Sql.execute(connection, "set session innodb_lock_wait_timeout = 7");
    }
  }

  private static Map<String, @Nullable String> settings(BarePool pool, ServerProbe server)
      throws SQLException {
    try (Connection connection = pool.dataSource().getConnection()) {
      return Sql.pairs(connection, server.settings);
    }
  }
}
