package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.event.Event;
import dev.holdfast.event.Event.OnDuplicate;
import dev.holdfast.event.EventChange;
import dev.holdfast.event.EventChangeResult;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventRecord;
import dev.holdfast.event.EventScheduleResult;
import dev.holdfast.event.EventStatus;
import dev.holdfast.event.EventType;
import dev.holdfast.testing.ConcurrentActors;
import dev.holdfast.testing.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;

/** How single events are changed: each change says which version it changes. */
public abstract class EventChangesContract extends EventContract {
  private static final EventType<String> OTHER = EventType.of("other", String.class);
  private static final Instant LATER = Instant.parse("2040-02-29T12:00:00.000001Z");

  protected EventChangesContract(TestDatabase database) {
    super(database);
  }

  private List<BiFunction<EventId, Integer, EventChangeResult>> changes() {
    return List.of(
        (id, version) -> events.cancel(id, version, "not needed"),
        (id, version) -> events.reschedule(id, version, LATER),
        (id, version) -> events.reschedule(id, version, Duration.ofDays(1)),
        (id, version) -> events.change(id, version, EventChange.create().at(LATER).priority(2)),
        (id, version) -> events.changePriority(id, version, 9),
        (id, version) -> events.changePayload(id, version, TEXT, "other"));
  }

  @Test
  void aPendingEventIsChanged() {
    EventId id = schedule(TEXT.event("a"));
    assertThat(events.reschedule(id, 1, LATER)).isEqualTo(new EventChangeResult.Applied(2));
    assertThat(events.changePriority(id, 2, 9)).isEqualTo(new EventChangeResult.Applied(3));
    assertThat(events.changePayload(id, 3, TEXT, "b")).isEqualTo(new EventChangeResult.Applied(4));
    EventRecord changed = found(id);
    assertThat(changed.dueAt()).isEqualTo(LATER);
    assertThat(changed.priority()).isEqualTo(9);
    assertThat(changed.payload()).isEqualTo("b");
    assertThat(changed.version()).isEqualTo(4);
  }

  @Test
  void reschedulesByDatabaseClock() {
    EventId id = schedule(TEXT.event("a").at(LATER));
    EventId soon = schedule(TEXT.event("b"));
    assertThat(events.reschedule(id, 1, Duration.ofHours(2)))
        .isEqualTo(new EventChangeResult.Applied(2));
    EventId then = schedule(TEXT.event("c"));
    assertThat(found(id).dueAt())
        .isBetween(
            found(soon).createdAt().plus(Duration.ofHours(2)),
            found(then).createdAt().plus(Duration.ofHours(2)));
    assertThat(events.reschedule(id, 2, Duration.ZERO)).isEqualTo(new EventChangeResult.Applied(3));
    start(worker -> worker.handle(TEXT, (payload, context) -> {}));
    awaitStatus(id, EventStatus.COMPLETED);
  }

  @Test
  void timeAndPriorityAreOneChange() {
    EventId id = schedule(TEXT.event("a"));
    assertThat(events.change(id, 1, EventChange.create().at(LATER).priority(2)))
        .isEqualTo(new EventChangeResult.Applied(2));
    assertThat(found(id).dueAt()).isEqualTo(LATER);
    assertThat(found(id).priority()).isEqualTo(2);
    assertThat(found(id).version()).isEqualTo(2);
    for (Duration wrong : List.of(Duration.ofNanos(-1), Duration.ofDays(40_000))) {
      assertThatThrownBy(() -> events.reschedule(id, 2, wrong))
          .isInstanceOf(InvalidArgumentException.class)
          .hasMessageContaining("after which the event is due");
    }
    assertThatThrownBy(() -> new EventChange(LATER, Duration.ZERO, null))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("at and delay");
  }

  @Test
  void aPayloadOfAnotherTypeIsRefused() {
    EventId id = schedule(TEXT.event("a"));
    assertThatThrownBy(() -> events.changePayload(id, 1, OTHER, "b"))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining(
            "the type of a payload must be that of the event, 'text', was 'other' (event "
                + id
                + ")");
    assertThat(found(id).payload()).isEqualTo("a");
    assertThat(found(id).version()).isEqualTo(1);
    assertThat(events.changePayload(id, 2, OTHER, "b"))
        .isInstanceOf(EventChangeResult.Conflict.class);
  }

  /** The version that is changed is the one that the event has only after it is of another type. */
  @Test
  void typeChangeKeepsPayload() {
    for (int round = 0; round < 20; round++) {
      String key = "k" + round;
      EventId id = schedule(TEXT.event("a").key(key));
      Event<String> other = OTHER.event("b").key(key).onDuplicate(OnDuplicate.REPLACE_PENDING);
      ConcurrentActors.run(
              2,
              index -> {
                if (index == 0) {
                  return events.schedule(other).id().equals(id);
                }
                EventChangeResult result;
                try {
                  do {
                    result = events.changePayload(id, 2, TEXT, "c");
                  } while (result instanceof EventChangeResult.Conflict);
                } catch (InvalidArgumentException refused) {
                  return true;
                }
                throw new AssertionError("must be refused, was " + result);
              })
          .resultsOrThrow();
      assertThat(found(id).type()).isEqualTo("other");
      assertThat(found(id).payload()).isEqualTo("b");
      assertThat(found(id).version()).isEqualTo(2);
    }
  }

  @Test
  void aPendingEventIsCancelled() {
    EventId id = schedule(TEXT.event("a").key("k").tags("t"));
    assertThat(events.cancel(id, 1, "not needed")).isEqualTo(new EventChangeResult.Applied(2));
    EventRecord ended = found(id);
    assertThat(ended.status()).isEqualTo(EventStatus.CANCELLED);
    assertThat(ended.error()).isEqualTo("not needed");
    assertThat(ended.version()).isEqualTo(2);
    assertThat(ended.endedAt()).isNotNull();
    assertThat(ended.payload()).isEqualTo("a");
    assertThat(ended.key()).isEqualTo("k");
    assertThat(ended.tags()).containsExactly("t");
    assertThat(events.findByKey("k")).get().extracting(EventRecord::id).isEqualTo(id);
    assertThat(schema.count("select count(*) from holdfast_event")).isZero();
    assertThat(schema.count("select count(*) from holdfast_event_history")).isEqualTo(1);
  }

  @Test
  void anotherVersionIsAConflict() {
    EventId id = schedule(TEXT.event("a"));
    events.changePriority(id, 1, 1);
    for (var change : changes()) {
      EventChangeResult result = change.apply(id, 1);
      assertThat(result).isInstanceOf(EventChangeResult.Conflict.class);
      assertThat(((EventChangeResult.Conflict) result).current().version()).isEqualTo(2);
    }
    assertThat(found(id).version()).isEqualTo(2);
  }

  @Test
  void anEventThatIsNotThereIsMissing() {
    for (var change : changes()) {
      assertThat(change.apply(new EventId(0, 4711), 1))
          .isInstanceOf(EventChangeResult.NotFound.class);
    }
    assertThat(events.requestCancellation(new EventId(0, 4711), 1))
        .isInstanceOf(EventChangeResult.NotFound.class);
    assertThat(events.find(new EventId(0, 4711))).isEmpty();
    assertThat(events.findByKey("unknown")).isEmpty();
  }

  @Test
  void anEventThatHasEndedIsTooLate() {
    EventId id = schedule(TEXT.event("a"));
    events.cancel(id, 1, "not needed");
    for (var change : changes()) {
      assertThat(change.apply(id, 2)).isInstanceOf(EventChangeResult.NotPending.class);
    }
    assertThat(events.requestCancellation(id, 2)).isInstanceOf(EventChangeResult.NotPending.class);
    assertThat(found(id).version()).isEqualTo(2);
  }

  @Test
  void anEventThatHasBegunIsTooLate() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    EventId id = schedule(TEXT.event("a"));
    start(
        worker ->
            worker.handle(
                TEXT,
                (payload, context) -> {
                  begun.countDown();
                  await(go);
                }));
    await(begun);
    for (var change : changes()) {
      assertThat(change.apply(id, 2)).isInstanceOf(EventChangeResult.NotPending.class);
    }
    assertThat(events.requestCancellation(id, 1)).isInstanceOf(EventChangeResult.Conflict.class);
    go.countDown();
    assertThat(awaitStatus(id, EventStatus.COMPLETED).version()).isEqualTo(2);
  }

  @Test
  void cancelsEventBehindRunningOne() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    EventId running = schedule(TEXT.event("a").orderingKey("o"));
    EventId waiting = schedule(TEXT.event("b").orderingKey("o"));
    start(
        worker ->
            worker.handle(
                TEXT,
                (payload, context) -> {
                  begun.countDown();
                  await(go);
                }));
    await(begun);
    assertThat(events.cancel(waiting, 1, "not needed")).isEqualTo(new EventChangeResult.Applied(2));
    EventRecord ended = found(waiting);
    assertThat(ended.status()).isEqualTo(EventStatus.CANCELLED);
    assertThat(ended.version()).isEqualTo(2);
    assertThat(ended.error()).isEqualTo("not needed");
    go.countDown();
    awaitStatus(running, EventStatus.COMPLETED);
    assertThat(schema.count("select count(*) from holdfast_event")).isZero();
  }

  @Test
  void replacementIsNotCancelled() {
    EventId id = schedule(TEXT.event("a").key("k").at(LATER));
    // as it is after the instance died whose handler was asked to stop
    schema.execute("update holdfast_event set cancel_requested = true");
    assertThat(found(id).cancelRequested()).isTrue();
    assertThat(
            events.schedule(
                TEXT.event("b").key("k").at(LATER).onDuplicate(OnDuplicate.REPLACE_PENDING)))
        .isEqualTo(new EventScheduleResult.Replaced(id, 2));
    assertThat(found(id).cancelRequested()).isFalse();
  }

  @Test
  void oneOfConcurrentChangesApplies() {
    EventId id = schedule(TEXT.event("a").at(LATER));
    var changes = changes();
    List<EventChangeResult> results =
        ConcurrentActors.run(16, index -> changes.get(index % 4).apply(id, 1)).resultsOrThrow();
    assertThat(results).filteredOn(EventChangeResult.Applied.class::isInstance).hasSize(1);
    assertThat(found(id).version()).isEqualTo(2);
  }
}
