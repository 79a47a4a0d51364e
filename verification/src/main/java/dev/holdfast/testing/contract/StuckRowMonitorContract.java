package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.BackgroundService;
import dev.holdfast.Health;
import dev.holdfast.guard.StuckRows;
import dev.holdfast.guard.SweepException;
import dev.holdfast.guard.SweepResult;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.transaction.Transactions;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** What the stuck-row monitor does over time. */
public abstract class StuckRowMonitorContract extends TasksContract {
  private static final Duration OFTEN = Duration.ofMillis(10);
  private static final Duration ONCE = Duration.ofHours(1);
  private static final int MAX_SWEEPS = 10_000;

  protected StuckRowMonitorContract(TestDatabase database) {
    super(database);
  }

  /** Remembers what it hears. */
  private static final class Heard implements StuckRows.Listener {
    final BlockingQueue<SweepResult> results = new LinkedBlockingQueue<>();
    final BlockingQueue<Throwable> failures = new LinkedBlockingQueue<>();

    @Override
    public void swept(SweepResult result) {
      results.add(result);
    }

    @Override
    public void failed(Throwable failure) {
      failures.add(failure);
    }

    SweepResult awaitResult() throws InterruptedException {
      return awaitOne(results);
    }

    SweepResult awaitRecovery() throws InterruptedException {
      for (int sweep = 0; sweep < MAX_SWEEPS; sweep++) {
        SweepResult result = awaitResult();
        if (result.recovered() > 0) {
          return result;
        }
      }
      throw new AssertionError("nothing was recovered in " + MAX_SWEEPS + " sweeps");
    }
  }

  private static <T> T awaitOne(BlockingQueue<T> queue) throws InterruptedException {
    T one = queue.poll(30, TimeUnit.SECONDS);
    if (one == null) {
      throw new AssertionError("nothing was heard of the monitor for 30 s");
    }
    return one;
  }

  @Test
  void sweepsAtOnceAndThenAgainAndAgain() throws InterruptedException {
    Heard heard = new Heard();
    insertStuck(1, 3);
    try (BackgroundService monitor = tasks().monitor(transactions, OFTEN, heard)) {
      monitor.start();
      assertThat(heard.awaitResult().recovered()).isEqualTo(3);
      insertStuck(4, 5);
      int recovered = heard.awaitRecovery().recovered();
      recovered += recovered < 2 ? heard.awaitRecovery().recovered() : 0;

      assertThat(recovered).isEqualTo(2);
      assertThat(monitor.isRunning()).isTrue();
      assertThat(monitor.health().status()).isEqualTo(Health.Status.UP);
      assertThat(monitor.health().details()).containsEntry("failed", "0");
    }
    assertThat(countTasks("status = 'READY' and version = 6")).isEqualTo(5);
  }

  @Test
  void goesOnAfterASweepThatFailed() throws InterruptedException {
    Heard heard = new Heard();
    schema.execute("alter table tasks rename to tasks_elsewhere");
    try (BackgroundService monitor = tasks().monitor(transactions, OFTEN, heard)) {
      monitor.start();
      assertThat(awaitOne(heard.failures)).isInstanceOf(SweepException.class);
      assertThat(monitor.health().status()).isEqualTo(Health.Status.DEGRADED);
      assertThat(monitor.health().issues())
          .extracting(Health.Issue::code)
          .containsExactly("sweep-failed");
      assertThat(monitor.health().details()).containsEntry("recovered", "0");

      schema.execute("alter table tasks_elsewhere rename to tasks");
      insertStuck(1, 1);
      assertThat(heard.awaitRecovery().recovered()).isEqualTo(1);
      assertThat(monitor.health().issues()).isEmpty();
    }
  }

  @Test
  void goesOnAfterAListenerThatFailed() throws InterruptedException {
    CountDownLatch sweeps = new CountDownLatch(3);
    StuckRows.Listener angry =
        new StuckRows.Listener() {
          @Override
          public void swept(SweepResult result) {
            sweeps.countDown();
            throw new IllegalStateException("a listener that cannot listen");
          }
        };
    try (BackgroundService monitor = tasks().monitor(transactions, OFTEN, angry)) {
      monitor.start();
      assertThat(sweeps.await(30, TimeUnit.SECONDS)).isTrue();
      assertThat(monitor.health().issues()).isEmpty();
    }
  }

  @Test
  void waitsForTheRunningBatchWhenItIsClosed() throws InterruptedException {
    Heard heard = new Heard();
    CountDownLatch inBatch = new CountDownLatch(1);
    CountDownLatch mayCommit = new CountDownLatch(1);
    insertStuck(1, 3);
    FaultyDataSource slow = new FaultyDataSource(schema.dataSource());
    slow.beforeCommit(
        connection -> {
          inBatch.countDown();
          assertThat(mayCommit.await(30, TimeUnit.SECONDS)).isTrue();
        });

    BackgroundService monitor =
        tasks().batch(1).monitor(Transactions.on(slow.dataSource()), ONCE, heard);
    monitor.start();
    assertThat(inBatch.await(30, TimeUnit.SECONDS)).isTrue();
    Thread closer = new Thread(monitor::close);
    closer.start();
    while (monitor.isRunning() || closer.getState() != Thread.State.TIMED_WAITING) {
      assertThat(closer.isAlive()).as("close() waits").isTrue();
      Thread.onSpinWait();
    }
    assertThat(heard.results).isEmpty();
    mayCommit.countDown();
    closer.join(30_000);

    assertThat(closer.isAlive()).isFalse();
    assertThat(heard.results)
        .singleElement()
        .satisfies(
            result -> {
              assertThat(result.recovered()).isEqualTo(1);
              assertThat(result.complete()).isFalse();
            });
    assertThat(countTasks("status = 'READY' and version = 6")).isEqualTo(1);
    monitor.close();
  }

  @Test
  void stopsAtOnceBetweenSweeps() throws InterruptedException {
    Heard heard = new Heard();
    BackgroundService monitor = tasks().monitor(transactions, ONCE, heard);
    monitor.start();
    heard.awaitResult();

    monitor.close();

    assertThat(monitor.isRunning()).isFalse();
    assertThat(heard.results).isEmpty();
    assertThat(monitor).hasToString("stuck rows of tasks (stopped)");
    assertThat(monitor.health()).isEqualTo(Health.stopped());
    assertThatThrownBy(monitor::start).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void canBeClosedByItsListener() throws InterruptedException {
    AtomicReference<BackgroundService> itself = new AtomicReference<>();
    CountDownLatch known = new CountDownLatch(1);
    CountDownLatch closed = new CountDownLatch(1);
    BackgroundService monitor =
        tasks()
            .monitor(
                transactions,
                OFTEN,
                new StuckRows.Listener() {
                  @Override
                  public void swept(SweepResult result) {
                    try {
                      assertThat(known.await(30, TimeUnit.SECONDS)).isTrue();
                    } catch (InterruptedException e) {
                      throw new AssertionError(e);
                    }
                    itself.get().close();
                    closed.countDown();
                  }
                });
    itself.set(monitor);
    monitor.start();
    known.countDown();

    assertThat(closed.await(30, TimeUnit.SECONDS)).isTrue();
    assertThat(monitor.isRunning()).isFalse();
    monitor.close();
  }
}
