package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IdempotencyRequest;
import dev.holdfast.idempotency.IdempotencyResult;
import dev.holdfast.idempotency.IncompleteRecordException;
import dev.holdfast.idempotency.ReplyCodecs;
import dev.holdfast.testing.TestDatabase;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What whoever comes while a request is at work is answered. */
public abstract class IdempotencyInProgressContract extends IdempotentExecutionTests {
  protected IdempotencyInProgressContract(TestDatabase database) {
    super(database);
  }

  @Test
  void rejectsOtherPayloadWhileInProgress() throws Exception {
    try (InProgressRequest<IdempotencyResult<String>> first = firstAtWork();
        InProgressRequest<IdempotencyResult<String>> other =
            InProgressRequest.waiting(
                () ->
                    idempotency.execute(
                        IdempotencyRequest.of(KEY, ReplyCodecs.text()).fingerprint(OTHER_PAYLOAD),
                        never()))) {
      executed(first.end());
      assertThat(other.end()).isInstanceOf(IdempotencyResult.KeyReused.class);
    }
  }

  @Test
  void duplicateWaitsForFirst() throws Exception {
    try (InProgressRequest<IdempotencyResult<String>> first = firstAtWork();
        InProgressRequest<IdempotencyResult<String>> second =
            InProgressRequest.waiting(() -> once(idempotency))) {
      assertThat(executed(first.end())).isEqualTo(replayed(second.end()));
    }
    assertThat(orders()).isEqualTo(1);
  }

  @Test
  void aDuplicateOfOneThatFailsTakesItsPlace() throws Exception {
    try (InProgressRequest<IdempotencyResult<String>> first = firstAtWork();
        InProgressRequest<IdempotencyResult<String>> second =
            InProgressRequest.waiting(() -> once(idempotency))) {
      first.fail();
      assertThat(executed(second.end())).isEqualTo(replayed(once(idempotency)));
    }
    assertThat(orders()).isEqualTo(1);
  }

  @Test
  void duplicateWithoutWaitIsRejected() throws Exception {
    try (InProgressRequest<IdempotencyResult<String>> first = firstAtWork()) {
      IdempotencyResult<String> second =
          with(o -> o.waitTimeout(Duration.ZERO))
              .execute(
                  IdempotencyRequest.of(KEY, ReplyCodecs.text()).fingerprint(PAYLOAD), never());

      assertThat(second)
          .isInstanceOfSatisfying(
              IdempotencyResult.InProgress.class,
              told -> assertThat(told.retryAfter()).isGreaterThan(Duration.ZERO));
      assertThat(first.end().orElseThrow()).isEqualTo(replayed(once(idempotency)));
    }
    assertThat(orders()).isEqualTo(1);
  }

  @Test
  void timedOutWaitHasNoEffect() throws Exception {
    try (InProgressRequest<IdempotencyResult<String>> first = firstAtWork()) {
      assertThat(once(with(o -> o.waitTimeout(Duration.ofMillis(400)))))
          .isInstanceOf(IdempotencyResult.InProgress.class);
      executed(first.end());
    }
    replayed(once(idempotency));
    assertThat(orders()).isEqualTo(1);
  }

  private InProgressRequest<IdempotencyResult<String>> firstAtWork() throws InterruptedException {
    return InProgressRequest.held(
        work ->
            idempotency.execute(
                IdempotencyRequest.of(KEY, ReplyCodecs.text()).fingerprint(PAYLOAD),
                tx -> work.order(tx, "apple")));
  }

  @Test
  void otherKeysAreNotBlocked() throws Exception {
    try (InProgressRequest<IdempotencyResult<String>> first = firstAtWork()) {
      for (int i = 0; i < 20; i++) {
        IdempotencyKey other = IdempotencyKey.of("POST /orders", "other-" + i);
        assertThat(
                with(o -> o.waitTimeout(Duration.ZERO))
                    .execute(
                        IdempotencyRequest.of(other, ReplyCodecs.text()).fingerprint(PAYLOAD),
                        ordering("pear")))
            .isInstanceOf(IdempotencyResult.Executed.class);
      }
      executed(first.end());
    }
    assertThat(orders()).isEqualTo(21);
  }

  @Test
  void theSameKeyInsideItsOwnWorkIsRefused() {
    assertThatThrownBy(
            () ->
                idempotency.execute(
                    IdempotencyRequest.of(KEY, ReplyCodecs.text()).fingerprint(PAYLOAD),
                    tx -> once(idempotency, tx).orElseThrow()))
        .isInstanceOf(IncompleteRecordException.class)
        .hasMessageContaining("in this very transaction");
    assertThat(records()).isZero();
    executed(once(idempotency));
  }

  @Test
  void sameKeyInOtherTransactionIsInProgress() {
    IdempotencyResult<String> outer =
        idempotency.execute(
            IdempotencyRequest.of(KEY, ReplyCodecs.text()).fingerprint(PAYLOAD),
            tx -> {
              transactions
                  .requiresNew()
                  .run(
                      beside ->
                          assertThat(once(with(o -> o.waitTimeout(Duration.ZERO)), beside))
                              .isInstanceOf(IdempotencyResult.InProgress.class));
              return order(tx, "apple");
            });

    executed(outer);
    assertThat(orders()).isEqualTo(1);
  }
}
