package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.event.BatchItem;
import dev.holdfast.event.EventChangeResult;
import dev.holdfast.event.EventContext;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventRecord;
import dev.holdfast.event.EventStatus;
import dev.holdfast.event.EventType;
import dev.holdfast.event.HandlerOptions;
import dev.holdfast.event.Outcome;
import dev.holdfast.event.RetryPolicy;
import dev.holdfast.event.Worker;
import dev.holdfast.testing.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Several events of a type in one call of their handler. */
public abstract class BatchesContract extends EventContract {
  private static final EventType<Integer> NUMBER = EventType.of("number", Integer.class);
  private static final EventType<String> OTHER = EventType.of("other", String.class);
  private static final HandlerOptions TWICE =
      HandlerOptions.standard()
          .retries(RetryPolicy.standard().backoff(Duration.ZERO, Duration.ZERO).attempts(2));

  protected BatchesContract(TestDatabase database) {
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

  private static List<String> payloads(List<BatchItem<String>> items) {
    return items.stream().map(BatchItem::payload).toList();
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
                .handleBatch(
                    TEXT,
                    30,
                    items -> {
                      sizes.add(items.size());
                      handled.addAll(payloads(items));
                    }));
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
              worker.handleBatch(
                  TEXT,
                  50,
                  TWICE.completion(HandlerOptions.Completion.IMMEDIATE),
                  items -> handled.addAll(payloads(items))));
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
            worker.handleBatchWithOutcomes(
                TEXT, 10, TWICE, items -> items.stream().map(item -> outcome(item)).toList()));
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
            worker.handleBatchWithOutcomes(
                TEXT, 10, items -> items.stream().map(item -> outcome(item)).toList()));
    await(() -> live() + " must have ended", () -> live() == 0);
    assertThat(found(ids.get(0)).status()).isEqualTo(EventStatus.COMPLETED);
    assertThat(found(ids.get(1)).status()).isEqualTo(EventStatus.CANCELLED);
  }

  private static Outcome outcome(BatchItem<String> item) {
    EventContext context = item.context();
    return switch (item.payload()) {
      case "1" -> Outcome.cancel("not needed");
      case "2" -> Outcome.fail("broken");
      case "3" -> Outcome.retryAfter(Duration.ZERO, "again");
      case "4" -> context.version() == 2 ? Outcome.snooze(Duration.ofMillis(1)) : Outcome.done();
      default -> Outcome.done();
    };
  }

  @Test
  void anExceptionIsARetryOfEachByItsOwnAttempts() {
    EventId first = schedule(TEXT.event("first"));
    AtomicInteger calls = new AtomicInteger();
    start(
        worker ->
            worker
                .queue("default", 1)
                .handleBatch(
                    TEXT,
                    10,
                    TWICE,
                    items -> {
                      calls.incrementAndGet();
                      throw new IllegalStateException("no luck");
                    }));
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
  void outcomesThatAreMissingAreAFailureOfAll() {
    List<EventId> ids = scheduleMany(3);
    start(
        worker ->
            worker
                .queue("default", 1)
                .handleBatchWithOutcomes(TEXT, 10, TWICE, items -> new ArrayList<>()));
    for (EventId id : ids) {
      assertThat(awaitStatus(id, EventStatus.FAILED).error()).contains("were 0");
    }
  }

  @Test
  void oneThatCannotBeReadOrIsUselessIsLeftOut() {
    EventId good = schedule(NUMBER.event(1));
    EventId bad = schedule(EventType.of("number", String.class).event("no number"));
    EventId late = schedule(NUMBER.event(2).deadline(Instant.parse("2020-01-01T00:00:00Z")));
    Queue<Integer> seen = new ConcurrentLinkedQueue<>();
    start(
        worker ->
            worker.handleBatch(
                NUMBER, 10, items -> items.forEach(item -> seen.add(item.payload()))));
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
            worker.handleBatch(
                TEXT,
                10,
                TWICE.timeout(Duration.ofMillis(100)),
                items -> new CountDownLatch(1).await()));
    for (EventId id : ids) {
      EventRecord ended = awaitStatus(id, EventStatus.FAILED);
      assertThat(ended.error()).contains("PT0.1S");
      assertThat(ended.attempts()).isEqualTo(2);
    }
  }

  @Test
  void oneOfABatchIsAskedToStopAndTheOthersGoOn() throws Exception {
    List<EventId> ids = scheduleMany(3);
    CountDownLatch begun = new CountDownLatch(3);
    start(
        worker ->
            worker
                .lease(Duration.ofSeconds(4))
                .handleBatchWithOutcomes(
                    TEXT,
                    10,
                    TWICE,
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
                      return items.stream()
                          .map(
                              item ->
                                  item.context().isCancelled()
                                      ? Outcome.cancel("asked to")
                                      : Outcome.done())
                          .toList();
                    }));
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
                    .handleBatch(
                        TEXT,
                        4,
                        items -> {
                          begun.countDown();
                          new CountDownLatch(1).await();
                        }));
    await(begun);
    assertThat(worker.stop(Duration.ofMillis(50))).isFalse();
    assertThat(worker.inHands()).isZero();
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
                .handleBatch(
                    TEXT,
                    10,
                    TWICE.timeout(Duration.ofMillis(100)),
                    items -> {
                      if (calls.getAndIncrement() == 0) {
                        await(() -> "it ignores its interrupt", () -> go.getCount() == 0);
                      }
                    }));
    for (EventId id : ids) {
      EventRecord ended = awaitStatus(id, EventStatus.COMPLETED);
      assertThat(ended.attempts()).isLessThanOrEqualTo(2);
    }
    go.countDown();
    awaitStatus(schedule(TEXT.event("after")), EventStatus.COMPLETED);
  }

  @Test
  void aBatchOfNoneIsRefused() {
    assertThatThrownBy(() -> holdfast.worker().handleBatch(TEXT, 0, items -> {}))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("batch");
  }
}
