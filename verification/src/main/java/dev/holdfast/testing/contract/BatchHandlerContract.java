package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.event.EventChangeResult;
import dev.holdfast.event.EventContext;
import dev.holdfast.event.EventHandler;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventRecord;
import dev.holdfast.event.EventStatus;
import dev.holdfast.event.EventType;
import dev.holdfast.event.Outcome;
import dev.holdfast.event.RetryPolicy;
import dev.holdfast.event.Worker;
import dev.holdfast.testing.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Several events of a type in one call of their handler. */
public abstract class BatchHandlerContract extends EventContract {
  private static final EventType<Integer> NUMBER = EventType.of("number", Integer.class);
  private static final EventType<String> OTHER = EventType.of("other", String.class);
  private static final RetryPolicy TWICE =
      RetryPolicy.standard().backoff(Duration.ZERO, Duration.ZERO).attempts(2);

  protected BatchHandlerContract(TestDatabase database) {
    super(database);
  }

  private long live() {
    return schema.count("select count(*) from holdfast_event");
  }

  private List<EventId> scheduleMany(int count) {
    return events
        .scheduleAll(IntStream.range(0, count).mapToObj(i -> TEXT.event("" + i)).toList())
        .stream()
        .map(result -> result.id())
        .toList();
  }

  private static List<String> payloads(List<EventHandler.Item<String>> items) {
    return items.stream().map(EventHandler.Item::payload).toList();
  }

  @Test
  void aBatchTakesWhatIsThereUpToItsMost() {
    scheduleMany(100);
    schedule(OTHER.event("a"));
    Queue<Integer> sizes = new ConcurrentLinkedQueue<>();
    Queue<String> handled = new ConcurrentLinkedQueue<>();
    start(
        worker ->
            worker
                .queue("default", 2)
                .handle(OTHER, (payload, context) -> {})
                .handle(
                    EventHandler.batch(
                        TEXT,
                        30,
                        items -> {
                          sizes.add(items.size());
                          handled.addAll(payloads(items));
                        })));
    await(() -> live() + " must have ended", () -> live() == 0);
    assertThat(handled).hasSize(100).doesNotHaveDuplicates();
    assertThat(sizes).allMatch(size -> size >= 1 && size <= 30).anyMatch(size -> size > 1);
    assertThat(schema.count("select count(*) from holdfast_event_history where status = 2"))
        .isEqualTo(101);
  }

  @Test
  void workersHandleEachEventInOneBatch() {
    Queue<String> handled = new ConcurrentLinkedQueue<>();
    for (int i = 0; i < 2; i++) {
      start(
          worker ->
              worker.handle(
                  EventHandler.batch(TEXT, 50, items -> handled.addAll(payloads(items)))
                      .retry(TWICE)
                      .completeImmediately()));
    }
    scheduleMany(1000);
    await(() -> live() + " must have ended", () -> live() == 0);
    assertThat(handled).hasSize(1000).doesNotHaveDuplicates();
  }

  @Test
  void eachEventHasItsOutcome() {
    List<EventId> ids = scheduleMany(5);
    start(
        worker ->
            worker.handle(
                EventHandler.batch(TEXT, 10, items -> items.forEach(BatchHandlerContract::decide))
                    .retry(TWICE)));
    await(() -> live() + " must have ended", () -> live() == 0);
    assertThat(found(ids.get(0)).status()).isEqualTo(EventStatus.COMPLETED);
    assertThat(found(ids.get(1)).status()).isEqualTo(EventStatus.CANCELLED);
    assertThat(found(ids.get(2)).error()).isEqualTo("broken");
    assertThat(found(ids.get(3)).attempts()).isEqualTo(2);
    assertThat(found(ids.get(3)).error()).isEqualTo("again");
    assertThat(found(ids.get(4)).attempts()).isEqualTo(1);
    assertThat(found(ids.get(4)).version()).isEqualTo(4);
  }

  @Test
  void outcomesNeedNoOptions() {
    List<EventId> ids = scheduleMany(2);
    start(
        worker ->
            worker.handle(
                EventHandler.batch(
                    TEXT, 10, items -> items.forEach(BatchHandlerContract::decide))));
    await(() -> live() + " must have ended", () -> live() == 0);
    assertThat(found(ids.get(0)).status()).isEqualTo(EventStatus.COMPLETED);
    assertThat(found(ids.get(1)).status()).isEqualTo(EventStatus.CANCELLED);
  }

  private static void decide(EventHandler.Item<String> item) {
    if (!item.payload().equals("0")) {
      item.outcome(outcome(item.payload(), item.context()));
    }
  }

  private static Outcome outcome(String payload, EventContext context) {
    return switch (payload) {
      case "1" -> Outcome.cancel("not needed");
      case "2" -> Outcome.fail("broken");
      case "3" -> Outcome.retryAfter(Duration.ZERO, "again");
      case "4" ->
          context.version() == 2 ? Outcome.snooze(Duration.ofMillis(1)) : Outcome.complete();
      default -> Outcome.complete();
    };
  }

  @Test
  void exceptionRetriesEachEvent() {
    EventId first = schedule(TEXT.event("first"));
    AtomicInteger calls = new AtomicInteger();
    start(
        worker ->
            worker
                .queue("default", 1)
                .handle(
                    EventHandler.batch(
                            TEXT,
                            10,
                            items -> {
                              calls.incrementAndGet();
                              throw new IllegalStateException("no luck");
                            })
                        .retry(TWICE)));
    EventRecord ended = awaitStatus(first, EventStatus.FAILED);
    assertThat(ended.attempts()).isEqualTo(2);
    assertThat(ended.error()).contains("no luck");
    List<EventId> more = scheduleMany(5);
    for (EventId id : more) {
      assertThat(awaitStatus(id, EventStatus.FAILED).attempts()).isEqualTo(2);
    }
    assertThat(calls.get()).isGreaterThanOrEqualTo(4);
  }

  @Test
  void itemsWithAnOutcomeKeepItIfTheBatchFails() {
    List<EventId> ids = scheduleMany(4);
    start(
        worker ->
            worker
                .queue("default", 1)
                .handle(
                    EventHandler.batch(
                            TEXT,
                            10,
                            items -> {
                              for (EventHandler.Item<String> item : items) {
                                if (item.payload().equals("0")) {
                                  item.outcome(Outcome.cancel("decided"));
                                } else if (item.payload().equals("1")) {
                                  item.outcome(Outcome.fail("not this"));
                                  item.outcome(Outcome.complete());
                                }
                              }
                              throw new IllegalStateException("no luck");
                            })
                        .retry(TWICE)));
    assertThat(awaitStatus(ids.get(0), EventStatus.CANCELLED).error()).isEqualTo("decided");
    assertThat(awaitStatus(ids.get(1), EventStatus.COMPLETED).attempts()).isEqualTo(1);
    for (EventId id : ids.subList(2, 4)) {
      EventRecord ended = awaitStatus(id, EventStatus.FAILED);
      assertThat(ended.error()).contains("no luck");
      assertThat(ended.attempts()).isEqualTo(2);
    }
  }

  @Test
  void rejectsOutcomeAfterEndOfBatch() throws Exception {
    EventId id = schedule(TEXT.event("a"));
    Queue<EventHandler.Item<String>> kept = new ConcurrentLinkedQueue<>();
    start(
        worker ->
            worker.handle(
                EventHandler.batch(
                        TEXT,
                        10,
                        items -> {
                          kept.addAll(items);
                          items.get(0).outcome(nothing());
                        })
                    .retry(TWICE)));
    assertThat(awaitStatus(id, EventStatus.FAILED).error()).contains("outcome must not be null");
    assertThat(kept).hasSize(2);
    assertThatThrownBy(() -> kept.element().outcome(Outcome.complete()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("too late");
  }

  @SuppressWarnings("NullAway") // as callers without it may do
  private static Outcome nothing() {
    return null;
  }

  @Test
  void oneThatCannotBeReadOrIsUselessIsLeftOut() {
    EventId good = schedule(NUMBER.event(1));
    EventId bad = schedule(EventType.of("number", String.class).event("no number"));
    EventId late = schedule(NUMBER.event(2).deadline(Instant.parse("2020-01-01T00:00:00Z")));
    Queue<Integer> seen = new ConcurrentLinkedQueue<>();
    start(
        worker ->
            worker.handle(
                EventHandler.batch(
                    NUMBER, 10, items -> items.forEach(item -> seen.add(item.payload())))));
    awaitStatus(good, EventStatus.COMPLETED);
    assertThat(awaitStatus(bad, EventStatus.FAILED).error()).contains("cannot be read");
    assertThat(awaitStatus(late, EventStatus.CANCELLED).error()).contains("deadline");
    assertThat(seen).containsExactly(1);
  }

  @Test
  void aBatchThatTakesTooLongHasFailed() {
    List<EventId> ids = scheduleMany(3);
    start(
        worker ->
            worker.handle(
                EventHandler.batch(TEXT, 10, items -> new CountDownLatch(1).await())
                    .retry(TWICE)
                    .timeout(Duration.ofMillis(100))));
    for (EventId id : ids) {
      EventRecord ended = awaitStatus(id, EventStatus.FAILED);
      assertThat(ended.error()).contains("PT0.1S");
      assertThat(ended.attempts()).isEqualTo(2);
    }
  }

  @Test
  void cancelsOneEventOfBatch() throws Exception {
    List<EventId> ids = scheduleMany(3);
    CountDownLatch begun = new CountDownLatch(3);
    start(
        worker ->
            worker
                .leaseDuration(Duration.ofSeconds(4))
                .handle(
                    EventHandler.batch(
                            TEXT,
                            10,
                            items -> {
                              items.forEach(item -> begun.countDown());
                              await(
                                  () -> "one must be cancelled",
                                  () ->
                                      items.stream()
                                          .allMatch(
                                              item ->
                                                  item.context().isCancelled()
                                                      || !item.payload().equals("1")));
                              items.stream()
                                  .filter(item -> item.context().isCancelled())
                                  .forEach(item -> item.outcome(Outcome.cancel("asked to")));
                            })
                        .retry(TWICE)));
    await(begun);
    assertThat(events.requestCancellation(ids.get(1), 2))
        .isEqualTo(new EventChangeResult.Applied(2));
    assertThat(awaitStatus(ids.get(1), EventStatus.CANCELLED).error()).isEqualTo("asked to");
    awaitStatus(ids.get(0), EventStatus.COMPLETED);
    awaitStatus(ids.get(2), EventStatus.COMPLETED);
  }

  @Test
  void aWorkerThatStopsGivesBackItsBatch() throws Exception {
    List<EventId> ids = scheduleMany(10);
    CountDownLatch begun = new CountDownLatch(1);
    Worker worker =
        start(
            builder ->
                builder
                    .queue("default", 1)
                    .handle(
                        EventHandler.batch(
                            TEXT,
                            4,
                            items -> {
                              begun.countDown();
                              new CountDownLatch(1).await();
                            })));
    await(begun);
    assertThat(worker.stop(Duration.ofMillis(50))).isFalse();
    assertThat(worker.inFlight()).isZero();
    for (EventId id : ids) {
      assertThat(found(id).status()).isEqualTo(EventStatus.PENDING);
      assertThat(found(id).attempts()).isZero();
    }
  }

  @Test
  void aBatchThatDoesNotStopIsTakenAway() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    AtomicInteger calls = new AtomicInteger();
    List<EventId> ids = scheduleMany(3);
    start(
        worker ->
            worker
                .queue("default", 1)
                .handle(
                    EventHandler.batch(
                            TEXT,
                            10,
                            items -> {
                              if (calls.getAndIncrement() == 0) {
                                await(() -> "it ignores its interrupt", () -> go.getCount() == 0);
                              }
                            })
                        .retry(TWICE)
                        .timeout(Duration.ofMillis(100))));
    for (EventId id : ids) {
      EventRecord ended = awaitStatus(id, EventStatus.COMPLETED);
      assertThat(ended.attempts()).isLessThanOrEqualTo(2);
    }
    go.countDown();
    awaitStatus(schedule(TEXT.event("after")), EventStatus.COMPLETED);
  }

  @Test
  void aBatchOfNoneIsRefused() {
    assertThatThrownBy(() -> holdfast.worker().handle(EventHandler.batch(TEXT, 0, items -> {})))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("maxSize");
  }
}
