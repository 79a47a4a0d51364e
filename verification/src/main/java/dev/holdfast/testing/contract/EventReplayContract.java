package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.InvalidArgumentException;
import dev.holdfast.event.EventFilter;
import dev.holdfast.event.EventHandler;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventRecord;
import dev.holdfast.event.EventReplayResult;
import dev.holdfast.event.EventStatus;
import dev.holdfast.event.EventType;
import dev.holdfast.event.Outcome;
import dev.holdfast.testing.ConcurrentActors;
import dev.holdfast.testing.InterceptingDataSource;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.transaction.DatabaseException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Ended events are replayed, each once. */
public abstract class EventReplayContract extends EventContract {
  private static final EventType<String> OTHER = EventType.of("other", String.class);
  private static final EventFilter FAILED = EventFilter.all().status(EventStatus.FAILED);

  protected EventReplayContract(TestDatabase database) {
    super(database);
  }

  /** Runs all events until they have ended: good ones complete, others fail with their payload. */
  private void runAll() {
    start(
        worker ->
            worker.handle(
                EventHandler.returning(
                    TEXT,
                    (payload, context) ->
                        payload.equals("good") ? Outcome.complete() : Outcome.fail(payload))));
    await(() -> "all must end", () -> live() == 0);
    stopWorkers();
  }

  private List<EventId> ended(String... payloads) {
    List<EventId> ids =
        Stream.of(payloads)
            .map(
                payload ->
                    schedule(TEXT.event(payload).key("key of " + payload).tags("t").priority(7)))
            .toList();
    runAll();
    return ids;
  }

  private long live() {
    return schema.count("select count(*) from holdfast_event");
  }

  private EventId replayed(EventId id) {
    EventReplayResult result = events.replay(id);
    assertThat(result).isInstanceOf(EventReplayResult.Replayed.class);
    return ((EventReplayResult.Replayed) result).id();
  }

  @Test
  void replayLinksBothEvents() {
    EventId original = ended("bad").get(0);
    assertThat(found(original).replayedAs()).isNull();
    EventId again = replayed(original);
    assertThat(found(again).status()).isEqualTo(EventStatus.PENDING);
    runAll();
    EventRecord ended = found(again);
    assertThat(ended.status()).isEqualTo(EventStatus.FAILED);
    assertThat(ended.replayOf()).isEqualTo(original);
    assertThat(ended.replayedAs()).isNull();
    assertThat(ended.payload()).isEqualTo("bad");
    assertThat(ended.priority()).isEqualTo(7);
    assertThat(ended.tags()).containsExactly("t");
    assertThat(ended.key()).isNull();
    assertThat(found(original).status()).isEqualTo(EventStatus.FAILED);
    assertThat(found(original).replayedAs()).isEqualTo(again);
    assertThat(events.find(FAILED).events())
        .extracting(EventRecord::replayedAs)
        .containsExactly(null, again);
    assertThat(events.findByKey("key of bad"))
        .get()
        .extracting(EventRecord::id)
        .isEqualTo(original);
  }

  @Test
  void anEventIsReplayedWithAnotherPayload() {
    EventId original = ended("bad").get(0);
    assertThatThrownBy(() -> events.replay(original, OTHER, "good"))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("'text', was 'other'")
        .hasMessageContaining(original.toString());
    assertThat(live()).isZero();
    EventReplayResult result = events.replay(original, TEXT, "good");
    EventId again = ((EventReplayResult.Replayed) result).id();
    runAll();
    assertThat(found(again).status()).isEqualTo(EventStatus.COMPLETED);
    assertThat(found(again).replayOf()).isEqualTo(original);
    assertThat(found(original).payload()).isEqualTo("bad");
  }

  @Test
  void anEventIsReplayedOnceAndThenItsReplayIs() {
    EventId original = ended("bad").get(0);
    EventId again = replayed(original);
    assertThat(events.replay(original)).isEqualTo(new EventReplayResult.AlreadyReplayed(again));
    assertThat(events.replay(original, TEXT, "good"))
        .isEqualTo(new EventReplayResult.AlreadyReplayed(again));
    assertThat(live()).isEqualTo(1);
    assertThat(events.replay(again)).isInstanceOf(EventReplayResult.NotEnded.class);
    runAll();
    assertThat(events.replay(original)).isEqualTo(new EventReplayResult.AlreadyReplayed(again));
    assertThat(found(replayed(again)).replayOf()).isEqualTo(again);
  }

  @Test
  void whatHasNotEndedIsNotReplayed() {
    EventId live = schedule(TEXT.event("a").delay(Duration.ofDays(1)));
    assertThat(events.replay(live)).isInstanceOf(EventReplayResult.NotEnded.class);
    assertThat(events.replay(new EventId(0, 4711))).isEqualTo(new EventReplayResult.NotFound());
    assertThat(events.replayAll(EventFilter.all())).isZero();
    assertThat(live()).isEqualTo(1);
  }

  @Test
  void replaysFilteredEventsOnce() {
    ended("bad 0", "bad 1", "bad 2", "bad 3", "bad 4", "bad 5", "bad 6", "worse");
    EventFilter bad = FAILED.errorContains("bad").pageSize(3);
    for (int round = 1; round <= 3; round++) {
      assertThat(events.countReplayable(bad)).isEqualTo(7);
      assertThat(events.replayAll(bad)).isEqualTo(7);
      assertThat(events.countReplayable(bad)).isZero();
      assertThat(events.replayAll(bad)).isZero();
      assertThat(live()).isEqualTo(7);
      runAll();
    }
    assertThat(events.countReplayable(FAILED)).isEqualTo(8);
    assertThat(schema.count("select count(distinct replay_of) from holdfast_event_history"))
        .isEqualTo(21);
    assertThat(schema.count("select count(distinct replayed_as) from holdfast_event_history"))
        .isEqualTo(21);
  }

  @Test
  void replaysCompletedEventsByIdOnly() {
    EventId cancelled = schedule(TEXT.event("cancelled").delay(Duration.ofDays(1)));
    events.cancel(cancelled, 1, "not needed");
    List<EventId> ids = ended("good", "bad");
    assertThat(events.countReplayable(EventFilter.all())).isEqualTo(2);
    assertThat(events.replayAll(EventFilter.all())).isEqualTo(2);
    assertThat(found(ids.get(0)).replayedAs()).isNull();
    assertThat(found(ids.get(1)).replayedAs()).isNotNull();
    assertThat(found(cancelled).replayedAs()).isNotNull();
    EventFilter named = EventFilter.all().status(EventStatus.COMPLETED, EventStatus.FAILED);
    assertThat(events.countReplayable(named)).isEqualTo(1);
    assertThat(events.replayAll(named)).isEqualTo(1);
    assertThat(found(ids.get(0)).replayedAs()).isNotNull();
  }

  @Test
  void concurrentReplaysReplayEachOnce() {
    ended("bad 0", "bad 1", "bad 2", "bad 3", "bad 4", "bad 5", "bad 6", "bad 7");
    for (int round = 1; round <= 5; round++) {
      List<Long> counts =
          ConcurrentActors.run(8, index -> events.replayAll(FAILED.pageSize(1 + index)))
              .resultsOrThrow();
      assertThat(counts.stream().mapToLong(Long::longValue).sum()).isEqualTo(8);
      assertThat(live()).isEqualTo(8);
      assertThat(schema.count("select count(distinct replay_of) from holdfast_event")).isEqualTo(8);
      runAll();
    }
  }

  @Test
  void oneOfConcurrentReplaysWins() {
    EventId last = ended("bad").get(0);
    for (int round = 1; round <= 5; round++) {
      EventId original = last;
      List<EventReplayResult> results =
          ConcurrentActors.run(16, index -> events.replay(original)).resultsOrThrow();
      last = Objects.requireNonNull(found(original).replayedAs());
      assertThat(results).containsOnlyOnce(new EventReplayResult.Replayed(last));
      assertThat(results)
          .filteredOn(new EventReplayResult.AlreadyReplayed(last)::equals)
          .hasSize(results.size() - 1);
      assertThat(live()).isEqualTo(1);
      runAll();
    }
  }

  @Test
  void aReplayThatCannotBeNotedIsNotScheduled() {
    EventId original = ended("bad").get(0);
    Holdfast failing =
        Holdfast.builder(
                InterceptingDataSource.of(
                    schema.dataSource(),
                    (connection, sql) -> {
                      if (sql.contains("SET replayed_as")) {
                        throw new SQLException("while noting");
                      }
                    }))
            .shards(shards())
            .build();
    assertThatThrownBy(() -> failing.events().replay(original))
        .isInstanceOf(DatabaseException.class);
    assertThatThrownBy(() -> failing.events().replayAll(FAILED))
        .isInstanceOf(DatabaseException.class);
    assertThat(live()).isZero();
    assertThat(events.replayAll(FAILED)).isEqualTo(1);
  }
}
