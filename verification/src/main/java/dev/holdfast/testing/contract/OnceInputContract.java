package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.InvalidArgumentException;
import dev.holdfast.idempotency.Idempotency;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.ReplyCodec;
import dev.holdfast.idempotency.ReplyCodecs;
import dev.holdfast.sql.SqlError;
import dev.holdfast.sql.SqlFailedException;
import dev.holdfast.sql.Transaction;
import dev.holdfast.sql.Transactions;
import dev.holdfast.testing.TestDatabase;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Bad arguments, and bad places, are refused clearly, and nothing takes effect. */
public abstract class OnceInputContract extends OnceTests {
  private static final ReplyCodec<String> TEXT = ReplyCodecs.text();

  protected OnceInputContract(TestDatabase database) {
    super(database);
  }

  private static void assertRefused(String because, ThrowingCallable... calls) {
    for (ThrowingCallable call : calls) {
      assertThatThrownBy(call)
          .isInstanceOf(InvalidArgumentException.class)
          .hasMessageContaining(because);
    }
  }

  @Test
  @SuppressWarnings("NullAway") // as a user without a checker may call it
  void nullsAreRefused() {
    assertRefused(
        "must not be null",
        () -> idempotency.once(null, PAYLOAD, TEXT, never()),
        () -> idempotency.once(KEY, null, TEXT, never()),
        () -> idempotency.once(KEY, PAYLOAD, null, never()),
        () -> idempotency.once(KEY, PAYLOAD, TEXT, null),
        () -> idempotency.once(null, KEY, PAYLOAD, TEXT, never()),
        () -> idempotency.begin(null, KEY, PAYLOAD),
        () -> idempotency.find(null),
        () -> idempotency.forget(null),
        () -> idempotency.waiting(null),
        () -> idempotency.retention(null),
        () -> idempotency.vault(null),
        () -> idempotency.refusals(null),
        () -> idempotency.transactions(null),
        () -> idempotency.cleaner(null));
    transactions.run(
        tx ->
            assertRefused(
                "must not be null",
                () -> idempotency.once(tx, null, PAYLOAD, TEXT, never()),
                () -> idempotency.once(tx, KEY, null, TEXT, never()),
                () -> idempotency.once(tx, KEY, PAYLOAD, null, never()),
                () -> idempotency.once(tx, KEY, PAYLOAD, TEXT, null),
                () -> idempotency.begin(tx, null, PAYLOAD),
                () -> idempotency.begin(tx, KEY, null)));
    assertThat(records()).isZero();
  }

  @Test
  @SuppressWarnings("NullAway")
  void anAnswerThatCannotBeWrittenTakesNoEffect() {
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
        "the bytes of a reply must not be null",
        () -> idempotency.once(KEY, PAYLOAD, broken, ordering("apple")));
    assertThatThrownBy(
            () ->
                idempotency.once(
                    KEY,
                    PAYLOAD,
                    TEXT,
                    tx -> {
                      order(tx, "apple");
                      return null;
                    }))
        .isInstanceOf(RuntimeException.class);
    assertThat(orders() + records()).isZero();

    once(idempotency);
    assertThatThrownBy(() -> idempotency.once(KEY, PAYLOAD, broken, never()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("unreadable");
    assertThat(orders()).isEqualTo(1);
  }

  @Test
  void settingsOutOfRangeAreRefused() {
    assertRefused(
        "the wait of duplicates",
        () -> idempotency.waiting(Duration.ofNanos(-1)),
        () -> idempotency.waiting(Duration.ofMinutes(11)),
        () -> idempotency.waiting(Duration.ofSeconds(Long.MAX_VALUE)));
    assertRefused(
        "retention",
        () -> idempotency.retention(Duration.ZERO),
        () -> idempotency.retention(Duration.ofDays(3661)),
        () -> idempotency.retention(Duration.ofDays(365L * 8000)),
        () -> idempotency.retention(Duration.ofSeconds(Long.MIN_VALUE)));
    assertRefused(
        "the largest reply",
        () -> idempotency.largestReply(0),
        () -> idempotency.largestReply(Integer.MAX_VALUE));
    assertRefused("clean-up", () -> idempotency.cleaner(Duration.ZERO));
  }

  @Test
  void theLongestRetentionIsKept() {
    once(idempotency.retention(Duration.ofDays(3660)));

    replayed(once(idempotency));
    assertThat(idempotency.cleanUp()).isZero();
    var record = idempotency.find(KEY).orElseThrow();
    assertThat(Duration.between(record.startedAt(), record.keptUntil()))
        .isEqualTo(Duration.ofDays(3660));
  }

  @Test
  void theLongestPartsOfAKeyAreKept() {
    for (String letter : List.of("x", "é", "☕", "😀")) {
      int longest = 200 / letter.length();
      IdempotencyKey key =
          new IdempotencyKey(
              letter.repeat(longest),
              letter.repeat(longest),
              letter.repeat(longest),
              letter.repeat(255 / letter.length()));
      String answer = executed(idempotency.once(key, PAYLOAD, TEXT, ordering("apple")));

      assertThat(replayed(idempotency.once(key, PAYLOAD, TEXT, never()))).isEqualTo(answer);
      assertThat(idempotency.find(key).orElseThrow().key()).isEqualTo(key);
    }
  }

  @Test
  void transactionsThatCannotWriteAreRefused() throws Exception {
    assertRefused(
        "was read-only",
        () -> transactions.readOnly().run(tx -> once(idempotency, tx)),
        () -> transactions.readOnly().run(tx -> idempotency.begin(tx, KEY, PAYLOAD)),
        () -> once(idempotency.transactions(transactions.readOnly())));
    try (Connection connection = schema.dataSource().getConnection()) {
      assertRefused("autocommit", () -> once(idempotency, Transaction.on(connection)));
      connection.setAutoCommit(false);
      Transaction tx = Transaction.on(connection);
      connection.setAutoCommit(true);
      assertRefused("autocommit", () -> once(idempotency, tx));
    }
    Connection closed = schema.unpooled().getConnection();
    closed.setAutoCommit(false);
    Transaction over = Transaction.on(closed);
    closed.rollback();
    closed.close();
    assertRefused("closed", () -> Transaction.on(closed));
    assertThatThrownBy(() -> once(idempotency, over))
        .isInstanceOfSatisfying(
            SqlFailedException.class,
            e -> assertThat(e.error()).isEqualTo(SqlError.CONNECTION_LOST));
    Transaction[] ended = new Transaction[1];
    transactions.run(tx -> ended[0] = tx);
    assertRefused("the transaction is over", () -> once(idempotency, ended[0]));
    assertThat(orders() + records()).isZero();
  }

  @Test
  void missingTablesAreNamedWithTheCure() {
    schema.execute("drop table holdfast_idempotency");

    assertMissing(idempotency);
  }

  @Test
  void aSchemaWithoutTheTablesIsNamedWithTheCure() {
    assertMissing(Holdfast.builder(schema.dataSource()).schema("nowhere").build().idempotency());
  }

  private void assertMissing(Idempotency idempotency) {
    for (ThrowingCallable call :
        List.<ThrowingCallable>of(
            () -> once(idempotency),
            () -> transactions.run(tx -> once(idempotency, tx)),
            () -> idempotency.find(KEY),
            () -> idempotency.forget(KEY),
            idempotency::cleanUp)) {
      assertThatThrownBy(call)
          .isInstanceOf(SqlFailedException.class)
          .hasMessageContaining("migrate()");
    }
    assertThat(orders()).isZero();
  }

  @Test
  void aDatabaseThatIsDownIsToldAtOnceAndNothingIsRun() {
    DataSource down =
        JdbcProxy.of(
            DataSource.class,
            (self, method, arguments) -> {
              throw FaultyDataSource.connectionLost();
            });
    assertThatThrownBy(
            () -> idempotency.transactions(Transactions.on(down)).once(KEY, PAYLOAD, TEXT, never()))
        .isInstanceOfSatisfying(SqlFailedException.class, e -> assertThat(e.retryable()).isTrue());
  }
}
