package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

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
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What becomes of events in the hands of a worker. */
public abstract class WorkerContract extends EventContract {
  private static final EventType<String> OTHER = EventType.of("other", String.class);
  private static final EventType<Integer> NUMBER = EventType.of("number", Integer.class);
  private static final RetryPolicy AT_ONCE =
      RetryPolicy.standard().backoff(Duration.ZERO, Duration.ZERO).attempts(3);

  protected WorkerContract(TestDatabase database) {
    super(database);
  }

  private EventId handled(EventHandler.Returning<String> handler) {
    EventId id = schedule(TEXT.event("a").key("k").tags("x", "y"));
    start(worker -> worker.handle(EventHandler.returning(TEXT, handler).retry(AT_ONCE)));
    return id;
  }

  @Test
  void handlerReceivesEvent() {
    List<EventContext> contexts = new CopyOnWriteArrayList<>();
    List<String> payloads = new CopyOnWriteArrayList<>();
    EventId id =
        handled(
            (payload, context) -> {
              payloads.add(payload);
              contexts.add(context);
              assertThat(context.isCancelled()).isFalse();
              assertThat(context.isOwned()).isTrue();
              return Outcome.complete();
            });
    EventRecord ended = awaitStatus(id, EventStatus.COMPLETED);
    assertThat(payloads).containsExactly("a");
    EventContext context = contexts.get(0);
    assertThat(context.id()).isEqualTo(id);
    assertThat(context.version()).isEqualTo(2);
    assertThat(context.attempt()).isEqualTo(1);
    assertThat(context.type()).isEqualTo("text");
    assertThat(context.key()).contains("k");
    assertThat(context.tags()).containsExactly("x", "y");
    assertThat(context.dueAt()).isEqualTo(ended.dueAt());
    assertThat(ended.version()).isEqualTo(2);
    assertThat(ended.attempts()).isEqualTo(1);
    assertThat(ended.error()).isNull();
    assertThat(ended.claimedAt()).isNotNull();
    assertThat(ended.endedAt()).isNotNull();
    assertThat(schema.count("select count(*) from holdfast_event")).isZero();
  }

  @Test
  void aHandlerCancels() {
    EventRecord ended =
        awaitStatus(
            handled((payload, context) -> Outcome.cancel("nobody's")), EventStatus.CANCELLED);
    assertThat(ended.error()).isEqualTo("nobody's");
    assertThat(ended.attempts()).isEqualTo(1);
  }

  @Test
  void handlerFailsPermanently() {
    EventRecord ended =
        awaitStatus(handled((payload, context) -> Outcome.fail("never")), EventStatus.FAILED);
    assertThat(ended.error()).isEqualTo("never");
    assertThat(ended.attempts()).isEqualTo(1);
  }

  @Test
  void aRetryCountsAndTheLastAttemptFails() {
    AtomicInteger calls = new AtomicInteger();
    EventRecord ended =
        awaitStatus(
            handled(
                (payload, context) -> {
                  assertThat(context.attempt()).isEqualTo(calls.incrementAndGet());
                  return Outcome.retryAfter(Duration.ZERO, "not yet " + context.attempt());
                }),
            EventStatus.FAILED);
    assertThat(ended.attempts()).isEqualTo(3);
    assertThat(ended.error()).isEqualTo("not yet 3");
    assertThat(ended.version()).isEqualTo(6);
    assertThat(calls).hasValue(3);
  }

  @Test
  void aRetryWaitsForItsTime() {
    Instant later = Instant.parse("2050-01-01T00:00:00.000001Z");
    EventId id = handled((payload, context) -> Outcome.retryAt(later, "closed"));
    await(() -> found(id).toString(), () -> found(id).version() == 3);
    EventRecord waiting = found(id);
    assertThat(waiting.status()).isEqualTo(EventStatus.PENDING);
    assertThat(waiting.dueAt()).isEqualTo(later);
    assertThat(waiting.attempts()).isEqualTo(1);
    assertThat(waiting.error()).isEqualTo("closed");
  }

  @Test
  void aSnoozeDoesNotCount() {
    AtomicInteger calls = new AtomicInteger();
    EventRecord ended =
        awaitStatus(
            handled(
                (payload, context) ->
                    calls.incrementAndGet() < 6
                        ? Outcome.snooze(Duration.ofMillis(1))
                        : Outcome.complete()),
            EventStatus.COMPLETED);
    assertThat(ended.attempts()).isEqualTo(1);
    assertThat(ended.version()).isEqualTo(12);
  }

  @Test
  void anExceptionIsRetriedByThePolicy() {
    EventRecord ended =
        awaitStatus(
            handled(
                (payload, context) -> {
                  throw new IllegalStateException("broken '" + context.attempt() + "' \0 😀");
                }),
            EventStatus.FAILED);
    assertThat(ended.attempts()).isEqualTo(3);
    assertThat(ended.error()).contains("IllegalStateException", "broken '3'", "😀");
  }

  @Test
  void successClearsEarlierError() {
    EventRecord ended =
        awaitStatus(
            handled(
                (payload, context) ->
                    context.attempt() == 1
                        ? Outcome.retryAfter(Duration.ZERO, "first")
                        : Outcome.complete()),
            EventStatus.COMPLETED);
    assertThat(ended.error()).isNull();
    assertThat(ended.attempts()).isEqualTo(2);
  }

  /** Looks only when it has a reason to. */
  private void startPatient(EventHandler.Returning<String> handler) {
    start(
        worker ->
            worker
                .leaseDuration(Duration.ofHours(1))
                .pollInterval(Duration.ofHours(1))
                .handle(EventHandler.returning(TEXT, handler).retry(AT_ONCE.attempts(20))));
  }

  @Test
  void aRetryIsNotLeftToTheNextLook() {
    EventId id = schedule(TEXT.event("a"));
    // often, because a look that is just under way may find it by chance
    startPatient(
        (payload, context) ->
            context.attempt() < 20
                ? Outcome.retryAfter(Duration.ZERO, "again")
                : Outcome.complete());
    awaitStatus(id, EventStatus.COMPLETED);
  }

  @Test
  void theNextOfAnOrderIsNotLeftToTheNextLook() {
    List<EventId> ids =
        IntStream.range(0, 20)
            .mapToObj(i -> schedule(TEXT.event("" + i).orderingKey("o")))
            .toList();
    startPatient((payload, context) -> Outcome.complete());
    ids.forEach(id -> awaitStatus(id, EventStatus.COMPLETED));
  }

  @Test
  void anUnreadablePayloadIsParked() {
    EventId id = schedule(EventType.of("number", String.class).event("no number"));
    start(worker -> worker.handle(NUMBER, (payload, context) -> {}));
    EventRecord ended = awaitStatus(id, EventStatus.FAILED);
    assertThat(ended.error()).contains("payload cannot be read");
    assertThat(ended.payload()).isEqualTo("no number");
  }

  @Test
  void anEventOfAnUnknownTypeStaysPending() {
    EventId unknown = schedule(OTHER.event("a").priority(9));
    EventId known = schedule(TEXT.event("a"));
    start(worker -> worker.handle(TEXT, (payload, context) -> {}));
    awaitStatus(known, EventStatus.COMPLETED);
    assertThat(found(unknown).status()).isEqualTo(EventStatus.PENDING);
    assertThat(found(unknown).version()).isEqualTo(1);
  }

  @Test
  void anEventOfTheFutureStaysPending() {
    EventId future = schedule(TEXT.event("a").priority(9).delay(Duration.ofDays(1)));
    EventId due = schedule(TEXT.event("a").priority(0));
    start(worker -> worker.handle(TEXT, (payload, context) -> {}));
    awaitStatus(due, EventStatus.COMPLETED);
    assertThat(found(future).version()).isEqualTo(1);
  }

  @Test
  void anEventBecomesDue() {
    start(worker -> worker.handle(TEXT, (payload, context) -> {}));
    awaitStatus(schedule(TEXT.event("a").delay(Duration.ofMillis(300))), EventStatus.COMPLETED);
  }

  @Test
  void anEventIsCancelledAfterItsDeadline() {
    AtomicInteger calls = new AtomicInteger();
    EventId useless = schedule(TEXT.event("a").deadline(Instant.parse("2020-01-01T00:00:00Z")));
    EventId useful = schedule(TEXT.event("a").deadline(Instant.parse("2050-01-01T00:00:00Z")));
    start(worker -> worker.handle(TEXT, (payload, context) -> calls.incrementAndGet()));
    assertThat(awaitStatus(useless, EventStatus.CANCELLED).error()).contains("deadline");
    awaitStatus(useful, EventStatus.COMPLETED);
    assertThat(calls).hasValue(1);
  }

  @Test
  void theEffectAndTheEndCommitTogether() {
    schema.execute("create table effect (attempt integer)");
    EventId id = schedule(TEXT.event("a"));
    start(
        worker ->
            worker.handle(
                EventHandler.transactional(
                        TEXT,
                        (payload, tx, context) -> {
                          Sql.execute(
                              tx.connection(),
                              "insert into effect values (" + context.attempt() + ")");
                          assertThat(schema.count("select count(*) from effect")).isZero();
                          if (context.attempt() < 3) {
                            throw new IllegalStateException("broken");
                          }
                        })
                    .retry(AT_ONCE)));
    assertThat(awaitStatus(id, EventStatus.COMPLETED).attempts()).isEqualTo(3);
    assertThat(schema.count("select max(attempt) from effect")).isEqualTo(3);
    assertThat(schema.count("select count(*) from effect")).isEqualTo(1);
  }

  @Test
  void anEffectWithoutItsClaimIsRolledBack() throws Exception {
    schema.execute("create table effect (attempt integer)");
    EventId id = schedule(TEXT.event("a"));
    CountDownLatch done = new CountDownLatch(1);
    AtomicInteger calls = new AtomicInteger();
    Worker lost =
        start(
            worker ->
                worker.handle(
                    EventHandler.transactional(
                        TEXT,
                        (payload, tx, context) -> {
                          if (calls.incrementAndGet() == 1) {
                            Sql.execute(tx.connection(), "insert into effect values (1)");
                            schema.execute("update holdfast_event set version = version + 1");
                            done.countDown();
                          }
                        })));
    await(done);
    await(() -> "the worker must have finished", () -> lost.inFlight() == 0);
    assertThat(schema.count("select count(*) from effect")).isZero();
    assertThat(found(id).status()).isEqualTo(EventStatus.PROCESSING);
    assertThat(found(id).version()).isEqualTo(3);
  }

  @Test
  void aResultWithoutItsClaimIsRefused() throws Exception {
    for (boolean immediate : new boolean[] {false, true}) {
      EventType<String> type = EventType.of("lost-" + immediate, String.class);
      CountDownLatch go = new CountDownLatch(1);
      EventId id = schedule(type.event("a"));
      EventId after = schedule(type.event("b").delay(Duration.ofMillis(1)));
      EventHandler<String> handler =
          EventHandler.of(
              type,
              (payload, context) -> {
                if (payload.equals("a")) {
                  schema.execute(
                      "update holdfast_event set version = version + 1 where id = "
                          + context.id().id());
                  go.countDown();
                }
              });
      start(worker -> worker.handle(immediate ? handler.completeImmediately() : handler));
      await(go);
      awaitStatus(after, EventStatus.COMPLETED);
      assertThat(found(id).status()).isEqualTo(EventStatus.PROCESSING);
      assertThat(found(id).version()).isEqualTo(3);
    }
  }

  @Test
  void theHighestPriorityIsFirst() {
    assumeTrue(shards() == 1, "the order is that of a shard");
    List<String> seen = new CopyOnWriteArrayList<>();
    for (int priority : List.of(3, 9, 0, 5, 7)) {
      schedule(TEXT.event(priority + "a").priority(priority));
      schedule(TEXT.event(priority + "b").priority(priority));
    }
    start(
        worker -> worker.queue("default", 1).handle(TEXT, (payload, context) -> seen.add(payload)));
    await(() -> seen + " must be ten", () -> seen.size() == 10);
    assertThat(seen).containsExactly("9a", "9b", "7a", "7b", "5a", "5b", "3a", "3b", "0a", "0b");
  }
}
