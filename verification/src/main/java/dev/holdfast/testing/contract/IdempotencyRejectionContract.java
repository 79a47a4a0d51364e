package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.idempotency.Idempotency;
import dev.holdfast.idempotency.IdempotencyRequest;
import dev.holdfast.idempotency.IdempotencyResult;
import dev.holdfast.idempotency.RejectedException;
import dev.holdfast.idempotency.ReplyCodecs;
import dev.holdfast.idempotency.ResultTooLargeException;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.transaction.Transaction;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

/** What is kept of work that fails: deliberate refusals, and nothing else. */
public abstract class IdempotencyRejectionContract extends IdempotentExecutionTests {
  protected IdempotencyRejectionContract(TestDatabase database) {
    super(database);
  }

  private static String refuse(Transaction tx) {
    order(tx, "apple");
    throw new RejectedException("no apples ☕");
  }

  @Test
  void replaysRejectionWithoutChanges() {
    assertThatThrownBy(
            () ->
                idempotency.execute(
                    IdempotencyRequest.of(KEY, ReplyCodecs.text()).fingerprint(PAYLOAD),
                    IdempotencyRejectionContract::refuse))
        .isInstanceOfSatisfying(
            RejectedException.class, refused -> assertThat(refused.isReplayed()).isFalse());
    assertThat(orders()).isZero();

    for (int again = 0; again < 2; again++) {
      assertThatThrownBy(() -> once(idempotency))
          .isInstanceOfSatisfying(
              RejectedException.class,
              refused -> {
                assertThat(refused.isReplayed()).isTrue();
                assertThat(refused.text()).isEqualTo("no apples ☕");
              });
    }
    assertThat(orders()).isZero();
    assertThat(records()).isEqualTo(1);
  }

  @Test
  void rejectsOtherPayloadAfterRejection() {
    assertThatThrownBy(
            () ->
                idempotency.execute(
                    IdempotencyRequest.of(KEY, ReplyCodecs.text()).fingerprint(PAYLOAD),
                    IdempotencyRejectionContract::refuse))
        .isInstanceOf(RejectedException.class);

    assertThat(
            idempotency.execute(
                IdempotencyRequest.of(KEY, ReplyCodecs.text()).fingerprint(OTHER_PAYLOAD), never()))
        .isInstanceOf(IdempotencyResult.KeyReused.class);
  }

  @Test
  @SuppressWarnings("NullAway") // it does not see that the function may answer null
  void whichFailuresAreRefusalsIsAPolicy() {
    Idempotency lenient =
        with(
            o ->
                o.rejectOn(
                    failure ->
                        failure instanceof IOException
                            ? Optional.of(new RejectedException("unreadable"))
                            : Optional.empty()));

    assertThatThrownBy(
            () ->
                lenient.<String, IOException>execute(
                    IdempotencyRequest.of(KEY, ReplyCodecs.text()).fingerprint(PAYLOAD),
                    tx -> {
                      order(tx, "apple");
                      throw new IOException("line 3");
                    }))
        .isInstanceOf(RejectedException.class)
        .hasMessageContaining("unreadable")
        .hasCauseInstanceOf(IOException.class);
    assertThat(orders()).isZero();
    assertThatThrownBy(() -> once(idempotency))
        .isInstanceOfSatisfying(
            RejectedException.class, refused -> assertThat(refused.isReplayed()).isTrue());
  }

  @Test
  @SuppressWarnings("NullAway") // it does not see that the function may answer null
  void whatThePolicyDoesNotNameIsNotKept() {
    Idempotency lenient =
        with(
            o ->
                o.rejectOn(
                    failure ->
                        failure instanceof IOException
                            ? Optional.of(new RejectedException("unreadable"))
                            : Optional.empty()));

    assertThatThrownBy(
            () ->
                lenient.execute(
                    IdempotencyRequest.of(KEY, ReplyCodecs.text()).fingerprint(PAYLOAD),
                    tx -> {
                      throw new IllegalStateException("down");
                    }))
        .isInstanceOf(IllegalStateException.class);
    assertThat(records()).isZero();
  }

  @Test
  void aPolicyThatFailsHidesNothing() {
    Idempotency broken =
        with(
            o ->
                o.rejectOn(
                    failure -> {
                      throw new IllegalArgumentException("broken policy");
                    }));

    assertThatThrownBy(
            () ->
                broken.<String, IOException>execute(
                    IdempotencyRequest.of(KEY, ReplyCodecs.text()).fingerprint(PAYLOAD),
                    tx -> {
                      throw new IOException("line 3");
                    }))
        .isInstanceOf(IOException.class)
        .hasSuppressedException(new IllegalArgumentException("broken policy"));
    assertThat(records()).isZero();
  }

  @Test
  void aRefusalThatIsTooLargeIsNotKept() {
    assertThatThrownBy(
            () ->
                with(o -> o.maxResultSize(10))
                    .execute(
                        IdempotencyRequest.of(KEY, ReplyCodecs.text()).fingerprint(PAYLOAD),
                        tx -> {
                          throw new RejectedException("eleven long");
                        }))
        .isInstanceOfSatisfying(
            ResultTooLargeException.class, large -> assertThat(large.isEffective()).isFalse());
    assertThat(records()).isZero();
  }

  @Test
  void aRefusalInAJoinedTransactionIsNotKept() {
    assertThatThrownBy(
            () ->
                transactions.run(
                    tx ->
                        idempotency.execute(
                            tx,
                            IdempotencyRequest.of(KEY, ReplyCodecs.text()).fingerprint(PAYLOAD),
                            IdempotencyRejectionContract::refuse)))
        .isInstanceOfSatisfying(
            RejectedException.class, refused -> assertThat(refused.isReplayed()).isFalse());

    assertThat(records()).isZero();
    executed(once(idempotency));
  }

  @Test
  void waitingDuplicateOfRejectionEnds() throws Exception {
    try (InProgressRequest<IdempotencyResult<String>> first =
            InProgressRequest.held(
                work ->
                    idempotency.execute(
                        IdempotencyRequest.of(KEY, ReplyCodecs.text()).fingerprint(PAYLOAD),
                        tx -> {
                          work.stop();
                          throw new RejectedException("no");
                        }));
        InProgressRequest<String> second =
            InProgressRequest.waiting(
                () -> {
                  try {
                    return once(idempotency).orElseThrow();
                  } catch (RejectedException e) {
                    return e.isReplayed() + " " + e.text();
                  }
                })) {
      String firstEnd;
      try {
        firstEnd = first.end().orElseThrow();
      } catch (ExecutionException e) {
        assertThat(e).hasCauseInstanceOf(RejectedException.class);
        firstEnd = "true no";
      }
      assertThat(second.end()).isEqualTo(firstEnd);
      assertThat(orders()).isEqualTo(firstEnd.equals("true no") ? 0 : 1);
    }
  }
}
