package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.idempotency.Idempotency;
import dev.holdfast.idempotency.Idempotency.DeleteResult;
import dev.holdfast.idempotency.IdempotencyRequest;
import dev.holdfast.idempotency.IdempotencyResult;
import dev.holdfast.idempotency.IncompleteRecordException;
import dev.holdfast.idempotency.ReplyCodecs;
import dev.holdfast.idempotency.spi.BeginResult;
import dev.holdfast.idempotency.spi.OpenRequest;
import dev.holdfast.testing.ConcurrentActors;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestHoldfast;
import dev.holdfast.transaction.DatabaseException;
import dev.holdfast.transaction.Transaction;
import dev.holdfast.transaction.Transactions;
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
public abstract class IdempotencyDefectsContract extends IdempotentExecutionTests {
  protected IdempotencyDefectsContract(TestDatabase database) {
    super(database);
  }

  @Test
  void i1DuplicateDoesNotAbortOpenTransaction() {
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
  void i1StoresFingerprintAtStart() {
    transactions.run(
        tx -> {
          assertThat(
                  idempotency.begin(
                      tx, IdempotencyRequest.of(KEY, ReplyCodecs.bytes()).fingerprint(PAYLOAD)))
              .isInstanceOf(BeginResult.Open.class);
          assertThat(
                  idempotency.begin(
                      tx,
                      IdempotencyRequest.of(KEY, ReplyCodecs.bytes()).fingerprint(OTHER_PAYLOAD)))
              .isInstanceOf(BeginResult.KeyReused.class);
          assertThat(
                  idempotency.execute(
                      tx,
                      IdempotencyRequest.of(KEY, ReplyCodecs.text()).fingerprint(OTHER_PAYLOAD),
                      never()))
              .isInstanceOf(IdempotencyResult.KeyReused.class);
        });
  }

  @Test
  void i1DatabaseClockDecidesExpiry() {
    TestHoldfast test = TestHoldfast.create(schema.dataSource());
    Idempotency clocked = test.holdfast().idempotency();
    String first = executed(once(clocked));
    test.clock().advance(Duration.ofHours(23));
    assertThat(replayed(once(clocked))).isEqualTo(first);
    assertThat(clocked.deleteExpired()).isZero();

    test.clock().advance(Duration.ofHours(2));

    assertThat(clocked.find(KEY)).isEmpty();
    executed(once(clocked));
    test.clock().advance(Duration.ofHours(25));
    assertThat(clocked.deleteExpired()).isEqualTo(1);
    assertThat(orders()).isEqualTo(2);
  }

  @Test
  void i3ADuplicateThatGivesUpRemovesNothing() throws Exception {
    try (InProgressRequest<IdempotencyResult<String>> first =
        InProgressRequest.held(
            work ->
                idempotency.execute(
                    IdempotencyRequest.of(KEY, ReplyCodecs.text()).fingerprint(PAYLOAD),
                    tx -> work.order(tx, "apple")))) {
      Idempotency impatient = with(o -> o.waitTimeout(Duration.ZERO));
      for (int i = 0; i < 3; i++) {
        assertThat(
                impatient.execute(
                    IdempotencyRequest.of(KEY, ReplyCodecs.text()).fingerprint(PAYLOAD), never()))
            .isInstanceOf(IdempotencyResult.InProgress.class);
        assertThat(impatient.delete(KEY)).isNotEqualTo(DeleteResult.DELETED);
      }
      executed(first.end());
    }
    replayed(
        idempotency.execute(
            IdempotencyRequest.of(KEY, ReplyCodecs.text()).fingerprint(PAYLOAD), never()));
    assertThat(orders()).isEqualTo(1);
  }

  @Test
  void i3UnsavedResultRollsBackWork() {
    FaultyDataSource faulty =
        new FaultyDataSource(schema.dataSource())
            .onPrepare(
                sql -> sql.contains("UPDATE") && sql.contains("result_kind = ?"),
                connection -> {
                  throw new SQLException("it must not be written", "23514");
                });
    Idempotency unlucky = with(Transactions.on(faulty.dataSource()));

    assertThatThrownBy(() -> once(unlucky)).isInstanceOf(DatabaseException.class);

    assertThat(orders() + records()).isZero();
    executed(once(idempotency));
    assertThat(orders()).isEqualTo(1);
  }

  @Test
  void i4RolledBackRequestCannotComplete() throws Exception {
    try (Connection connection = schema.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      OpenRequest.InTransaction stale = open(Transaction.of(connection));
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

  private OpenRequest.InTransaction open(Transaction tx) {
    return ((BeginResult.Open<OpenRequest.InTransaction>)
            idempotency.begin(
                tx, IdempotencyRequest.of(KEY, ReplyCodecs.bytes()).fingerprint(PAYLOAD)))
        .request();
  }

  @Test
  void i5OneConnectionSufficesForDuplicates() {
    DataSource small = schema.dataSource(1);
    Idempotency one = Holdfast.create(small).idempotency();

    List<IdempotencyResult<String>> told =
        ConcurrentActors.run(8, index -> once(one)).resultsOrThrow();

    assertThat(told).filteredOn(result -> result instanceof IdempotencyResult.Executed).hasSize(1);
    assertThat(told)
        .extracting(IdempotencyResult::orElseThrow)
        .containsOnly(told.get(0).orElseThrow());
    Transactions.on(small).run(tx -> replayed(once(one, tx)));
    assertThat(one.find(KEY)).isPresent();
    assertThat(one.delete(KEY)).isEqualTo(DeleteResult.DELETED);
    assertThat(orders()).isEqualTo(1);
  }
}
