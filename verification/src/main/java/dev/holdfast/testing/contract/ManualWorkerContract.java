package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.event.EventChangeResult;
import dev.holdfast.event.EventHandler;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventRecord;
import dev.holdfast.event.EventStatus;
import dev.holdfast.event.EventType;
import dev.holdfast.event.ManualWorker;
import dev.holdfast.event.Outcome;
import dev.holdfast.event.RetryPolicy;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestWorker;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a worker that is driven by hand does with events. */
public abstract class ManualWorkerContract extends ManualWorkerTests {
  private static final EventType<String> OTHER = EventType.of("other", String.class);

  protected ManualWorkerContract(TestDatabase database) {
    super(database);
  }

  private TestWorker noting() {
    return test.worker(worker -> worker.handle(TEXT, (payload, context) -> note(payload)));
  }

  @Test
  void handlesAndStoresDueEvents() {
    for (boolean immediate : new boolean[] {false, true}) {
      EventType<String> type = EventType.of("type-" + immediate, String.class);
      EventId first = schedule(type.event("a"));
      EventId second = schedule(type.event("b").delay(Duration.ZERO));
      schedule(type.event("later").delay(Duration.ofNanos(1000)));
      EventHandler<String> handler = EventHandler.of(type, (payload, context) -> note(payload));
      TestWorker worker =
          test.worker(w -> w.handle(immediate ? handler.completeImmediately() : handler));

      List<ManualWorker.Result> handled = worker.runDue();

      assertThat(handled).extracting(one -> one.event().id()).containsExactly(first, second);
      assertThat(statuses(handled)).containsOnly(EventStatus.COMPLETED);
      assertThat(found(second).status()).isEqualTo(EventStatus.COMPLETED);
      assertThat(worker.runDue()).isEmpty();
    }
    assertThat(seen).containsExactly("a PT0S", "b PT0S", "a PT0S", "b PT0S");
  }

  @Test
  void itRunsInTheThreadOfTheCaller() {
    schedule(TEXT.event("a"));
    List<Thread> threads = new java.util.ArrayList<>();
    test.worker(w -> w.handle(TEXT, (payload, context) -> threads.add(Thread.currentThread())))
        .runDue();
    assertThat(threads).containsExactly(Thread.currentThread());
  }

  @Test
  void handlesEventsScheduledByHandler() {
    schedule(TEXT.event("aaa"));
    TestWorker worker =
        test.worker(
            w ->
                w.handle(
                    TEXT,
                    (payload, context) -> {
                      note(payload);
                      if (payload.length() > 1) {
                        schedule(TEXT.event(payload.substring(1)));
                      }
                    }));
    assertThat(worker.runDue()).hasSize(3);
    assertThat(seen).containsExactly("aaa PT0S", "aa PT0S", "a PT0S");
  }

  @Test
  void ordersByPriorityThenDueTime() {
    schedule(TEXT.event("low").at(NOON.minus(HOUR)).priority(1));
    schedule(TEXT.event("high").priority(9));
    schedule(TEXT.event("b").at(NOON.minus(MINUTE)));
    schedule(TEXT.event("a").at(NOON.minus(HOUR)));
    TestWorker worker =
        test.worker(
            w ->
                w.handle(
                    TEXT,
                    (payload, context) -> {
                      seen.add(payload);
                      if (payload.equals("a")) {
                        schedule(TEXT.event("earlier").at(NOON.minus(HOUR.multipliedBy(2))));
                        schedule(TEXT.event("highest").priority(9));
                      }
                    }));
    worker.runDue();
    assertThat(seen).containsExactly("high", "a", "highest", "earlier", "b", "low");
  }

  @Test
  void queuesTakeTurnsAndOthersAreLeftAlone() {
    for (String queue : List.of("b", "a", "c")) {
      schedule(TEXT.event(queue + 1).queue(queue));
      schedule(TEXT.event(queue + 2).queue(queue));
    }
    test.worker(
            w ->
                w.queues(Map.of("b", 1, "a", 7))
                    .handle(TEXT, (payload, context) -> seen.add(payload)))
        .runDue();
    assertThat(seen).containsExactly("a1", "b1", "a2", "b2");
    test.assertScheduled(TEXT).inQueue("c").times(2);
  }

  @Test
  void eventsOfOneOrderingKeyWaitForEachOther() {
    schedule(TEXT.event("1").at(NOON.minus(MINUTE)).orderingKey("k"));
    schedule(TEXT.event("2").orderingKey("k").priority(9));
    TestWorker worker =
        test.worker(
            w ->
                w.handle(
                    EventHandler.returning(
                        TEXT,
                        (payload, context) -> {
                          note(payload);
                          return payload.equals("1") && seen.size() == 1
                              ? Outcome.retryAfter(HOUR, "not yet")
                              : Outcome.complete();
                        })));
    assertThat(worker.runDue()).hasSize(1);
    worker.advance(HOUR);
    assertThat(seen).containsExactly("1 PT0S", "1 PT1H", "2 PT1H");
  }

  @Test
  void retriesFailedHandlerByPolicy() {
    EventId id = schedule(TEXT.event("a"));
    RetryPolicy policy = RetryPolicy.standard().backoff(MINUTE, HOUR).attempts(3);
    IllegalStateException failure = new IllegalStateException("no " + HOUR);
    TestWorker worker =
        test.worker(
            w ->
                w.handle(
                    EventHandler.of(
                            TEXT,
                            (payload, context) -> {
                              seen.add("attempt " + context.attempt());
                              throw failure;
                            })
                        .retry(policy)));
    // full jitter: a delay may be nothing, and then it is due in the same call
    List<ManualWorker.Result> handled = new java.util.ArrayList<>(worker.runDue());
    assertThat(handled.get(0).failure()).containsSame(failure);
    assertThat(handled.get(0).event().error()).contains("no PT1H");
    assertThat(handled.get(0).event().status()).isEqualTo(EventStatus.PENDING);
    assertThat(handled.get(0).event().dueAt()).isBetween(NOON, NOON.plus(MINUTE));

    handled.addAll(worker.advance(HOUR));

    assertThat(seen).containsExactly("attempt 1", "attempt 2", "attempt 3");
    assertThat(statuses(handled))
        .containsExactly(EventStatus.PENDING, EventStatus.PENDING, EventStatus.FAILED);
    assertThat(found(id).error()).contains("no PT1H");
    assertThat(found(id).endedAt()).isBetween(NOON, NOON.plus(MINUTE.multipliedBy(3)));
  }

  @Test
  void failFastRethrowsHandlerFailure() {
    EventId id = schedule(TEXT.event("a"));
    Exception failure = new Exception("not today");
    TestWorker worker =
        test.worker(
                w ->
                    w.handle(
                        TEXT,
                        (payload, context) -> {
                          throw failure;
                        }))
            .failFast();
    assertThatThrownBy(worker::runDue)
        .isInstanceOf(AssertionError.class)
        .hasCause(failure)
        .hasMessageContaining("not today")
        .hasMessageContaining("text");
    assertThat(found(id).status()).isEqualTo(EventStatus.PENDING);
    assertThat(found(id).attempts()).isEqualTo(1);
  }

  @Test
  void everyOutcomeIsWhatItIsInProduction() {
    for (String outcome : List.of("snooze", "retry", "cancel", "fail", "done")) {
      schedule(TEXT.event(outcome).key(outcome));
    }
    TestWorker worker =
        test.worker(
            w ->
                w.handle(
                    EventHandler.returning(
                        TEXT,
                        (payload, context) ->
                            switch (payload) {
                              case "snooze" -> Outcome.snooze(HOUR);
                              case "retry" -> Outcome.retryAt(NOON.plus(MINUTE), "again");
                              case "cancel" -> Outcome.cancel("nobody wants it");
                              case "fail" -> Outcome.fail("never");
                              default -> Outcome.complete();
                            })));
    List<ManualWorker.Result> handled = worker.runDue();
    assertThat(statuses(handled))
        .containsExactly(
            EventStatus.PENDING,
            EventStatus.PENDING,
            EventStatus.CANCELLED,
            EventStatus.FAILED,
            EventStatus.COMPLETED);
    assertThat(handled).allMatch(one -> one.failure().isEmpty());
    EventRecord snoozed = handled.get(0).event();
    assertThat(snoozed.attempts()).isZero();
    assertThat(snoozed.dueAt()).isEqualTo(NOON.plus(HOUR));
    assertThat(handled.get(1).event().attempts()).isEqualTo(1);
    test.assertScheduled(TEXT).withKey("snooze").after(HOUR).once();
    test.assertScheduled(TEXT).withKey("retry").at(NOON.plus(MINUTE)).once();
  }

  @Test
  void cancelsEventPastDeadline() {
    EventId late = schedule(TEXT.event("late").delay(HOUR).deadline(NOON.plus(MINUTE)));
    schedule(TEXT.event("in time").delay(MINUTE).deadline(NOON.plus(HOUR)));
    List<ManualWorker.Result> handled = noting().advance(HOUR);
    assertThat(statuses(handled)).containsExactly(EventStatus.COMPLETED, EventStatus.CANCELLED);
    assertThat(seen).containsExactly("in time PT1M");
    assertThat(found(late).error()).contains("deadline");
  }

  @Test
  void transactionalEffectHappensOnce() {
    schema.execute("create table effect (attempt integer)");
    schedule(TEXT.event("a"));
    TestWorker worker =
        test.worker(
            w ->
                w.handle(
                    EventHandler.transactional(
                        TEXT,
                        (payload, tx, context) -> {
                          Sql.execute(
                              tx.connection(),
                              "insert into effect values (" + context.attempt() + ")");
                          events.schedule(tx, OTHER.event("of " + context.attempt()));
                          if (context.attempt() < 3) {
                            throw new IllegalStateException("not yet");
                          }
                        })));
    List<ManualWorker.Result> handled = new java.util.ArrayList<>(worker.runDue());
    handled.addAll(worker.advance(HOUR));
    assertThat(statuses(handled))
        .containsExactly(EventStatus.PENDING, EventStatus.PENDING, EventStatus.COMPLETED);
    assertThat(schema.count("select count(*) from effect")).isEqualTo(1);
    assertThat(schema.count("select max(attempt) from effect")).isEqualTo(3);
    test.assertScheduled(OTHER).withPayload("of 3").once();
  }

  @Test
  void cancelledDueEventDoesNotRun() {
    schedule(TEXT.event("first").priority(9));
    EventId cancelled = schedule(TEXT.event("cancelled"));
    TestWorker worker =
        test.worker(
            w ->
                w.handle(
                    TEXT,
                    (payload, context) -> {
                      seen.add(payload);
                      assertThat(events.cancel(cancelled, 1, "no more"))
                          .isInstanceOf(EventChangeResult.Applied.class);
                    }));
    assertThat(worker.failFast().runDue()).hasSize(1);
    assertThat(seen).containsExactly("first");
  }

  @Test
  void whatIsPausedWaits() {
    schedule(TEXT.event("a"));
    TestWorker worker = noting();
    queues.pauseType(TEXT);
    assertThat(worker.advance(HOUR)).isEmpty();
    queues.resumeType(TEXT);
    queues.pause("default");
    assertThat(worker.advance(HOUR)).isEmpty();
    queues.resume("default");
    assertThat(worker.runDue()).hasSize(1);
    assertThat(seen).containsExactly("a PT2H");
  }

  @Test
  void typesWithoutAHandlerStayPending() {
    schedule(OTHER.event("other").delay(MINUTE));
    schedule(TEXT.event("mine").delay(HOUR));
    assertThat(noting().advance(HOUR)).hasSize(1);
    test.assertScheduled(OTHER).at(NOON.plus(MINUTE)).once();
  }

  @Test
  void endlessReschedulingFailsTest() {
    schedule(TEXT.event("again"));
    TestWorker worker =
        test.worker(w -> w.handle(TEXT, (payload, context) -> schedule(TEXT.event(payload))))
            .limit(20);
    assertThatThrownBy(worker::runDue)
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("20 events")
        .hasMessageContaining("text");
    assertThatThrownBy(() -> worker.advance(HOUR)).isInstanceOf(AssertionError.class);
    assertThatThrownBy(() -> worker.limit(0)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aHandlerMustNotCallTheWorkerThatCallsIt() {
    schedule(TEXT.event("a"));
    TestWorker[] self = new TestWorker[1];
    self[0] = test.worker(w -> w.handle(TEXT, (payload, context) -> self[0].runDue()));
    assertThat(self[0].runDue().get(0).failure())
        .containsInstanceOf(InvalidArgumentException.class);
  }
}
