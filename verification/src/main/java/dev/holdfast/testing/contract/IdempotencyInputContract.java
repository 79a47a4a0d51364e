package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.InvalidArgumentException;
import dev.holdfast.idempotency.Fingerprint;
import dev.holdfast.idempotency.Idempotency;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IdempotencyRequest;
import dev.holdfast.idempotency.ReplyCodec;
import dev.holdfast.idempotency.ReplyCodecs;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.transaction.DatabaseException;
import dev.holdfast.transaction.SqlError;
import dev.holdfast.transaction.Transaction;
import dev.holdfast.transaction.TransactionStateException;
import dev.holdfast.transaction.Transactions;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Bad arguments, and bad places, are refused clearly, and nothing takes effect. */
public abstract class IdempotencyInputContract extends IdempotentExecutionTests {
  private static final ReplyCodec<String> TEXT = ReplyCodecs.text();

  protected IdempotencyInputContract(TestDatabase database) {
    super(database);
  }

  private static void assertRefused(String because, ThrowingCallable... calls) {
    for (ThrowingCallable call : calls) {
      assertThatThrownBy(call)
          .isInstanceOf(InvalidArgumentException.class)
          .hasMessageContaining(because);
    }
  }

  private static void assertNotAllowed(String because, ThrowingCallable... calls) {
    for (ThrowingCallable call : calls) {
      assertThatThrownBy(call)
          .isInstanceOf(TransactionStateException.class)
          .hasMessageContaining(because);
    }
  }

  @Test
  @SuppressWarnings("NullAway") // as a user without a checker may call it
  void nullsAreRefused() {
    assertRefused(
        "must not be null",
        () -> idempotency.execute(IdempotencyRequest.of(null, TEXT).fingerprint(PAYLOAD), never()),
        () ->
            idempotency.execute(
                IdempotencyRequest.of(KEY, TEXT).fingerprint((Fingerprint) null), never()),
        () ->
            idempotency.execute(
                IdempotencyRequest.of(KEY, (ReplyCodec<String>) null).fingerprint(PAYLOAD),
                never()),
        () -> idempotency.execute(IdempotencyRequest.of(KEY, TEXT).fingerprint(PAYLOAD), null),
        () ->
            idempotency.execute(
                null, IdempotencyRequest.of(KEY, TEXT).fingerprint(PAYLOAD), never()),
        () ->
            idempotency.begin(
                null, IdempotencyRequest.of(KEY, ReplyCodecs.bytes()).fingerprint(PAYLOAD)),
        () -> idempotency.find(null),
        () -> idempotency.delete(null),
        () -> with(o -> o.waitTimeout(null)),
        () -> with(o -> o.retention(null)),
        () -> with(o -> o.largeResultStore(null)),
        () -> with(o -> o.rejectOn(null)),
        () -> with((Transactions) null),
        () -> idempotency.cleaner(null));
    transactions.run(
        tx ->
            assertRefused(
                "must not be null",
                () ->
                    idempotency.execute(
                        tx, IdempotencyRequest.of(null, TEXT).fingerprint(PAYLOAD), never()),
                () ->
                    idempotency.execute(
                        tx,
                        IdempotencyRequest.of(KEY, TEXT).fingerprint((Fingerprint) null),
                        never()),
                () ->
                    idempotency.execute(
                        tx,
                        IdempotencyRequest.of(KEY, (ReplyCodec<String>) null).fingerprint(PAYLOAD),
                        never()),
                () ->
                    idempotency.execute(
                        tx, IdempotencyRequest.of(KEY, TEXT).fingerprint(PAYLOAD), null),
                () ->
                    idempotency.begin(
                        tx, IdempotencyRequest.of(null, ReplyCodecs.bytes()).fingerprint(PAYLOAD)),
                () ->
                    idempotency.begin(
                        tx,
                        IdempotencyRequest.of(KEY, ReplyCodecs.bytes())
                            .fingerprint((Fingerprint) null))));
    assertThat(records()).isZero();
  }

  @Test
  @SuppressWarnings("NullAway")
  void unwritableResultRollsBack() {
    ReplyCodec<String> broken =
        new ReplyCodec<>() {
          @Override
          public byte[] write(String reply) {
            return null;
          }

          @Override
          public String read(byte[] bytes) {
            throw new IllegalStateException("unreadable");
          }
        };
    assertRefused(
        "the bytes of a result must not be null",
        () ->
            idempotency.execute(
                IdempotencyRequest.of(KEY, broken).fingerprint(PAYLOAD), ordering("apple")));
    assertThatThrownBy(
            () ->
                idempotency.execute(
                    IdempotencyRequest.of(KEY, TEXT).fingerprint(PAYLOAD),
                    tx -> {
                      order(tx, "apple");
                      return null;
                    }))
        .isInstanceOf(RuntimeException.class);
    assertThat(orders() + records()).isZero();

    once(idempotency);
    assertThatThrownBy(
            () ->
                idempotency.execute(
                    IdempotencyRequest.of(KEY, broken).fingerprint(PAYLOAD), never()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("unreadable");
    assertThat(orders()).isEqualTo(1);
  }

  @Test
  void settingsOutOfRangeAreRefused() {
    assertRefused(
        "the wait timeout",
        () -> with(o -> o.waitTimeout(Duration.ofNanos(-1))),
        () -> with(o -> o.waitTimeout(Duration.ofMinutes(11))),
        () -> with(o -> o.waitTimeout(Duration.ofSeconds(Long.MAX_VALUE))));
    assertRefused(
        "retention",
        () -> with(o -> o.retention(Duration.ZERO)),
        () -> with(o -> o.retention(Duration.ofDays(3661))),
        () -> with(o -> o.retention(Duration.ofDays(365L * 8000))),
        () -> with(o -> o.retention(Duration.ofSeconds(Long.MIN_VALUE))));
    assertRefused(
        "the maximum size of a result",
        () -> with(o -> o.maxResultSize(0)),
        () -> with(o -> o.maxResultSize(Integer.MAX_VALUE)));
    assertRefused("clean-up", () -> idempotency.cleaner(Duration.ZERO));
  }

  @Test
  void acceptsMaxRetention() {
    once(with(o -> o.retention(Duration.ofDays(3660))));

    replayed(once(idempotency));
    assertThat(idempotency.deleteExpired()).isZero();
    var record = idempotency.find(KEY).orElseThrow();
    assertThat(Duration.between(record.startedAt(), record.expiresAt()))
        .isEqualTo(Duration.ofDays(3660));
  }

  @Test
  void acceptsMaxKeyLength() {
    for (String letter : List.of("x", "é", "☕", "😀")) {
      int longest = 200 / letter.length();
      IdempotencyKey key =
          new IdempotencyKey(
              letter.repeat(longest),
              letter.repeat(longest),
              letter.repeat(longest),
              letter.repeat(255 / letter.length()));
      String answer =
          executed(
              idempotency.execute(
                  IdempotencyRequest.of(key, TEXT).fingerprint(PAYLOAD), ordering("apple")));

      assertThat(
              replayed(
                  idempotency.execute(
                      IdempotencyRequest.of(key, TEXT).fingerprint(PAYLOAD), never())))
          .isEqualTo(answer);
      assertThat(idempotency.find(key).orElseThrow().key()).isEqualTo(key);
    }
  }

  @Test
  void transactionsThatCannotWriteAreRefused() throws Exception {
    assertNotAllowed(
        "is read-only",
        () -> transactions.readOnly().run(tx -> once(idempotency, tx)),
        () ->
            transactions
                .readOnly()
                .run(
                    tx ->
                        idempotency.begin(
                            tx,
                            IdempotencyRequest.of(KEY, ReplyCodecs.bytes()).fingerprint(PAYLOAD))),
        () -> once(with(transactions.readOnly())));
    try (Connection connection = schema.dataSource().getConnection()) {
      assertRefused("autocommit", () -> once(idempotency, Transaction.of(connection)));
      connection.setAutoCommit(false);
      Transaction tx = Transaction.of(connection);
      connection.setAutoCommit(true);
      assertNotAllowed("autocommit", () -> once(idempotency, tx));
    }
    Connection closed = schema.unpooled().getConnection();
    closed.setAutoCommit(false);
    Transaction over = Transaction.of(closed);
    closed.rollback();
    closed.close();
    assertRefused("closed", () -> Transaction.of(closed));
    assertThatThrownBy(() -> once(idempotency, over))
        .isInstanceOfSatisfying(
            DatabaseException.class,
            e -> assertThat(e.error()).isEqualTo(SqlError.CONNECTION_LOST));
    Transaction[] ended = new Transaction[1];
    transactions.run(tx -> ended[0] = tx);
    assertNotAllowed("the transaction has ended", () -> once(idempotency, ended[0]));
    assertThat(orders() + records()).isZero();
  }

  @Test
  void missingTablesAreNamedWithTheCure() {
    schema.execute("drop table holdfast_idempotency");

    assertMissing(idempotency);
  }

  @Test
  void namesMissingTablesAndCure() {
    assertMissing(Holdfast.builder(schema.dataSource()).schema("nowhere").build().idempotency());
  }

  private void assertMissing(Idempotency idempotency) {
    for (ThrowingCallable call :
        List.<ThrowingCallable>of(
            () -> once(idempotency),
            () -> transactions.run(tx -> once(idempotency, tx)),
            () -> idempotency.find(KEY),
            () -> idempotency.delete(KEY),
            idempotency::deleteExpired)) {
      assertThatThrownBy(call)
          .isInstanceOf(DatabaseException.class)
          .hasMessageContaining("migrate()");
    }
    assertThat(orders()).isZero();
  }

  @Test
  void failsFastIfDatabaseIsDown() {
    DataSource down =
        JdbcProxy.of(
            DataSource.class,
            (self, method, arguments) -> {
              throw FaultyDataSource.connectionLost();
            });
    assertThatThrownBy(
            () ->
                with(Transactions.on(down))
                    .execute(IdempotencyRequest.of(KEY, TEXT).fingerprint(PAYLOAD), never()))
        .isInstanceOfSatisfying(DatabaseException.class, e -> assertThat(e.isRetryable()).isTrue());
  }
}
