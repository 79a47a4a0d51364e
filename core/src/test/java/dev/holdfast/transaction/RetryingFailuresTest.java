package dev.holdfast.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Which failures the retry runner tries again on, and which it lets pass. */
class RetryingFailuresTest extends Conflicting {
  @Test
  void whatCannotBeCuredPassesAtOnceAsItIs() {
    for (Throwable incurable :
        List.of(new IOException("disk"), new IllegalStateException("bug"), new Error("jvm"))) {
      runs.set(0);
      Throwable caught =
          catchThrowable(
              () ->
                  retrying(5)
                      .run(
                          tx -> {
                            if (runs.incrementAndGet() < 3) {
                              throw new Conflict(tx.attempt());
                            }
                            throwAnything(incurable);
                          }));

      assertThat(caught).isSameAs(incurable);
      assertThat(runs).hasValue(3);
      assertThat(caught.getSuppressed())
          .extracting(Throwable::getMessage)
          .containsExactly("conflict 1", "conflict 2");
    }
  }

  @Test
  void sameExceptionIsNotSelfSuppressed() {
    Conflict always = new Conflict(0);
    AtomicInteger asked = new AtomicInteger();
    IllegalStateException other = new IllegalStateException();

    assertThat(
            catchThrowable(
                () ->
                    retrying(3)
                        .run(
                            tx -> {
                              throw always;
                            })))
        .isInstanceOf(RetriesExhaustedException.class);
    assertThat(
            catchThrowable(
                () ->
                    retrying(3)
                        .alsoOn(failure -> asked.incrementAndGet() == 1)
                        .run(
                            tx -> {
                              throw other;
                            })))
        .isSameAs(other)
        .hasNoSuppressedExceptions();
    assertThat(asked).hasValue(2);
  }

  @Test
  void retriesWhatTheUserNamesAsWell() throws Exception {
    Retrying onTimeouts =
        retrying(3)
            .alsoOn(IllegalStateException.class::isInstance)
            .alsoOn(IOException.class::isInstance);

    for (Exception named :
        List.of(new IllegalStateException(), new IOException(), new Conflict(1))) {
      assertThat(
              onTimeouts.<Integer, Exception>call(
                  tx -> {
                    if (tx.attempt() == 1) {
                      throw named;
                    }
                    return tx.attempt();
                  }))
          .isEqualTo(2);
    }
  }

  @Test
  void neverRetriesWrappedUnknownCommit() {
    CommitUnknownException unknown = new CommitUnknownException(new SQLException("", "08006"));
    for (Exception failure :
        List.of(
            unknown,
            new TransactionRolledBackException(unknown),
            new IOException(new Exception(unknown)))) {
      runs.set(0);
      Throwable caught =
          catchThrowable(
              () ->
                  retrying(5)
                      .alsoOn(anything -> true)
                      .run(
                          tx -> {
                            runs.incrementAndGet();
                            throw failure;
                          }));

      assertThat(caught).isSameAs(failure);
      assertThat(runs).hasValue(1);
    }
  }

  @Test
  void errorsOfTheJvmAreNeverRetried() {
    Error error = new AssertionError(new Conflict(1));

    assertThat(
            catchThrowable(
                () ->
                    retrying(5)
                        .alsoOn(anything -> true)
                        .run(
                            tx -> {
                              runs.incrementAndGet();
                              throw error;
                            })))
        .isSameAs(error);
    assertThat(runs).hasValue(1);
  }

  @Test
  void nestedRunnersDoNotMultiplyAttempts() {
    assertThatThrownBy(
            () ->
                retrying(5)
                    .run(outer -> transactions.requiresNew().retrying(3).run(this::conflict)))
        .isInstanceOfSatisfying(
            RetriesExhaustedException.class, inner -> assertThat(inner.attempts()).isEqualTo(3));
    assertThat(runs).hasValue(3);
  }

  @Test
  void aRunnerInsideATransactionIsRejected() {
    assertThatThrownBy(() -> retrying(5).run(outer -> retrying(3).run(this::conflict)))
        .isInstanceOfSatisfying(
            TransactionStateException.class,
            rejected -> assertThat(rejected.code()).isEqualTo("transaction-active"));
    assertThat(runs).hasValue(0);
  }

  @Test
  void failingListenerDoesNotRerunWork() {
    Transactions heardBy =
        transactions.listener(
            new ConflictListener() {
              @Override
              public void attempted(GuardKind kind, String guard, boolean conflict) {
                if (!conflict) {
                  throw new Conflict(0);
                }
              }
            });

    assertThatThrownBy(() -> heardBy.retrying(5).run(tx -> runs.incrementAndGet()))
        .isInstanceOf(Conflict.class);
    assertThat(runs).hasValue(1);
  }

  @SuppressWarnings("unchecked")
  private static <X extends Throwable> void throwAnything(Throwable thrown) throws X {
    throw (X) thrown;
  }
}
