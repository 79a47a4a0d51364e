package dev.holdfast.transaction;

import dev.holdfast.internal.Require;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Runs work again, each time in a new transaction, while a new one may cure what failed. Refused
 * with a {@link TransactionStateException} inside a current transaction, unless {@link
 * Transactions#requiresNew}.
 *
 * <p>Bounded by a number of attempts and by a deadline (30 s by default). Between attempts it waits
 * with full jitter, from 10 ms doubling up to 1 s by default. By default it retries what {@link
 * SqlError#isRetryable} says: serialization failures, deadlocks, lock timeouts, lost connections,
 * version conflicts. Anything else reaches the caller at once, as it is, with the failures before
 * it suppressed; a commit of unknown outcome too. An interrupt stops it.
 *
 * <p>The work runs once per attempt: what it does outside of the transaction happens each time.
 * Immutable and thread-safe.
 */
public final class Retrying {
  private static final int MAX_ATTEMPTS = 1000;
  private static final Duration MAX_DEADLINE = Duration.ofDays(1);

  private final Transactions transactions;
  private final String name;
  private final int attempts;
  private final Duration deadline;
  private final Backoff backoff;
  private final Predicate<Throwable> retryable;
  private final Waiter waiter;

  /** Time as the runner sees it, so that tests need not wait. */
  public interface Waiter {
    Waiter REAL =
        new Waiter() {
          @Override
          public long nanoTime() {
            return System.nanoTime();
          }

          @Override
          public void pause(Duration duration) throws InterruptedException {
            TimeUnit.NANOSECONDS.sleep(duration.toNanos());
          }
        };

    long nanoTime();

    void pause(Duration duration) throws InterruptedException;
  }

  private Retrying(
      Transactions transactions,
      String name,
      int attempts,
      Duration deadline,
      Backoff backoff,
      Predicate<Throwable> retryable,
      Waiter waiter) {
    this.transactions = transactions;
    this.name = name;
    this.attempts = attempts;
    this.deadline = deadline;
    this.backoff = backoff;
    this.retryable = retryable;
    this.waiter = waiter;
  }

  static Retrying of(Transactions transactions, int attempts) {
    return new Retrying(
        transactions,
        "transaction",
        Require.between(attempts, 1, MAX_ATTEMPTS, "attempts"),
        Duration.ofSeconds(30),
        Backoff.DEFAULT,
        SqlError::isRetryable,
        Waiter.REAL);
  }

  /** Known by this name in errors and to the {@link ConflictListener}. */
  public Retrying named(String name) {
    Require.notBlank(name, "name");
    return new Retrying(transactions, name, attempts, deadline, backoff, retryable, waiter);
  }

  /** Beginning no attempt later than this after the first. */
  public Retrying within(Duration deadline) {
    Require.between(deadline, Duration.ofMillis(1), MAX_DEADLINE, "deadline");
    return new Retrying(transactions, name, attempts, deadline, backoff, retryable, waiter);
  }

  /** Waiting up to {@code base} after the first failure, up to twice that after the second … */
  public Retrying backoff(Duration base, Duration cap) {
    Require.between(base, Duration.ZERO, MAX_DEADLINE, "base");
    Require.between(cap, base, MAX_DEADLINE, "cap");
    return new Retrying(
        transactions, name, attempts, deadline, new Backoff(base, cap), retryable, waiter);
  }

  /**
   * Retrying these failures as well. Never asked about an {@link Error}, nor about a {@link
   * CommitUnknownException} or what was caused by one, nor about a {@link
   * TransactionStateException}: the work could take effect twice.
   */
  public Retrying alsoOn(Predicate<Throwable> failures) {
    Require.notNull(failures, "failures");
    return new Retrying(
        transactions, name, attempts, deadline, backoff, retryable.or(failures), waiter);
  }

  Retrying waitingWith(Waiter waiter) {
    return new Retrying(transactions, name, attempts, deadline, backoff, retryable, waiter);
  }

  /** Runs {@code work} and answers what its first successful attempt answers. */
  public <T extends @Nullable Object, X extends Exception> T call(TransactionCallback<T, X> work)
      throws X {
    Require.notNull(work, "work");
    transactions.requireRepeatable("work that is retried (" + name + ")");
    LongSupplier elapsed = elapsedSince(waiter.nanoTime());
    List<Throwable> failures = new ArrayList<>();
    while (true) {
      T answer;
      try {
        answer = transactions.call(work, failures.size() + 1);
      } catch (Throwable failure) {
        if (!mayRetry(failure)) {
          failures.forEach(earlier -> NewTransactionRunner.suppress(failure, earlier));
          throw failure;
        }
        transactions.listener().attempted(GuardKind.RETRIED_WORK, name, true);
        failures.add(failure);
        pauseOrGiveUp(failures, elapsed);
        transactions.listener().retrying(GuardKind.RETRIED_WORK, name);
        continue;
      }
      // not inside the try: a listener that throws must not make committed work run again
      transactions.listener().attempted(GuardKind.RETRIED_WORK, name, false);
      return answer;
    }
  }

  /** Runs {@code work} until one attempt succeeds. */
  public <X extends Exception> void run(TransactionCallback.WithoutResult<X> work) throws X {
    call(Transactions.answerless(work));
  }

  private boolean mayRetry(Throwable failure) {
    return failure instanceof Exception
        && !isEnded(failure)
        && !SqlError.isCommitUnknown(failure)
        && retryable.test(failure);
  }

  private static boolean isEnded(Throwable failure) {
    return failure instanceof TransactionStateException state
        && state.reason() == TransactionStateException.Reason.ENDED;
  }

  private void pauseOrGiveUp(List<Throwable> failures, LongSupplier elapsed) {
    if (failures.size() >= attempts) {
      throw givenUp(RetriesExhaustedException.Reason.ATTEMPTS, elapsed, failures);
    }
    Duration pause =
        backoff.afterAttempt(failures.size(), () -> ThreadLocalRandom.current().nextDouble());
    if (elapsed.getAsLong() + pause.toNanos() > deadline.toNanos()) {
      throw givenUp(RetriesExhaustedException.Reason.DEADLINE, elapsed, failures);
    }
    try {
      waiter.pause(pause);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (Thread.currentThread().isInterrupted()) {
      throw givenUp(RetriesExhaustedException.Reason.INTERRUPTED, elapsed, failures);
    }
  }

  private RetriesExhaustedException givenUp(
      RetriesExhaustedException.Reason reason, LongSupplier elapsed, List<Throwable> failures) {
    return new RetriesExhaustedException(
        name, reason, Duration.ofNanos(elapsed.getAsLong()), failures);
  }

  private LongSupplier elapsedSince(long start) {
    return () -> waiter.nanoTime() - start;
  }
}
