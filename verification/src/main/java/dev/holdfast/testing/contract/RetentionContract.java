package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.InvalidArgumentException;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventScheduleResult;
import dev.holdfast.event.EventStatus;
import dev.holdfast.event.Worker;
import dev.holdfast.testing.TestDatabase;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How long ended events and their keys are known. */
public abstract class RetentionContract extends EventContract {
  private static final String LONG_AGO = "timestamp '2020-01-01 00:00:00'";
  private static final String VERY_LONG_AGO = "timestamp '2000-01-01 00:00:00'";

  protected RetentionContract(TestDatabase database) {
    super(database);
  }

  private EventId ended(String key) {
    EventId id = schedule(TEXT.event("a").key(key));
    events.cancel(id, 1, "not needed");
    return id;
  }

  /** Makes it so that an event ended long ago, as this status. */
  private void age(EventId id, int status) {
    schema.execute(
        "update holdfast_event_history set status = "
            + status
            + ", ended_at = "
            + LONG_AGO
            + " where id = "
            + id.id());
  }

  private void ageKey(String key) {
    schema.execute(
        "update holdfast_event_key set created_at = "
            + LONG_AGO
            + " where event_key = '"
            + key
            + "'");
  }

  /** A key without an event: when it is gone, those before it have been looked at. */
  private void addSign() {
    schema.execute(
        "insert into holdfast_event_key (shard, event_key, id, fingerprint, created_at) values (0,"
            + " 'sign', 987654321, 'none', "
            + VERY_LONG_AGO
            + ")");
  }

  private long ended() {
    return schema.count("select count(*) from holdfast_event_history");
  }

  private boolean hasKey(String key) {
    return schema.count("select count(*) from holdfast_event_key where event_key = '" + key + "'")
        == 1;
  }

  private void awaitSign() {
    await(() -> "keys must be forgotten", () -> !hasKey("sign"));
  }

  private Worker startKeeper(Holdfast on) {
    return start(on, worker -> worker.handle(TEXT, (payload, context) -> {}));
  }

  @Test
  void whatEndedLongAgoIsForgotten() {
    EventId recent = ended("recent");
    for (int status = 2; status <= 4; status++) {
      age(ended("old " + status), status);
    }
    startKeeper(holdfast);
    await(() -> "old events must be forgotten", () -> ended() == 1);
    assertThat(found(recent).status()).isEqualTo(EventStatus.CANCELLED);
  }

  @Test
  void manyAreForgottenBatchByBatch() {
    events.scheduleAll(IntStream.range(0, 2500).mapToObj(i -> TEXT.event("" + i)));
    schema.execute(
        "insert into holdfast_event_history (shard, id, status, priority, version, attempts,"
            + " crashes, due_at, position_at, created_at, ended_at, queue, type, payload) select"
            + " shard, id, 2, priority, version, attempts, crashes, due_at, position_at,"
            + " created_at, "
            + LONG_AGO
            + ", queue, type, payload from holdfast_event",
        "delete from holdfast_event");
    startKeeper(holdfast);
    await(() -> "old events must be forgotten", () -> ended() == 0);
  }

  @Test
  void nothingIsForgottenBeforeItsTime() {
    EventId kept = ended("kept");
    EventId old = ended("old");
    age(kept, 2);
    age(old, 2);
    schema.execute(
        "update holdfast_event_history set ended_at = "
            + VERY_LONG_AGO
            + " where id = "
            + old.id());
    addSign();
    start(worker -> worker.retention(Duration.ofDays(3650)).handle(TEXT, (payload, context) -> {}));
    await(() -> "the older one must be forgotten", () -> events.find(old).isEmpty());
    assertThat(events.find(kept)).isPresent();
    awaitSign();
    assertThat(events.schedule(TEXT.event("b").key("kept")))
        .isInstanceOf(EventScheduleResult.AlreadyScheduled.class);
  }

  @Test
  void aTimeThatMakesNoSenseIsRefused() {
    for (Duration wrong :
        new Duration[] {Duration.ZERO, Duration.ofSeconds(-1), Duration.ofDays(40_000)}) {
      assertThatThrownBy(() -> holdfast.worker().retention(wrong))
          .isInstanceOf(InvalidArgumentException.class)
          .hasMessageContaining("retention");
    }
  }

  @Test
  void aKeyIsForgottenWithItsEvent() {
    age(ended("k"), 2);
    ageKey("k");
    startKeeper(holdfast);
    await(() -> "the key must be forgotten", () -> !hasKey("k"));
    assertThat(events.findByKey("k")).isEmpty();
    assertThat(events.schedule(TEXT.event("b").key("k")))
        .isInstanceOf(EventScheduleResult.Scheduled.class);
  }

  @Test
  void freesKeyWhenEventIsPruned() {
    age(ended("k"), 2);
    startKeeper(holdfast);
    await(() -> "the old event must be forgotten", () -> ended() == 0);
    assertThat(hasKey("k")).isTrue();
    EventId next = schedule(TEXT.event("b").key("k"));
    assertThat(awaitStatus(next, EventStatus.COMPLETED).key()).isEqualTo("k");
  }

  @Test
  void aKeyOfAnEventThatIsKnownStays() {
    EventId live = schedule(TEXT.event("a").key("live").delay(Duration.ofDays(1)));
    EventId ended = ended("ended");
    ageKey("live");
    ageKey("ended");
    addSign();
    startKeeper(holdfast);
    awaitSign();
    assertThat(events.schedule(TEXT.event("b").key("live")).id()).isEqualTo(live);
    assertThat(events.schedule(TEXT.event("b").key("ended")).id()).isEqualTo(ended);
  }

  @Test
  void allKeysAreLookedAtHoweverManyThereAre() {
    events.scheduleAll(
        IntStream.range(0, 1200)
            .mapToObj(i -> TEXT.event("" + i).key("k" + i).delay(Duration.ofDays(1))));
    addSign();
    startKeeper(holdfast);
    awaitSign();
    assertThat(schema.count("select count(*) from holdfast_event_key")).isEqualTo(1200);
  }
}
