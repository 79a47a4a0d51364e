package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.transaction.TransactionCallback;
import dev.holdfast.transaction.Transactions;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Two transactions that overlap: the second acts while the first has acted and is still open, and
 * must wait until it knows how the first has ended.
 */
final class Overlap<T> {
  /** What fails for a second one that does not wait. */
  static final String SECOND_WAITS = "the second waits while the first is not committed";

  private static final long SEEN_WAITING_MILLIS = 300;
  private static final long LIMIT_SECONDS = 30;

  private final Transactions transactions;
  private final TransactionCallback<T, Exception> first;
  private final TransactionCallback<T, Exception> second;

  Overlap(
      Transactions transactions,
      TransactionCallback<T, Exception> first,
      TransactionCallback<T, Exception> second) {
    this.transactions = transactions.lockTimeout(Duration.ofSeconds(LIMIT_SECONDS));
    this.first = first;
    this.second = second;
  }

  record Answers<T>(T first, T second) {}

  private static final class ChangedItsMind extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  Answers<T> firstCommits() throws Exception {
    return run(false);
  }

  Answers<T> firstRollsBack() throws Exception {
    return run(true);
  }

  private Answers<T> run(boolean rollBack) throws Exception {
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try {
      Pending<T> pending = new Pending<>();
      TransactionCallback<T, Exception> act =
          tx -> {
            T answer = first.in(tx);
            pending.first = answer;
            Future<T> waiting = thread.submit(() -> transactions.call(second));
            pending.second = waiting;
            assertThat(isWaiting(waiting)).as(SECOND_WAITS).isTrue();
            if (rollBack) {
              throw new ChangedItsMind();
            }
            return answer;
          };
      try {
        transactions.call(act);
        assertThat(rollBack).as("the first was to be rolled back").isFalse();
      } catch (ChangedItsMind e) {
        assertThat(rollBack).isTrue();
      }
      T answer = pending.first;
      Future<T> waiting = pending.second;
      assertThat(waiting).isNotNull();
      return new Answers<>(answer, waiting.get(LIMIT_SECONDS, TimeUnit.SECONDS));
    } finally {
      thread.shutdownNow();
    }
  }

  private static boolean isWaiting(Future<?> second) throws Exception {
    try {
      second.get(SEEN_WAITING_MILLIS, TimeUnit.MILLISECONDS);
      return false;
    } catch (TimeoutException e) {
      return true;
    }
  }

  @SuppressWarnings("NullAway.Init")
  private static final class Pending<T> {
    T first;
    Future<T> second;
  }
}
