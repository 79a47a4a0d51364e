package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.idempotency.Begun;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IdempotencyRecord;
import dev.holdfast.idempotency.IncompleteRecordException;
import dev.holdfast.idempotency.OnceResult;
import dev.holdfast.idempotency.OpenRecord;
import dev.holdfast.idempotency.ReplyCodecs;
import dev.holdfast.sql.RolledBackException;
import dev.holdfast.sql.Transaction;
import dev.holdfast.sql.Transactions;
import dev.holdfast.testing.TestDatabase;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A request as a part of a transaction that somebody else begins and ends. */
public abstract class OnceJoinedContract extends OnceTests {
  protected OnceJoinedContract(TestDatabase database) {
    super(database);
  }

  private OpenRecord open(Transaction tx) {
    Begun<OpenRecord> begun = idempotency.begin(tx, KEY, PAYLOAD);
    assertThat(begun).isInstanceOf(Begun.Open.class);
    return ((Begun.Open<OpenRecord>) begun).record();
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void theRecordCommitsAndVanishesWithTheTransactionOfTheCaller() throws Exception {
    try (Connection connection = schema.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      executed(once(idempotency, Transaction.on(connection)));
      connection.rollback();
      assertThat(orders() + records()).isZero();

      String answer = executed(once(idempotency, Transaction.on(connection)));
      assertThat(records()).as("not committed yet").isZero();
      connection.commit();
      assertThat(replayed(once(idempotency, Transaction.on(connection)))).isEqualTo(answer);
      connection.rollback();
    }
    replayed(once(idempotency));
    assertThat(orders()).isEqualTo(1);
  }

  @Test
  void theSameKeyAgainInTheSameTransactionIsAReplay() {
    transactions.run(
        tx -> {
          String answer = executed(once(idempotency, tx));
          assertThat(replayed(once(idempotency, tx))).isEqualTo(answer);
          assertThat(idempotency.once(tx, KEY, OTHER_PAYLOAD, ReplyCodecs.text(), never()))
              .isInstanceOf(OnceResult.Mismatch.class);
        });
    assertThat(orders()).isEqualTo(1);
  }

  @Test
  void anAnswerThatIsWrittenLastIsCommittedWithWhatComesAfterIt() {
    transactions.run(
        tx -> {
          open(tx).completeLast(utf8("placed"));
          order(tx, "apple");
        });

    assertThat(orders()).isEqualTo(1);
    assertThat(replayed(once(idempotency))).isEqualTo("placed");
  }

  @Test
  void inATransactionOfSomebodyElseTheLastAnswerIsWrittenAtOnce() throws Exception {
    try (Connection connection = schema.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      open(Transaction.on(connection)).completeLast(utf8("placed"));
      assertThat(replayed(once(idempotency, Transaction.on(connection)))).isEqualTo("placed");
      connection.commit();
    }
    assertThat(replayed(once(idempotency))).isEqualTo("placed");
  }

  @Test
  void twoAnswersThatAreWrittenLastAreBothCommitted() {
    IdempotencyKey other = IdempotencyKey.of("POST /orders", "k-2");
    transactions.run(
        tx -> {
          OpenRecord first = open(tx);
          Begun<OpenRecord> second = idempotency.begin(tx, other, PAYLOAD);
          first.completeLast(utf8("placed"));
          ((Begun.Open<OpenRecord>) second).record().completeLast(utf8("placed too"));
        });

    assertThat(replayed(once(idempotency))).isEqualTo("placed");
    assertThat(replayed(idempotency.once(other, PAYLOAD, ReplyCodecs.text(), never())))
        .isEqualTo("placed too");
  }

  @Test
  void nothingIsCommittedWhereTheRecordOfALastAnswerIsGone() {
    assertThatThrownBy(
            () ->
                transactions.<SQLException>run(
                    tx -> {
                      OpenRecord record = open(tx);
                      order(tx, "apple");
                      try (Statement statement = tx.connection().createStatement()) {
                        statement.execute("delete from holdfast_idempotency");
                      }
                      record.completeLast(utf8("placed"));
                    }))
        .isInstanceOf(IncompleteRecordException.class);

    assertThat(orders() + records()).isZero();
  }

  @Test
  void whatWorkThrowsRollsBackTheTransactionEvenWhereItIsSwallowed() {
    assertThatThrownBy(
            () ->
                transactions.run(
                    tx -> {
                      order(tx, "pear");
                      assertThatThrownBy(
                              () ->
                                  idempotency.once(
                                      tx,
                                      KEY,
                                      PAYLOAD,
                                      ReplyCodecs.text(),
                                      inner -> {
                                        throw new AtWork.ChangedItsMind();
                                      }))
                          .isInstanceOf(AtWork.ChangedItsMind.class);
                    }))
        .isInstanceOf(RolledBackException.class)
        .hasCauseInstanceOf(AtWork.ChangedItsMind.class);
    assertThat(orders() + records()).isZero();
    executed(once(idempotency));
  }

  @Test
  void aDuplicateWaitsAndTheTransactionOfTheCallerGoesOn() throws Exception {
    try (AtWork<OnceResult<String>> first = firstAtWork();
        AtWork<OnceResult<String>> second =
            AtWork.waiting(
                () ->
                    transactions.call(
                        tx -> {
                          order(tx, "before");
                          OnceResult<String> told = once(idempotency, tx);
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
  void aDuplicateThatIsToldOfOneAtWorkDoesNotLoseTheTransactionOfTheCaller() throws Exception {
    try (AtWork<OnceResult<String>> first = firstAtWork()) {
      transactions.run(
          tx -> {
            order(tx, "before");
            for (int i = 0; i < 3; i++) {
              assertThat(once(idempotency.waiting(Duration.ZERO), tx))
                  .isInstanceOf(OnceResult.InProgress.class);
            }
            order(tx, "after");
          });
      first.end();
    }
    assertThat(orders()).isEqualTo(3);
  }

  private AtWork<OnceResult<String>> firstAtWork() throws InterruptedException {
    return AtWork.held(
        work -> idempotency.once(KEY, PAYLOAD, ReplyCodecs.text(), tx -> work.order(tx, "apple")));
  }

  @Test
  void aMismatchDoesNotLoseTheTransactionOfTheCaller() {
    once(idempotency);

    transactions.run(
        tx -> {
          order(tx, "before");
          assertThat(idempotency.once(tx, KEY, OTHER_PAYLOAD, ReplyCodecs.text(), never()))
              .isInstanceOf(OnceResult.Mismatch.class);
          order(tx, "after");
        });
    assertThat(orders()).isEqualTo(3);
  }

  @Test
  void aRecordThatIsBegunIsAnsweredByHand() {
    transactions.run(
        tx -> {
          OpenRecord record = open(tx);
          assertThat(record.key()).isEqualTo(KEY);
          order(tx, "apple");
          byte[] reply = utf8("made");
          record.complete(reply);
          reply[0] = 'f';
        });

    assertThat(replayed(idempotency.once(KEY, PAYLOAD, ReplyCodecs.text(), never())))
        .isEqualTo("made");
    transactions.run(
        tx -> {
          assertThat(idempotency.begin(tx, KEY, PAYLOAD))
              .isInstanceOfSatisfying(
                  Begun.Replayed.class,
                  replayed -> {
                    assertThat(replayed.reply()).isEqualTo(utf8("made"));
                    assertThat(replayed.refused()).isFalse();
                  });
          assertThat(idempotency.begin(tx, KEY, OTHER_PAYLOAD)).isInstanceOf(Begun.Mismatch.class);
        });
  }

  @Test
  void aRefusalByHandIsCommittedWithTheTransaction() {
    transactions.run(
        tx -> {
          OpenRecord record = open(tx);
          order(tx, "note");
          record.refuse(utf8("no"));
        });

    assertThat(orders()).isEqualTo(1);
    transactions.run(
        tx ->
            assertThat(idempotency.begin(tx, KEY, PAYLOAD))
                .isInstanceOfSatisfying(
                    Begun.Replayed.class,
                    replayed -> {
                      assertThat(replayed.reply()).isEqualTo(utf8("no"));
                      assertThat(replayed.refused()).isTrue();
                    }));
  }

  @Test
  void oneThatIsAtWorkIsToldToWhoeverBegins() throws Exception {
    try (AtWork<OnceResult<String>> first = firstAtWork()) {
      transactions.run(
          tx ->
              assertThat(idempotency.waiting(Duration.ZERO).begin(tx, KEY, PAYLOAD))
                  .isInstanceOf(Begun.InProgress.class));
      first.end();
    }
  }

  @Test
  void aRecordThatWasCommittedWithoutAnAnswerIsNeverGuessed() {
    transactions.run(
        tx -> {
          open(tx);
          order(tx, "apple");
        });

    assertThatThrownBy(() -> once(idempotency))
        .isInstanceOf(IncompleteRecordException.class)
        .hasMessageContaining("without complete(…)")
        .hasMessageContaining("forget(…)");
    assertThatThrownBy(() -> transactions.run(tx -> once(idempotency, tx)))
        .isInstanceOf(IncompleteRecordException.class);
    assertThatThrownBy(() -> transactions.run(tx -> open(tx)))
        .isInstanceOf(IncompleteRecordException.class);
    assertThat(idempotency.once(KEY, OTHER_PAYLOAD, ReplyCodecs.text(), never()))
        .isInstanceOf(OnceResult.Mismatch.class);
    assertThat(idempotency.find(KEY).orElseThrow().status())
        .isEqualTo(IdempotencyRecord.Status.ABANDONED);
    assertThat(orders()).isEqualTo(1);

    assertThat(idempotency.forget(KEY)).isTrue();
    executed(once(idempotency));
  }

  @Test
  void anAnswerIsGivenOnce() {
    assertThatThrownBy(
            () ->
                transactions.run(
                    tx -> {
                      OpenRecord record = open(tx);
                      record.complete(utf8("a"));
                      assertThatThrownBy(() -> record.complete(utf8("b")))
                          .isInstanceOf(IncompleteRecordException.class);
                    }))
        .isInstanceOf(RolledBackException.class);
    assertThat(records()).isZero();
  }

  @Test
  void anAnswerAfterTheTransactionIsRefused() {
    OpenRecord[] kept = new OpenRecord[1];
    transactions.run(tx -> kept[0] = open(tx));

    assertThatThrownBy(() -> kept[0].complete(utf8("late")))
        .hasMessageContaining("the transaction is over");
    assertThatThrownBy(() -> once(idempotency)).isInstanceOf(IncompleteRecordException.class);
  }

  @Test
  void anAnswerToARecordThatWasRolledBackIsRefused() throws Exception {
    try (Connection connection = schema.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      OpenRecord record = open(Transaction.on(connection));
      connection.rollback();

      assertThatThrownBy(() -> record.complete(utf8("late")))
          .isInstanceOf(IncompleteRecordException.class);
      connection.rollback();
    }
    assertThat(records()).isZero();
  }

  @Test
  void whoWaitsLongerThanAStatementMayIsToldAndItsTransactionGoesOn() throws Exception {
    Transactions hasty = transactions.statementTimeout(Duration.ofMillis(500));
    try (AtWork<OnceResult<String>> first =
        AtWork.held(
            work ->
                idempotency.once(
                    KEY, PAYLOAD, ReplyCodecs.text(), tx -> work.order(tx, "apple")))) {
      assertThat(once(idempotency.transactions(hasty))).isInstanceOf(OnceResult.InProgress.class);

      hasty.run(
          tx -> {
            order(tx, "pear");
            assertThat(once(idempotency, tx)).isInstanceOf(OnceResult.InProgress.class);
          });

      executed(first.end());
    }
    assertThat(orders()).isEqualTo(2);
  }
}
