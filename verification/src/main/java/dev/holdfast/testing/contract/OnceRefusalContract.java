package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.idempotency.Idempotency;
import dev.holdfast.idempotency.OnceResult;
import dev.holdfast.idempotency.RefusedException;
import dev.holdfast.idempotency.ReplyCodecs;
import dev.holdfast.idempotency.ReplyTooLargeException;
import dev.holdfast.sql.Transaction;
import dev.holdfast.testing.TestDatabase;
import java.io.IOException;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

/** What is kept of work that fails: deliberate refusals, and nothing else. */
public abstract class OnceRefusalContract extends OnceTests {
  protected OnceRefusalContract(TestDatabase database) {
    super(database);
  }

  private static String refuse(Transaction tx) {
    order(tx, "apple");
    throw new RefusedException("no apples ☕");
  }

  @Test
  void aRefusalIsKeptWithoutWhatWasChangedAndGivenAgain() {
    assertThatThrownBy(
            () -> idempotency.once(KEY, PAYLOAD, ReplyCodecs.text(), OnceRefusalContract::refuse))
        .isInstanceOfSatisfying(
            RefusedException.class, refused -> assertThat(refused.replayed()).isFalse());
    assertThat(orders()).isZero();

    for (int again = 0; again < 2; again++) {
      assertThatThrownBy(() -> once(idempotency))
          .isInstanceOfSatisfying(
              RefusedException.class,
              refused -> {
                assertThat(refused.replayed()).isTrue();
                assertThat(refused.reply()).isEqualTo("no apples ☕");
              });
    }
    assertThat(orders()).isZero();
    assertThat(records()).isEqualTo(1);
  }

  @Test
  void anotherPayloadThanThatOfARefusalIsAMismatch() {
    assertThatThrownBy(
            () -> idempotency.once(KEY, PAYLOAD, ReplyCodecs.text(), OnceRefusalContract::refuse))
        .isInstanceOf(RefusedException.class);

    assertThat(idempotency.once(KEY, OTHER_PAYLOAD, ReplyCodecs.text(), never()))
        .isInstanceOf(OnceResult.Mismatch.class);
  }

  @Test
  @SuppressWarnings("NullAway") // it does not see that the function may answer null
  void whichFailuresAreRefusalsIsAPolicy() {
    Idempotency lenient =
        idempotency.refusals(
            failure -> failure instanceof IOException ? new RefusedException("unreadable") : null);

    assertThatThrownBy(
            () ->
                lenient.<String, IOException>once(
                    KEY,
                    PAYLOAD,
                    ReplyCodecs.text(),
                    tx -> {
                      order(tx, "apple");
                      throw new IOException("line 3");
                    }))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("unreadable")
        .hasCauseInstanceOf(IOException.class);
    assertThat(orders()).isZero();
    assertThatThrownBy(() -> once(idempotency))
        .isInstanceOfSatisfying(
            RefusedException.class, refused -> assertThat(refused.replayed()).isTrue());
  }

  @Test
  @SuppressWarnings("NullAway") // it does not see that the function may answer null
  void whatThePolicyDoesNotNameIsNotKept() {
    Idempotency lenient =
        idempotency.refusals(
            failure -> failure instanceof IOException ? new RefusedException("unreadable") : null);

    assertThatThrownBy(
            () ->
                lenient.once(
                    KEY,
                    PAYLOAD,
                    ReplyCodecs.text(),
                    tx -> {
                      throw new IllegalStateException("down");
                    }))
        .isInstanceOf(IllegalStateException.class);
    assertThat(records()).isZero();
  }

  @Test
  void aPolicyThatFailsHidesNothing() {
    Idempotency broken =
        idempotency.refusals(
            failure -> {
              throw new IllegalArgumentException("broken policy");
            });

    assertThatThrownBy(
            () ->
                broken.<String, IOException>once(
                    KEY,
                    PAYLOAD,
                    ReplyCodecs.text(),
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
                idempotency
                    .largestReply(10)
                    .once(
                        KEY,
                        PAYLOAD,
                        ReplyCodecs.text(),
                        tx -> {
                          throw new RefusedException("eleven long");
                        }))
        .isInstanceOfSatisfying(
            ReplyTooLargeException.class, large -> assertThat(large.tookEffect()).isFalse());
    assertThat(records()).isZero();
  }

  @Test
  void aRefusalInAJoinedTransactionIsNotKept() {
    assertThatThrownBy(
            () ->
                transactions.run(
                    tx ->
                        idempotency.once(
                            tx, KEY, PAYLOAD, ReplyCodecs.text(), OnceRefusalContract::refuse)))
        .isInstanceOfSatisfying(
            RefusedException.class, refused -> assertThat(refused.replayed()).isFalse());

    assertThat(records()).isZero();
    executed(once(idempotency));
  }

  @Test
  void aDuplicateThatWaitedForARefusalIsRefusedOrTakesItsPlace() throws Exception {
    try (AtWork<OnceResult<String>> first =
            AtWork.held(
                work ->
                    idempotency.once(
                        KEY,
                        PAYLOAD,
                        ReplyCodecs.text(),
                        tx -> {
                          work.stop();
                          throw new RefusedException("no");
                        }));
        AtWork<String> second =
            AtWork.waiting(
                () -> {
                  try {
                    return once(idempotency).orThrow();
                  } catch (RefusedException e) {
                    return e.replayed() + " " + e.reply();
                  }
                })) {
      String firstEnd;
      try {
        firstEnd = first.end().orThrow();
      } catch (ExecutionException e) {
        assertThat(e).hasCauseInstanceOf(RefusedException.class);
        firstEnd = "true no";
      }
      assertThat(second.end()).isEqualTo(firstEnd);
      assertThat(orders()).isEqualTo(firstEnd.equals("true no") ? 0 : 1);
    }
  }
}
