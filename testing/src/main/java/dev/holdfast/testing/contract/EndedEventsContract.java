package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.event.EventFilter;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventRecord;
import dev.holdfast.event.EventStatus;
import dev.holdfast.event.EventType;
import dev.holdfast.event.HandlerOptions;
import dev.holdfast.event.Outcome;
import dev.holdfast.testing.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Ended events are looked at, edited and replayed. */
public abstract class EndedEventsContract extends EventContract {
  private static final EventType<String> OTHER = EventType.of("other", String.class);
  private static final EventFilter FAILED = EventFilter.all().status(EventStatus.FAILED);

  protected EndedEventsContract(TestDatabase database) {
    super(database);
  }

  /** An event that failed with its payload as the error. */
  private EventId failed(String error) {
    return schedule(TEXT.event(error).key("key of " + error).tags("t").priority(7));
  }

  private void startFailing() {
    start(
        worker ->
            worker.handleWithOutcome(
                TEXT,
                HandlerOptions.standard(),
                (payload, context) ->
                    payload.equals("good") ? Outcome.done() : Outcome.fail(payload)));
  }

  private List<EventId> find(EventFilter filter) {
    List<EventId> ids = new ArrayList<>();
    Optional<EventId> next;
    EventFilter rest = filter;
    do {
      var page = events.find(rest);
      page.events().forEach(event -> ids.add(event.id()));
      next = page.next();
      if (next.isPresent()) {
        rest = rest.before(next.get());
      }
    } while (next.isPresent());
    return ids;
  }

  @Test
  void failedEventsAreFoundByTheirErrorTheNewestFirst() {
    startFailing();
    List<EventId> ids = List.of(failed("Disk 100% full"), failed("no route"), failed("disk gone"));
    EventId good = schedule(TEXT.event("good"));
    ids.forEach(id -> awaitStatus(id, EventStatus.FAILED));
    awaitStatus(good, EventStatus.COMPLETED);
    assertThat(find(FAILED)).containsExactly(ids.get(2), ids.get(1), ids.get(0));
    assertThat(find(FAILED.pageSize(1))).containsExactly(ids.get(2), ids.get(1), ids.get(0));
    assertThat(find(FAILED.errorContains("DISK"))).containsExactly(ids.get(2), ids.get(0));
    assertThat(find(FAILED.errorContains("100% f"))).containsExactly(ids.get(0));
    assertThat(find(FAILED.errorContains("1%"))).isEmpty();
    assertThat(find(EventFilter.all().errorContains("route"))).containsExactly(ids.get(1));
    assertThat(find(EventFilter.all().pageSize(2)))
        .containsExactly(good, ids.get(2), ids.get(1), ids.get(0));
    assertThat(events.countEnded(FAILED)).isEqualTo(3);
  }

  @Test
  void aReplayedEventIsANewOneThatKnowsItsOriginal() {
    startFailing();
    EventId original = failed("bad");
    awaitStatus(original, EventStatus.FAILED);
    EventId again = events.replay(original).orElseThrow();
    EventRecord ended = awaitStatus(again, EventStatus.FAILED);
    assertThat(ended.replayOf()).isEqualTo(original);
    assertThat(ended.payload()).isEqualTo("bad");
    assertThat(ended.priority()).isEqualTo(7);
    assertThat(ended.tags()).containsExactly("t");
    assertThat(ended.key()).isNull();
    assertThat(found(original).status()).isEqualTo(EventStatus.FAILED);
    assertThat(events.findByKey("key of bad"))
        .get()
        .extracting(EventRecord::id)
        .isEqualTo(original);
  }

  @Test
  void anEventIsReplayedWithAnotherPayload() {
    startFailing();
    EventId original = failed("bad");
    awaitStatus(original, EventStatus.FAILED);
    EventId again = events.replay(original, TEXT, "good").orElseThrow();
    assertThat(awaitStatus(again, EventStatus.COMPLETED).replayOf()).isEqualTo(original);
    assertThat(found(original).payload()).isEqualTo("bad");
    assertThatThrownBy(() -> events.replay(original, OTHER, "good"))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("'text', was 'other'")
        .hasMessageContaining(original.toString());
  }

  @Test
  void whatAFilterFindsIsReplayedOnce() {
    for (int i = 0; i < 7; i++) {
      failed("bad " + i);
    }
    EventId other = failed("worse");
    startFailing();
    awaitStatus(other, EventStatus.FAILED);
    await(() -> "all must fail", () -> events.countEnded(FAILED) == 8);
    EventFilter bad = FAILED.errorContains("bad").pageSize(3);
    assertThat(events.replayAll(bad)).isEqualTo(7);
    await(() -> "all must fail again", () -> events.countEnded(FAILED) == 15);
    assertThat(
            schema.count(
                "select count(distinct replay_of) from holdfast_event_history where replay_of is not"
                    + " null"))
        .isEqualTo(7);
  }

  @Test
  void whatHasNotEndedIsNotReplayed() {
    EventId live = schedule(TEXT.event("a").after(Duration.ofDays(1)));
    assertThat(events.replay(live)).isEmpty();
    assertThat(events.replayAll(EventFilter.all())).isZero();
  }
}
