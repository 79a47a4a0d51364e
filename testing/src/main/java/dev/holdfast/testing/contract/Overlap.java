package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.sql.Transactions;
import dev.holdfast.sql.Work;
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
  private static final long SEEN_WAITING_MILLIS = 300;
  private static final long LIMIT_SECONDS = 30;

  private final Transactions transactions;
  private final Work<T, Exception> first;
  private final Work<T, Exception> second;

  Overlap(Transactions transactions, Work<T, Exception> first, Work<T, Exception> second) {
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
      Work<T, Exception> act =
          tx -> {
            T answer = first.in(tx);
            pending.first = answer;
            Future<T> waiting = thread.submit(() -> transactions.call(second));
            pending.second = waiting;
            assertThatThrownBy(() -> waiting.get(SEEN_WAITING_MILLIS, TimeUnit.MILLISECONDS))
                .as("the second, while the first is not committed")
                .isInstanceOf(TimeoutException.class);
            if (rollBack) {
              throw new ChangedItsMind();
            }
            return answer;
          };
      if (rollBack) {
        assertThatThrownBy(() -> transactions.call(act)).isInstanceOf(ChangedItsMind.class);
      } else {
        transactions.call(act);
      }
      T answer = pending.first;
      Future<T> waiting = pending.second;
      assertThat(waiting).isNotNull();
      return new Answers<>(answer, waiting.get(LIMIT_SECONDS, TimeUnit.SECONDS));
    } finally {
      thread.shutdownNow();
    }
  }

  @SuppressWarnings("NullAway.Init")
  private static final class Pending<T> {
    T first;
    Future<T> second;
  }
}
