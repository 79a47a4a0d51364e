package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.event.EventFilter;
import dev.holdfast.event.EventHandler;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventRecord;
import dev.holdfast.event.EventStatus;
import dev.holdfast.event.Outcome;
import dev.holdfast.testing.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Ended events are found, and tell what became of them. */
public abstract class EventHistoryContract extends EventContract {
  private static final Duration DAY = Duration.ofDays(1);
  private static final EventFilter FAILED = EventFilter.all().status(EventStatus.FAILED);

  protected EventHistoryContract(TestDatabase database) {
    super(database);
  }

  /** An event that failed with its payload as the error. */
  private EventId failed(String error) {
    return schedule(TEXT.event(error).key("key of " + error).tags("t").priority(7));
  }

  private void startFailing() {
    start(
        worker ->
            worker.handle(
                EventHandler.returning(
                    TEXT,
                    (payload, context) ->
                        payload.equals("good") ? Outcome.complete() : Outcome.fail(payload))));
  }

  private List<EventId> find(EventFilter filter) {
    List<EventId> ids = new ArrayList<>();
    Optional<EventId> next;
    EventFilter rest = filter;
    do {
      var page = events.find(rest);
      page.events().forEach(event -> ids.add(event.id()));
      next = page.nextCursor();
      if (next.isPresent()) {
        rest = rest.cursor(next.get());
      }
    } while (next.isPresent());
    return ids;
  }

  @Test
  void findsFailedEventsByErrorNewestFirst() {
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
    assertThat(events.countReplayable(FAILED)).isEqualTo(3);
  }

  @Test
  void eventsAreFoundByKeyAndByTheirTimes() {
    Instant later = Instant.parse("2040-01-01T00:00:00Z");
    EventId live = schedule(TEXT.event("a").key("live").at(later));
    EventId far = schedule(TEXT.event("a").key("LIVE").at(later.plusSeconds(1)));
    EventId ended = schedule(TEXT.event("a").key("ended"));
    events.cancel(ended, 1, "not needed");
    assertThat(find(EventFilter.all().key("live"))).containsExactly(live);
    assertThat(find(EventFilter.all().key("ended"))).containsExactly(ended);
    assertThat(find(EventFilter.all().key("other"))).isEmpty();
    assertThat(find(FAILED.key("ended"))).isEmpty();
    assertThat(find(EventFilter.all().dueFrom(later))).containsExactly(far, live);
    assertThat(find(EventFilter.all().dueFrom(later).dueTo(later.plusSeconds(1))))
        .containsExactly(live);
    assertThat(find(EventFilter.all().dueTo(later))).containsExactly(ended);
    assertThat(
            holdfast
                .transactions()
                .<List<EventRecord>, RuntimeException>call(
                    tx -> events.findAll(tx, List.of(ended, live, new EventId(0, 1_000_000)))))
        .extracting(EventRecord::id)
        .containsExactlyInAnyOrder(live, ended);
    Instant end = Objects.requireNonNull(found(ended).endedAt());
    assertThat(find(EventFilter.all().endedFrom(end))).containsExactly(ended);
    assertThat(find(EventFilter.all().endedTo(end.plusSeconds(1)))).containsExactly(ended);
    assertThat(find(EventFilter.all().endedTo(end))).isEmpty();
  }

  @Test
  void findsByTagQueueAndCreationTime() {
    EventId live = schedule(TEXT.event("a").tags("red", "blue").queue("mail").delay(DAY));
    EventId other = schedule(TEXT.event("a").tags("reddish").delay(DAY));
    EventId ended = schedule(TEXT.event("a").tags("red").queue("Mail").delay(DAY));
    events.cancel(ended, 1, "not needed");
    EventFilter all = EventFilter.all();
    assertThat(find(all.tag("red"))).containsExactly(ended, live);
    assertThat(find(all.tag("blue"))).containsExactly(live);
    assertThat(find(all.tag("reddish"))).containsExactly(other);
    assertThat(find(all.tag("RED"))).isEmpty();
    assertThat(find(all.tag("re"))).isEmpty();
    assertThat(find(all.tag("re_"))).isEmpty();
    assertThat(find(all.queue("mail"))).containsExactly(live);
    assertThat(find(all.queue("Mail"))).containsExactly(ended);
    assertThat(find(all.queue("default"))).containsExactly(other);
    assertThat(find(all.queue("none"))).isEmpty();
    assertThat(find(all.queue("mail").tag("reddish"))).isEmpty();

    Instant first = found(live).createdAt();
    Instant second = found(other).createdAt();
    Instant third = found(ended).createdAt();
    Instant after = third.plusMillis(1);
    // statements of one moment would make the bounds meaningless
    assertThat(first).isBefore(second);
    assertThat(second).isBefore(third);
    assertThat(find(all.createdFrom(first))).containsExactly(ended, other, live);
    assertThat(find(all.createdFrom(second))).containsExactly(ended, other);
    assertThat(find(all.createdFrom(after))).isEmpty();
    assertThat(find(all.createdTo(first))).isEmpty();
    assertThat(find(all.createdTo(second))).containsExactly(live);
    assertThat(find(all.createdTo(after))).containsExactly(ended, other, live);
    assertThat(find(all.createdFrom(second).createdTo(third))).containsExactly(other);
    assertThat(find(all.createdFrom(second).tag("red"))).containsExactly(ended);
  }

  @Test
  void completedEventNamesItsInstance() {
    EventId cancelled = schedule(TEXT.event("a").delay(Duration.ofDays(1)));
    events.cancel(cancelled, 1, "not needed");
    EventId id = schedule(TEXT.event("b"));
    start(worker -> worker.instanceName("green").handle(TEXT, (payload, context) -> {}));
    awaitStatus(id, EventStatus.COMPLETED);
    long instance = schema.count("select id from holdfast_instance");
    for (EventRecord ended : List.of(found(id), events.find(EventFilter.all()).events().get(0))) {
      assertThat(ended.id()).isEqualTo(id);
      assertThat(ended.instanceId()).isEqualTo(instance);
      assertThat(ended.instanceName()).isEqualTo("green");
    }
    stopWorkers();
    schema.execute("delete from holdfast_instance");
    assertThat(found(id).instanceId()).isEqualTo(instance);
    assertThat(found(id).instanceName()).isNull();
    assertThat(found(cancelled).instanceId()).isNull();
    assertThat(found(cancelled).instanceName()).isNull();
  }
}
