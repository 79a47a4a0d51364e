package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IncompleteRecordException;
import dev.holdfast.idempotency.OnceResult;
import dev.holdfast.idempotency.ReplyCodecs;
import dev.holdfast.testing.TestDatabase;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What whoever comes while a request is at work is answered. */
public abstract class OnceAtWorkContract extends OnceTests {
  protected OnceAtWorkContract(TestDatabase database) {
    super(database);
  }

  @Test
  void anotherPayloadIsAMismatchAlsoWhereItCameWhileTheFirstWasAtWork() throws Exception {
    try (AtWork<OnceResult<String>> first = firstAtWork();
        AtWork<OnceResult<String>> other =
            AtWork.waiting(
                () -> idempotency.once(KEY, OTHER_PAYLOAD, ReplyCodecs.text(), never()))) {
      executed(first.end());
      assertThat(other.end()).isInstanceOf(OnceResult.Mismatch.class);
    }
  }

  @Test
  void aDuplicateWaitsForTheFirstAndIsAnsweredTheSame() throws Exception {
    try (AtWork<OnceResult<String>> first = firstAtWork();
        AtWork<OnceResult<String>> second = AtWork.waiting(() -> once(idempotency))) {
      assertThat(executed(first.end())).isEqualTo(replayed(second.end()));
    }
    assertThat(orders()).isEqualTo(1);
  }

  @Test
  void aDuplicateOfOneThatFailsTakesItsPlace() throws Exception {
    try (AtWork<OnceResult<String>> first = firstAtWork();
        AtWork<OnceResult<String>> second = AtWork.waiting(() -> once(idempotency))) {
      first.fail();
      assertThat(executed(second.end())).isEqualTo(replayed(once(idempotency)));
    }
    assertThat(orders()).isEqualTo(1);
  }

  @Test
  void aDuplicateThatDoesNotWaitIsToldAndChangesNothing() throws Exception {
    try (AtWork<OnceResult<String>> first = firstAtWork()) {
      OnceResult<String> second =
          idempotency.waiting(Duration.ZERO).once(KEY, PAYLOAD, ReplyCodecs.text(), never());

      assertThat(second)
          .isInstanceOfSatisfying(
              OnceResult.InProgress.class,
              told -> assertThat(told.retryAfter()).isGreaterThan(Duration.ZERO));
      assertThat(first.end().orThrow()).isEqualTo(replayed(once(idempotency)));
    }
    assertThat(orders()).isEqualTo(1);
  }

  @Test
  void aWaitThatIsOverChangesNothing() throws Exception {
    try (AtWork<OnceResult<String>> first = firstAtWork()) {
      assertThat(once(idempotency.waiting(Duration.ofMillis(400))))
          .isInstanceOf(OnceResult.InProgress.class);
      executed(first.end());
    }
    replayed(once(idempotency));
    assertThat(orders()).isEqualTo(1);
  }

  private AtWork<OnceResult<String>> firstAtWork() throws InterruptedException {
    return AtWork.held(
        work -> idempotency.once(KEY, PAYLOAD, ReplyCodecs.text(), tx -> work.order(tx, "apple")));
  }

  @Test
  void othersAreNotHeldUpByOneThatIsAtWork() throws Exception {
    try (AtWork<OnceResult<String>> first = firstAtWork()) {
      for (int i = 0; i < 20; i++) {
        IdempotencyKey other = IdempotencyKey.of("POST /orders", "other-" + i);
        assertThat(
                idempotency
                    .waiting(Duration.ZERO)
                    .once(other, PAYLOAD, ReplyCodecs.text(), ordering("pear")))
            .isInstanceOf(OnceResult.Executed.class);
      }
      executed(first.end());
    }
    assertThat(orders()).isEqualTo(21);
  }

  @Test
  void theSameKeyInsideItsOwnWorkIsRefused() {
    assertThatThrownBy(
            () ->
                idempotency.once(
                    KEY, PAYLOAD, ReplyCodecs.text(), tx -> once(idempotency, tx).orThrow()))
        .isInstanceOf(IncompleteRecordException.class)
        .hasMessageContaining("in this very transaction");
    assertThat(records()).isZero();
    executed(once(idempotency));
  }

  @Test
  void theSameKeyInATransactionBesideItsOwnWorkIsInProgress() {
    OnceResult<String> outer =
        idempotency.once(
            KEY,
            PAYLOAD,
            ReplyCodecs.text(),
            tx -> {
              assertThat(once(idempotency.waiting(Duration.ZERO)))
                  .isInstanceOf(OnceResult.InProgress.class);
              return order(tx, "apple");
            });

    executed(outer);
    assertThat(orders()).isEqualTo(1);
  }
}
