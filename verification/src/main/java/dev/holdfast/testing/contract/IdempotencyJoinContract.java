package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.idempotency.Idempotency.DeleteResult;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IdempotencyRecord;
import dev.holdfast.idempotency.IdempotencyRequest;
import dev.holdfast.idempotency.IdempotencyResult;
import dev.holdfast.idempotency.IncompleteRecordException;
import dev.holdfast.idempotency.ReplyCodecs;
import dev.holdfast.idempotency.spi.BeginResult;
import dev.holdfast.idempotency.spi.OpenRequest;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.transaction.Transaction;
import dev.holdfast.transaction.TransactionRolledBackException;
import dev.holdfast.transaction.Transactions;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A request as a part of a transaction that somebody else begins and ends. */
public abstract class IdempotencyJoinContract extends IdempotentExecutionTests {
  protected IdempotencyJoinContract(TestDatabase database) {
    super(database);
  }

  private OpenRequest.InTransaction open(Transaction tx) {
    BeginResult<OpenRequest.InTransaction> begun =
        idempotency.begin(tx, IdempotencyRequest.of(KEY, ReplyCodecs.bytes()).fingerprint(PAYLOAD));
    assertThat(begun).isInstanceOf(BeginResult.Open.class);
    return ((BeginResult.Open<OpenRequest.InTransaction>) begun).request();
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void recordFollowsTransactionOfCaller() throws Exception {
    try (Connection connection = schema.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      executed(once(idempotency, Transaction.of(connection)));
      connection.rollback();
      assertThat(orders() + records()).isZero();

      String answer = executed(once(idempotency, Transaction.of(connection)));
      assertThat(records()).as("not committed yet").isZero();
      connection.commit();
      assertThat(replayed(once(idempotency, Transaction.of(connection)))).isEqualTo(answer);
      connection.rollback();
    }
    replayed(once(idempotency));
    assertThat(orders()).isEqualTo(1);
  }

  @Test
  void sameKeyInSameTransactionIsReplay() {
    transactions.run(
        tx -> {
          String answer = executed(once(idempotency, tx));
          assertThat(replayed(once(idempotency, tx))).isEqualTo(answer);
          assertThat(
                  idempotency.execute(
                      tx,
                      IdempotencyRequest.of(KEY, ReplyCodecs.text()).fingerprint(OTHER_PAYLOAD),
                      never()))
              .isInstanceOf(IdempotencyResult.KeyReused.class);
        });
    assertThat(orders()).isEqualTo(1);
  }

  @Test
  void lastResultCommitsWithLaterWork() {
    transactions.run(
        tx -> {
          open(tx).completeOnCommit(utf8("placed"));
          order(tx, "apple");
        });

    assertThat(orders()).isEqualTo(1);
    assertThat(replayed(once(idempotency))).isEqualTo("placed");
  }

  @Test
  void foreignTransactionStoresLastResultAtOnce() throws Exception {
    try (Connection connection = schema.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      open(Transaction.of(connection)).completeOnCommit(utf8("placed"));
      assertThat(replayed(once(idempotency, Transaction.of(connection)))).isEqualTo("placed");
      connection.commit();
    }
    assertThat(replayed(once(idempotency))).isEqualTo("placed");
  }

  @Test
  void commitsTwoLastResults() {
    IdempotencyKey other = IdempotencyKey.of("POST /orders", "k-2");
    transactions.run(
        tx -> {
          OpenRequest.InTransaction first = open(tx);
          BeginResult<OpenRequest.InTransaction> second =
              idempotency.begin(
                  tx, IdempotencyRequest.of(other, ReplyCodecs.bytes()).fingerprint(PAYLOAD));
          first.completeOnCommit(utf8("placed"));
          ((BeginResult.Open<OpenRequest.InTransaction>) second)
              .request()
              .completeOnCommit(utf8("placed too"));
        });

    assertThat(replayed(once(idempotency))).isEqualTo("placed");
    assertThat(
            replayed(
                idempotency.execute(
                    IdempotencyRequest.of(other, ReplyCodecs.text()).fingerprint(PAYLOAD),
                    never())))
        .isEqualTo("placed too");
  }

  @Test
  void missingRecordOfLastResultPreventsCommit() {
    assertThatThrownBy(
            () ->
                transactions.<SQLException>run(
                    tx -> {
                      OpenRequest.InTransaction record = open(tx);
                      order(tx, "apple");
                      try (Statement statement = tx.connection().createStatement()) {
                        statement.execute("delete from holdfast_idempotency");
                      }
                      record.completeOnCommit(utf8("placed"));
                    }))
        .isInstanceOf(IncompleteRecordException.class);

    assertThat(orders() + records()).isZero();
  }

  @Test
  void swallowedExceptionRollsBack() {
    assertThatThrownBy(
            () ->
                transactions.run(
                    tx -> {
                      order(tx, "pear");
                      assertThatThrownBy(
                              () ->
                                  idempotency.execute(
                                      tx,
                                      IdempotencyRequest.of(KEY, ReplyCodecs.text())
                                          .fingerprint(PAYLOAD),
                                      inner -> {
                                        throw new InProgressRequest.ChangedItsMind();
                                      }))
                          .isInstanceOf(InProgressRequest.ChangedItsMind.class);
                    }))
        .isInstanceOf(TransactionRolledBackException.class)
        .hasCauseInstanceOf(InProgressRequest.ChangedItsMind.class);
    assertThat(orders() + records()).isZero();
    executed(once(idempotency));
  }

  @Test
  void duplicateKeepsTransactionOfCaller() throws Exception {
    try (InProgressRequest<IdempotencyResult<String>> first = firstAtWork();
        InProgressRequest<IdempotencyResult<String>> second =
            InProgressRequest.waiting(
                () ->
                    transactions.call(
                        tx -> {
                          order(tx, "before");
                          IdempotencyResult<String> told = once(idempotency, tx);
                          order(tx, "after");
                          return told;
                        }))) {
      assertThat(executed(first.end())).isEqualTo(replayed(second.end()));
    }
    assertThat(schema.query("select item from orders order by item"))
        .extracting(row -> row.get("item"))
        .containsExactly("after", "apple", "before");
  }

  @Test
  void inProgressKeepsTransactionOfCaller() throws Exception {
    try (InProgressRequest<IdempotencyResult<String>> first = firstAtWork()) {
      transactions.run(
          tx -> {
            order(tx, "before");
            for (int i = 0; i < 3; i++) {
              assertThat(once(with(o -> o.waitTimeout(Duration.ZERO)), tx))
                  .isInstanceOf(IdempotencyResult.InProgress.class);
            }
            order(tx, "after");
          });
      first.end();
    }
    assertThat(orders()).isEqualTo(3);
  }

  private InProgressRequest<IdempotencyResult<String>> firstAtWork() throws InterruptedException {
    return InProgressRequest.held(
        work ->
            idempotency.execute(
                IdempotencyRequest.of(KEY, ReplyCodecs.text()).fingerprint(PAYLOAD),
                tx -> work.order(tx, "apple")));
  }

  @Test
  void reusedKeyKeepsTransactionOfCaller() {
    once(idempotency);

    transactions.run(
        tx -> {
          order(tx, "before");
          assertThat(
                  idempotency.execute(
                      tx,
                      IdempotencyRequest.of(KEY, ReplyCodecs.text()).fingerprint(OTHER_PAYLOAD),
                      never()))
              .isInstanceOf(IdempotencyResult.KeyReused.class);
          order(tx, "after");
        });
    assertThat(orders()).isEqualTo(3);
  }

  @Test
  void completesOpenedRecord() {
    transactions.run(
        tx -> {
          OpenRequest.InTransaction record = open(tx);
          assertThat(record.key()).isEqualTo(KEY);
          order(tx, "apple");
          byte[] reply = utf8("made");
          record.complete(reply);
          reply[0] = 'f';
        });

    assertThat(
            replayed(
                idempotency.execute(
                    IdempotencyRequest.of(KEY, ReplyCodecs.text()).fingerprint(PAYLOAD), never())))
        .isEqualTo("made");
    transactions.run(
        tx -> {
          assertThat(
                  idempotency.begin(
                      tx, IdempotencyRequest.of(KEY, ReplyCodecs.bytes()).fingerprint(PAYLOAD)))
              .isInstanceOfSatisfying(
                  BeginResult.Replayed.class,
                  replayed -> {
                    assertThat(replayed.result()).isEqualTo(utf8("made"));
                    assertThat(replayed.rejected()).isFalse();
                  });
          assertThat(
                  idempotency.begin(
                      tx,
                      IdempotencyRequest.of(KEY, ReplyCodecs.bytes()).fingerprint(OTHER_PAYLOAD)))
              .isInstanceOf(BeginResult.KeyReused.class);
        });
  }

  @Test
  void rejectionCommitsWithTransaction() {
    transactions.run(
        tx -> {
          OpenRequest.InTransaction record = open(tx);
          order(tx, "note");
          record.reject(utf8("no"));
        });

    assertThat(orders()).isEqualTo(1);
    transactions.run(
        tx ->
            assertThat(
                    idempotency.begin(
                        tx, IdempotencyRequest.of(KEY, ReplyCodecs.bytes()).fingerprint(PAYLOAD)))
                .isInstanceOfSatisfying(
                    BeginResult.Replayed.class,
                    replayed -> {
                      assertThat(replayed.result()).isEqualTo(utf8("no"));
                      assertThat(replayed.rejected()).isTrue();
                    }));
  }

  @Test
  void beginReportsInProgress() throws Exception {
    try (InProgressRequest<IdempotencyResult<String>> first = firstAtWork()) {
      transactions.run(
          tx ->
              assertThat(
                      with(o -> o.waitTimeout(Duration.ZERO))
                          .begin(
                              tx,
                              IdempotencyRequest.of(KEY, ReplyCodecs.bytes()).fingerprint(PAYLOAD)))
                  .isInstanceOf(BeginResult.InProgress.class));
      first.end();
    }
  }

  @Test
  void unansweredRecordIsNeverGuessed() {
    transactions.run(
        tx -> {
          open(tx);
          order(tx, "apple");
        });

    assertThatThrownBy(() -> once(idempotency))
        .isInstanceOf(IncompleteRecordException.class)
        .hasMessageContaining("without complete(…)")
        .hasMessageContaining("delete(…)");
    assertThatThrownBy(() -> transactions.run(tx -> once(idempotency, tx)))
        .isInstanceOf(IncompleteRecordException.class);
    assertThatThrownBy(() -> transactions.run(tx -> open(tx)))
        .isInstanceOf(IncompleteRecordException.class);
    assertThat(
            idempotency.execute(
                IdempotencyRequest.of(KEY, ReplyCodecs.text()).fingerprint(OTHER_PAYLOAD), never()))
        .isInstanceOf(IdempotencyResult.KeyReused.class);
    assertThat(idempotency.find(KEY).orElseThrow().status())
        .isEqualTo(IdempotencyRecord.Status.INTERRUPTED);
    assertThat(orders()).isEqualTo(1);

    assertThat(idempotency.delete(KEY)).isEqualTo(DeleteResult.DELETED);
    executed(once(idempotency));
  }

  @Test
  void anAnswerIsGivenOnce() {
    assertThatThrownBy(
            () ->
                transactions.run(
                    tx -> {
                      OpenRequest.InTransaction record = open(tx);
                      record.complete(utf8("a"));
                      assertThatThrownBy(() -> record.complete(utf8("b")))
                          .isInstanceOf(IncompleteRecordException.class);
                    }))
        .isInstanceOf(TransactionRolledBackException.class);
    assertThat(records()).isZero();
  }

  @Test
  void anAnswerAfterTheTransactionIsRefused() {
    OpenRequest.InTransaction[] kept = new OpenRequest.InTransaction[1];
    transactions.run(tx -> kept[0] = open(tx));

    assertThatThrownBy(() -> kept[0].complete(utf8("late")))
        .hasMessageContaining("the transaction has ended");
    assertThatThrownBy(() -> once(idempotency)).isInstanceOf(IncompleteRecordException.class);
  }

  @Test
  void rejectsResultOfRolledBackRecord() throws Exception {
    try (Connection connection = schema.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      OpenRequest.InTransaction record = open(Transaction.of(connection));
      connection.rollback();

      assertThatThrownBy(() -> record.complete(utf8("late")))
          .isInstanceOf(IncompleteRecordException.class);
      connection.rollback();
    }
    assertThat(records()).isZero();
  }

  @Test
  void waitEndsAtStatementTimeout() throws Exception {
    Transactions hasty = transactions.statementTimeout(Duration.ofMillis(500));
    try (InProgressRequest<IdempotencyResult<String>> first =
        InProgressRequest.held(
            work ->
                idempotency.execute(
                    IdempotencyRequest.of(KEY, ReplyCodecs.text()).fingerprint(PAYLOAD),
                    tx -> work.order(tx, "apple")))) {
      assertThat(once(with(hasty))).isInstanceOf(IdempotencyResult.InProgress.class);

      hasty.run(
          tx -> {
            order(tx, "pear");
            assertThat(once(idempotency, tx)).isInstanceOf(IdempotencyResult.InProgress.class);
          });

      executed(first.end());
    }
    assertThat(orders()).isEqualTo(2);
  }
}
