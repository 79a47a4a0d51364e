package dev.holdfast.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Health;
import dev.holdfast.Health.Status;
import dev.holdfast.InvalidArgumentException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RepeatingServiceTest {
  private final Counting service = new Counting();

  @AfterEach
  void close() {
    service.release.countDown();
    service.close();
  }

  /** Counts its runs; each of them can be made to wait, to fail, or to be user code. */
  private static final class Counting extends RepeatingService {
    final AtomicInteger runs = new AtomicInteger();
    final AtomicReference<@Nullable String> failure = new AtomicReference<>();
    final AtomicReference<@Nullable Thread> userCode = new AtomicReference<>();
    final CountDownLatch release = new CountDownLatch(1);
    volatile boolean waits;
    volatile boolean interrupted;

    Counting() {
      super("counting", "holdfast-counting", Duration.ofSeconds(30));
    }

    @Override
    protected Duration repeat() {
      runs.incrementAndGet();
      String now = failure.get();
      if (now == null) {
        succeeded();
      } else {
        failed("counting-failed", now);
      }
      if (waits) {
        try {
          release.await();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      return Duration.ofMillis(1);
    }

    @Override
    protected boolean interrupt(Thread thread) {
      if (userCode.get() == null) {
        return false;
      }
      thread.interrupt();
      return true;
    }
  }

  private void awaitRuns(int more) {
    int before = service.runs.get();
    await().until(() -> service.runs.get() >= before + more);
  }

  @Test
  void aServiceThatWasBuiltDoesNotRun() {
    assertThat(service.isRunning()).isFalse();
    assertThat(service.health()).isEqualTo(Health.stopped());
    assertThat(service.stop(Duration.ZERO)).isTrue();
  }

  @Test
  void restartsAfterStop() {
    for (int i = 0; i < 2; i++) {
      service.start();
      service.start();
      assertThat(service.isRunning()).isTrue();
      assertThat(service.health().status()).isEqualTo(Status.UP);
      awaitRuns(2);
      assertThat(service.stop(Duration.ofSeconds(30))).isTrue();
      assertThat(service.isRunning()).isFalse();
      assertThat(service.health().status()).isEqualTo(Status.STOPPED);
      int after = service.runs.get();
      assertThat(Thread.getAllStackTraces().keySet())
          .noneMatch(thread -> thread.getName().equals("holdfast-counting"));
      assertThat(service.runs).hasValue(after);
    }
  }

  @Test
  void afterCloseItCannotBeStarted() {
    service.start();
    service.close();
    service.close();
    assertThat(service.isRunning()).isFalse();
    assertThatThrownBy(service::start)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("counting");
  }

  @Test
  void aFailureIsAnIssueUntilARunSucceeds() {
    service.failure.set("no luck");
    service.start();
    awaitRuns(2);
    Health health = service.health();
    assertThat(health.status()).isEqualTo(Status.DEGRADED);
    assertThat(health.isWorking()).isTrue();
    assertThat(health.issues())
        .singleElement()
        .satisfies(
            issue -> {
              assertThat(issue.code()).isEqualTo("counting-failed");
              assertThat(issue.message()).isEqualTo("no luck");
              assertThat(issue.age()).isPositive();
            });
    service.failure.set(null);
    awaitRuns(2);
    assertThat(service.health().issues()).isEmpty();
  }

  @Test
  void stopInterruptsUserCodeOnly() {
    service.waits = true;
    service.start();
    await().until(() -> service.runs.get() == 1);

    assertThat(service.stop(Duration.ofMillis(20))).isFalse();

    assertThat(service.isRunning()).isFalse();
    assertThat(service.interrupted).isFalse();
    service.release.countDown();
    assertThat(service.stop(Duration.ofSeconds(30))).as("it has ended by itself").isTrue();
  }

  @Test
  void userCodeIsInterruptedAfterTheTimeout() {
    service.waits = true;
    service.userCode.set(Thread.currentThread());
    service.start();
    await().until(() -> service.runs.get() == 1);

    assertThat(service.stop(Duration.ofMillis(20))).isFalse();

    assertThat(service.interrupted).isTrue();
    assertThat(service.stop(Duration.ZERO)).isTrue();
  }

  @Test
  void timeoutsAreChecked() {
    assertThatThrownBy(() -> service.stop(Duration.ofMillis(-1)))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("timeout");
  }
}
