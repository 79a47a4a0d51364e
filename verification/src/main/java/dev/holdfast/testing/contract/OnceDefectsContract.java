package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.idempotency.Begun;
import dev.holdfast.idempotency.Idempotency;
import dev.holdfast.idempotency.IncompleteRecordException;
import dev.holdfast.idempotency.OnceResult;
import dev.holdfast.idempotency.OpenRecord;
import dev.holdfast.idempotency.ReplyCodecs;
import dev.holdfast.sql.SqlFailedException;
import dev.holdfast.sql.Transaction;
import dev.holdfast.sql.Transactions;
import dev.holdfast.testing.Actors;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestHoldfast;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/**
 * The ways in which other libraries run a request twice or lose a transaction, as {@code once}
 * could have them too.
 */
public abstract class OnceDefectsContract extends OnceTests {
  protected OnceDefectsContract(TestDatabase database) {
    super(database);
  }

  @Test
  void i1ADuplicateInsideAnOpenTransactionDoesNotAbortIt() {
    once(idempotency);

    transactions.run(
        tx -> {
          order(tx, "before");
          replayed(once(idempotency, tx));
          order(tx, "after");
        });

    assertThat(orders()).isEqualTo(3);
  }

  @Test
  void i1TheFingerprintIsThereFromTheBeginningOn() {
    transactions.run(
        tx -> {
          assertThat(idempotency.begin(tx, KEY, PAYLOAD)).isInstanceOf(Begun.Open.class);
          assertThat(idempotency.begin(tx, KEY, OTHER_PAYLOAD)).isInstanceOf(Begun.Mismatch.class);
          assertThat(idempotency.once(tx, KEY, OTHER_PAYLOAD, ReplyCodecs.text(), never()))
              .isInstanceOf(OnceResult.Mismatch.class);
        });
  }

  @Test
  void i1TheClockOfTheDatabaseDecidesWhatIsOver() {
    TestHoldfast test = TestHoldfast.create(schema.dataSource());
    Idempotency clocked = test.holdfast().idempotency();
    String first = executed(once(clocked));
    test.clock().advance(Duration.ofHours(23));
    assertThat(replayed(once(clocked))).isEqualTo(first);
    assertThat(clocked.cleanUp()).isZero();

    test.clock().advance(Duration.ofHours(2));

    assertThat(clocked.find(KEY)).isEmpty();
    executed(once(clocked));
    test.clock().advance(Duration.ofHours(25));
    assertThat(clocked.cleanUp()).isEqualTo(1);
    assertThat(orders()).isEqualTo(2);
  }

  @Test
  void i3ADuplicateThatGivesUpRemovesNothing() throws Exception {
    try (AtWork<OnceResult<String>> first =
        AtWork.held(
            work ->
                idempotency.once(
                    KEY, PAYLOAD, ReplyCodecs.text(), tx -> work.order(tx, "apple")))) {
      Idempotency impatient = idempotency.waiting(Duration.ZERO);
      for (int i = 0; i < 3; i++) {
        assertThat(impatient.once(KEY, PAYLOAD, ReplyCodecs.text(), never()))
            .isInstanceOf(OnceResult.InProgress.class);
        assertThat(impatient.forget(KEY)).isFalse();
      }
      executed(first.end());
    }
    replayed(idempotency.once(KEY, PAYLOAD, ReplyCodecs.text(), never()));
    assertThat(orders()).isEqualTo(1);
  }

  @Test
  void i3WorkWhoseAnswerCannotBeSavedTakesNoEffect() {
    FaultyDataSource faulty =
        new FaultyDataSource(schema.dataSource())
            .onPrepare(
                sql -> sql.contains("UPDATE") && sql.contains("reply_kind = ?"),
                connection -> {
                  throw new SQLException("it must not be written", "23514");
                });
    Idempotency unlucky = idempotency.transactions(Transactions.on(faulty.dataSource()));

    assertThatThrownBy(() -> once(unlucky)).isInstanceOf(SqlFailedException.class);

    assertThat(orders() + records()).isZero();
    executed(once(idempotency));
    assertThat(orders()).isEqualTo(1);
  }

  @Test
  void i4OneThatWasRolledBackCannotAnswerForItsSuccessor() throws Exception {
    try (Connection connection = schema.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      OpenRecord stale = open(Transaction.on(connection));
      connection.rollback();
      transactions.run(this::open);

      assertThatThrownBy(() -> stale.complete(new byte[] {1}))
          .isInstanceOf(IncompleteRecordException.class);

      connection.commit();
    }
    assertThatThrownBy(() -> once(idempotency))
        .as("as its own transaction has left it")
        .isInstanceOf(IncompleteRecordException.class);
  }

  private OpenRecord open(Transaction tx) {
    return ((Begun.Open<OpenRecord>) idempotency.begin(tx, KEY, PAYLOAD)).record();
  }

  @Test
  void i5OneConnectionIsEnoughAlsoForDuplicates() {
    DataSource small = schema.dataSource(1);
    Idempotency one = Holdfast.create(small).idempotency();

    List<OnceResult<String>> told = Actors.run(8, index -> once(one)).resultsOrThrow();

    assertThat(told).filteredOn(result -> result instanceof OnceResult.Executed).hasSize(1);
    assertThat(told).extracting(OnceResult::orThrow).containsOnly(told.get(0).orThrow());
    Transactions.on(small).run(tx -> replayed(once(one, tx)));
    assertThat(one.find(KEY)).isPresent();
    assertThat(one.forget(KEY)).isTrue();
    assertThat(orders()).isEqualTo(1);
  }
}
