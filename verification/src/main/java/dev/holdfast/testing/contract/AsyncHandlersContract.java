package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.event.EventHandler;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventRecord;
import dev.holdfast.event.EventStatus;
import dev.holdfast.event.ManualWorker;
import dev.holdfast.event.Outcome;
import dev.holdfast.event.RetryPolicy;
import dev.holdfast.event.Worker;
import dev.holdfast.testing.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Handlers that go on without a thread keep all that handlers with a thread keep. */
public abstract class AsyncHandlersContract extends EventContract {
  private static final RetryPolicy AT_ONCE =
      RetryPolicy.standard().backoff(Duration.ZERO, Duration.ZERO).attempts(2);

  private final Map<String, CompletableFuture<Outcome>> inFlight = new ConcurrentHashMap<>();

  protected AsyncHandlersContract(TestDatabase database) {
    super(database);
  }

  private CompletableFuture<Outcome> fly(String text) {
    CompletableFuture<Outcome> stage = new CompletableFuture<>();
    inFlight.put(text, stage);
    return stage;
  }

  private Worker flying() {
    return start(worker -> worker.handle(flight()));
  }

  private EventHandler<String> flight() {
    return EventHandler.async(TEXT, (text, context) -> fly(text));
  }

  private CompletableFuture<Outcome> inFlight(String text) {
    await(() -> text + " must be in flight", () -> inFlight.containsKey(text));
    return Objects.requireNonNull(inFlight.get(text));
  }

  @Test
  void anEventEndsWhenItsStageCompletes() {
    EventId done = schedule(TEXT.event("done"));
    EventId failing = schedule(TEXT.event("failing"));
    Worker worker = flying();
    inFlight("failing").complete(Outcome.fail("no"));
    assertThat(awaitStatus(failing, EventStatus.FAILED).error()).isEqualTo("no");
    assertThat(found(done).status()).isEqualTo(EventStatus.PROCESSING);
    inFlight("done").complete(Outcome.complete());
    awaitStatus(done, EventStatus.COMPLETED);
    await(() -> "nothing must be left in hands", () -> worker.inFlight() == 0);
  }

  @Test
  void inFlightIsLimitedToMaxConcurrency() {
    int most = 50;
    int sum = 120;
    Set<String> threads = ConcurrentHashMap.newKeySet();
    AtomicInteger flying = new AtomicInteger();
    AtomicInteger peak = new AtomicInteger();
    events.scheduleAll(IntStream.range(0, sum).mapToObj(i -> TEXT.event("" + i)).toList());
    start(
        worker ->
            worker
                .queue("default", most)
                .handle(
                    EventHandler.async(
                        TEXT,
                        (text, context) -> {
                          threads.add(Thread.currentThread().getName());
                          peak.accumulateAndGet(flying.incrementAndGet(), Math::max);
                          return fly(text);
                        })));
    for (int begun = 0; begun < sum; begun += most) {
      int now = Math.min(sum, begun + most);
      await(() -> now + " must be begun, were " + inFlight.size(), () -> inFlight.size() >= now);
      // not those that are begun meanwhile
      for (CompletableFuture<Outcome> stage : List.copyOf(inFlight.values())) {
        if (!stage.isDone()) {
          flying.decrementAndGet();
          stage.complete(Outcome.complete());
        }
      }
    }
    await(() -> "all must end", () -> schema.count("select count(*) from holdfast_event") == 0);
    assertThat(peak).hasValueLessThanOrEqualTo(most);
    assertThat(threads).hasSizeLessThanOrEqualTo(4);
  }

  private EventRecord failed(EventHandler.Async<String> handler) {
    EventId id = schedule(TEXT.event("a"));
    Worker worker =
        start(builder -> builder.handle(EventHandler.async(TEXT, handler).retry(AT_ONCE)));
    EventRecord ended = awaitStatus(id, EventStatus.FAILED);
    await(() -> "nothing must be left in hands", () -> worker.inFlight() == 0);
    assertThat(ended.attempts()).isEqualTo(2);
    assertThat(worker.stop(LIMIT)).isTrue();
    return ended;
  }

  @Test
  void aStageThatFailsIsAFailedAttempt() {
    assertThat(
            failed(
                    (text, context) ->
                        CompletableFuture.supplyAsync(
                            () -> {
                              throw new IllegalStateException("broken");
                            }))
                .error())
        .contains("IllegalStateException: broken")
        .doesNotContain("CompletionException");
  }

  @Test
  void aHandlerThatThrowsIsAFailedAttempt() {
    assertThat(
            failed(
                    (text, context) -> {
                      throw new IllegalStateException("at once");
                    })
                .error())
        .contains("at once");
  }

  @Test
  @SuppressWarnings({"NullAway", "FutureReturnValueIgnored"})
  void noStageAndNoOutcomeAreFailedAttempts() {
    assertThat(failed((text, context) -> null).error()).contains("what the handler of");
    assertThat(failed((text, context) -> CompletableFuture.completedFuture(null)).error())
        .contains("the outcome of the handler of");
  }

  @Test
  void aStageThatTakesTooLongIsCancelled() {
    EventId id = schedule(TEXT.event("slow"));
    start(
        worker ->
            worker.handle(
                flight().timeout(Duration.ofMillis(50)).retry(RetryPolicy.standard().attempts(1))));
    assertThat(awaitStatus(id, EventStatus.FAILED).error()).contains("took longer than");
    assertThat(inFlight("slow")).isCancelled();
  }

  @Test
  void cancelsEventInFlight() {
    EventId id = schedule(TEXT.event("unwanted"));
    flying();
    CompletableFuture<Outcome> stage = inFlight("unwanted");
    events.requestCancellation(id, found(id).version());
    awaitStatus(id, EventStatus.CANCELLED);
    assertThat(stage).isCancelled();
  }

  /** A stage that cannot be cancelled loses its event, and its place is free for another. */
  @Test
  void aStageThatIgnoresItsEndIsRefused() throws InterruptedException {
    CountDownLatch refusing = new CountDownLatch(1);
    CompletableFuture<Outcome> stubborn =
        new CompletableFuture<>() {
          @Override
          public boolean cancel(boolean mayInterrupt) {
            refusing.countDown();
            return false;
          }
        };
    EventId id = schedule(TEXT.event("stubborn"));
    start(
        worker ->
            worker
                .queue("default", 1)
                .handle(
                    EventHandler.async(
                            TEXT,
                            (text, context) ->
                                text.equals("stubborn")
                                    ? stubborn
                                    : CompletableFuture.completedFuture(Outcome.complete()))
                        .timeout(Duration.ofMillis(50))
                        .retry(RetryPolicy.standard().attempts(1))));
    await(refusing);
    assertThat(awaitStatus(id, EventStatus.FAILED).error()).contains("did not stop");
    stubborn.complete(Outcome.complete());
    EventId next = schedule(TEXT.event("next"));
    awaitStatus(next, EventStatus.COMPLETED);
    assertThat(found(id).status()).isEqualTo(EventStatus.FAILED);
  }

  @Test
  void aWorkerThatStopsGivesBackWhatIsInFlight() {
    EventId id = schedule(TEXT.event("held"));
    Worker worker = flying();
    assertThat(inFlight("held")).isNotDone();
    assertThat(worker.stop(Duration.ZERO)).isFalse();
    assertThat(found(id).status()).isEqualTo(EventStatus.PENDING);
    assertThat(found(id).attempts()).isZero();
  }

  @Test
  void manualWorkerWaitsForStage() {
    List<EventId> ids = List.of(schedule(TEXT.event("a")), schedule(TEXT.event("b")));
    ManualWorker worker =
        holdfast
            .worker()
            .handle(
                EventHandler.async(
                    TEXT, (text, context) -> CompletableFuture.supplyAsync(Outcome::complete)))
            .buildManual();
    List<EventId> handled =
        IntStream.range(0, 2)
            .mapToObj(i -> worker.handleNext().orElseThrow().event().id())
            .toList();
    assertThat(handled).isEqualTo(ids);
    ids.forEach(id -> assertThat(found(id).status()).isEqualTo(EventStatus.COMPLETED));
  }

  @Test
  void itsEndsAreStoredInBatchesOnly() {
    assertThatThrownBy(() -> flight().completeImmediately())
        .hasMessageContaining("must not complete immediately");
  }
}
