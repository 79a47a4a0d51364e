package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.transaction.Transaction;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Something on a thread of its own, that can be held in the middle. */
final class InProgressRequest<T extends @Nullable Object> implements AutoCloseable {
  private static final long SEEN_WAITING_MILLIS = 300;

  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch go = new CountDownLatch(1);
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(
          task -> {
            Thread daemon = new Thread(task, "at-work");
            daemon.setDaemon(true);
            return daemon;
          });
  private volatile boolean fails;
  private final Future<T> answer;

  /** Fails work that was told to. */
  static final class ChangedItsMind extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  /** What is done, and calls {@link #stop} where it is held. */
  interface Doing<T extends @Nullable Object> {
    T run(InProgressRequest<T> self) throws Exception;
  }

  private InProgressRequest(Doing<T> doing) {
    this.answer = thread.submit(() -> doing.run(this));
  }

  /** Begins, and returns when it has come to the point where it is held. */
  static <T extends @Nullable Object> InProgressRequest<T> held(Doing<T> doing)
      throws InterruptedException {
    InProgressRequest<T> work = new InProgressRequest<>(doing);
    for (int waits = 0; !work.begun.await(20, TimeUnit.MILLISECONDS); waits++) {
      assertThat(work.answer.isDone() ? work.ended() : "").as("it has ended before").isEmpty();
      assertThat(waits).as("it has begun").isLessThan(3000);
    }
    return work;
  }

  /** Begins, and returns when it can be seen that it waits for somebody. */
  static <T extends @Nullable Object> InProgressRequest<T> waiting(Callable<T> doing) {
    InProgressRequest<T> work = new InProgressRequest<>(self -> doing.call());
    assertThatThrownBy(() -> work.answer.get(SEEN_WAITING_MILLIS, TimeUnit.MILLISECONDS))
        .as("it waits")
        .isInstanceOf(TimeoutException.class);
    return work;
  }

  private String ended() {
    try {
      return "with " + answer.get();
    } catch (ExecutionException | InterruptedException e) {
      return String.valueOf(e.getCause());
    }
  }

  /** Holds the work that calls this. */
  void stop() {
    begun.countDown();
    try {
      assertThat(go.await(60, TimeUnit.SECONDS)).as("it may go on").isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    if (fails) {
      throw new ChangedItsMind();
    }
  }

  /** An order that stops before it is answered. */
  String order(Transaction tx, String item) {
    String answer = IdempotentExecutionTests.order(tx, item);
    stop();
    return answer;
  }

  /** Lets it go on, and answers what it answers. */
  T end() throws Exception {
    go.countDown();
    return answer.get(60, TimeUnit.SECONDS);
  }

  /** Lets it fail. */
  void fail() {
    fails = true;
    assertThatThrownBy(this::end).hasCauseInstanceOf(ChangedItsMind.class);
  }

  @Override
  public void close() {
    go.countDown();
    thread.shutdownNow();
  }
}
