package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.event.EventHandler;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventStatus;
import dev.holdfast.event.RetryPolicy;
import dev.holdfast.event.Worker;
import dev.holdfast.testing.TestDatabase;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** A handler that swallows the interrupt of its time limit and goes on. */
public abstract class StubbornHandlerContract extends EventContract {
  protected StubbornHandlerContract(TestDatabase database) {
    super(database);
  }

  @Test
  void isReportedAndItsResultIsRefused() throws Exception {
    CountDownLatch interrupted = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    CountDownLatch returned = new CountDownLatch(1);
    EventId id = schedule(TEXT.event("stubborn"));
    String log =
        logOf(
            () -> {
              Worker worker =
                  start(
                      builder ->
                          builder
                              .queue("default", 1)
                              .handle(
                                  EventHandler.of(
                                          TEXT,
                                          (text, context) -> {
                                            if (text.equals("stubborn")) {
                                              awaitThroughInterrupts(go, interrupted);
                                              returned.countDown();
                                            }
                                          })
                                      .timeout(Duration.ofMillis(50))
                                      .retry(RetryPolicy.standard().attempts(1))));
              assertThat(awaitStatus(id, EventStatus.FAILED).error()).contains("did not stop");
              // its place is free for others while it still runs
              awaitStatus(schedule(TEXT.event("next")), EventStatus.COMPLETED);
              assertThat(interrupted.getCount()).isZero();
              assertThat(returned.getCount()).isEqualTo(1);
              int version = found(id).version();
              go.countDown();
              await(() -> "the handler must return", () -> returned.getCount() == 0);
              awaitStatus(schedule(TEXT.event("last")), EventStatus.COMPLETED);
              worker.stop(LIMIT);
              assertThat(found(id).version()).isEqualTo(version);
            });
    assertThat(found(id).status()).isEqualTo(EventStatus.FAILED);
    assertThat(found(id).attempts()).isEqualTo(1);
    assertThat(log)
        .contains("event-handler-hung: handler of event " + id + " (text) ignored its interrupt")
        .contains(
            "event-handler-late: handler of event "
                + id
                + " returned after its event was abandoned; outcome rejected");
  }

  /** As a handler does that swallows the interrupt and goes on. */
  private static void awaitThroughInterrupts(CountDownLatch go, CountDownLatch interrupted) {
    while (true) {
      try {
        go.await();
        return;
      } catch (InterruptedException e) {
        interrupted.countDown();
      }
    }
  }
}
