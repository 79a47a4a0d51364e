package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.InvalidArgumentException;
import dev.holdfast.event.Event;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventRecord;
import dev.holdfast.event.EventStatus;
import dev.holdfast.event.EventType;
import dev.holdfast.event.PayloadCodec;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.transaction.DatabaseException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.TimeZone;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What events can carry, unchanged, and what is refused before anything is sent. */
public abstract class EventInputContract extends EventContract {
  private static final Event<String> EVENT = TEXT.event("payload");
  private static final String AWKWARD = "O'Brien \"x\" \\ % _ ? {now} 😀 日本 é";

  protected EventInputContract(TestDatabase database) {
    super(database);
  }

  /** A payload that is written as JSON. */
  public record Birthday(long userId, String name, @Nullable List<Instant> times) {}

  private static void refused(ThrowingCallable call, String message) {
    assertThatThrownBy(call)
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining(message);
  }

  @Test
  void badKeysAreRefused() {
    refused(() -> EVENT.key(" "), "blank");
    refused(() -> EVENT.key("x".repeat(301)), "at most 300 characters, had 301");
    refused(() -> EVENT.key("a\0b"), "control characters");
    refused(() -> EVENT.key("a\nb"), "control characters");
    refused(() -> EVENT.key("a "), "space");
    refused(() -> EVENT.key("a\uD83D"), "surrogates");
    refused(() -> EVENT.orderingKey("\t"), "blank");
    refused(() -> EVENT.orderingKey("x".repeat(301)), "at most 300");
    refused(() -> events.findByKey(""), "blank");
  }

  @Test
  @SuppressWarnings("NullAway")
  void nullsAreRefused() {
    refused(() -> EVENT.key(null), "null");
    refused(() -> EVENT.at(null), "null");
    refused(() -> EVENT.delay(null), "null");
    refused(() -> TEXT.event(null), "null");
    refused(() -> events.schedule((Event<?>) null), "null");
    refused(() -> events.find((EventId) null), "null");
    refused(() -> events.cancel(null, 1, "x"), "null");
  }

  @Test
  void timesOutsideTheCalendarAreRefused() {
    refused(() -> EVENT.at(Instant.parse("1960-01-01T00:00:00Z")), "1960");
    refused(() -> EVENT.at(Instant.parse("+10000-01-01T00:00:00Z")), "10000");
    refused(() -> EVENT.deadline(Instant.MAX), "deadline");
    refused(() -> EVENT.delay(Duration.ofSeconds(-1)), "delay");
    refused(() -> events.reschedule(new EventId(0, 1), 1, Instant.MIN), "due");
  }

  @Test
  void rejectsDeadlineBeforeDueTime() {
    Instant due = Instant.parse("2050-01-01T09:00:00Z");
    Event<String> contradictory = EVENT.deadline(due.minusSeconds(1)).at(due);
    transactions.<RuntimeException>run(
        tx ->
            refused(
                () -> events.scheduleAll(tx, List.of(EVENT.key("first"), contradictory)),
                "the deadline of 'text' must not be before it is due at 2050-01-01T09:00:00Z,"
                    + " was 2050-01-01T08:59:59Z"));
    assertThat(schema.count("select count(*) from holdfast_event")).isZero();
    schedule(EVENT.deadline(due).at(due));
  }

  /** Nothing of it is seen by what writes JSON. */
  public static final class Opaque {
    private final int secret;

    public Opaque(int secret) {
      this.secret = secret;
    }

    int secret() {
      return secret;
    }
  }

  /** Cannot be written, and says so at length. */
  public record Broken() {
    @Override
    public String toString() {
      throw new IllegalStateException("x".repeat(1000));
    }
  }

  /** A record without components is complete. */
  public record Ping() {}

  @Test
  void aPayloadThatCannotBeWrittenIsRefused() {
    EventType<Opaque> opaque = EventType.of("opaque", Opaque.class);
    assertThatThrownBy(() -> events.schedule(opaque.event(new Opaque(1))))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageStartingWith("the payload of 'opaque' cannot be written as JSON: ")
        .hasMessageContaining("Opaque")
        .hasCauseInstanceOf(RuntimeException.class);
    EventType<Broken> broken = EventType.of("broken", Broken.class, new ToText());
    assertThatThrownBy(() -> events.schedule(broken.event(new Broken())))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageStartingWith("the payload of 'broken' cannot be written by its codec: ")
        .hasMessageEndingWith("x…")
        .hasCauseInstanceOf(IllegalStateException.class)
        .satisfies(refusal -> assertThat(refusal.getMessage()).hasSizeLessThan(400));
    EventType<Ping> ping = EventType.of("ping", Ping.class);
    assertThat(found(schedule(ping.event(new Ping()))).payload()).isEqualTo("{}");
  }

  private static final class ToText implements PayloadCodec {
    @Override
    public String write(Object payload) {
      return payload.toString();
    }

    @Override
    public <P> P read(String text, Class<P> type) {
      throw new UnsupportedOperationException(text);
    }
  }

  @Test
  void namesThatAreTooLongAreShownShortened() {
    String endless = "n".repeat(10_000);
    for (ThrowingCallable call :
        List.<ThrowingCallable>of(
            () -> EVENT.queue(endless),
            () -> EVENT.tags(endless),
            () -> EventType.of(endless, String.class),
            () -> holdfast.schedules().find(endless))) {
      assertThatThrownBy(call)
          .isInstanceOf(InvalidArgumentException.class)
          .hasMessageEndingWith("n…'")
          .satisfies(refusal -> assertThat(refusal.getMessage()).hasSizeLessThan(200));
    }
  }

  @Test
  void otherBadInputIsRefused() {
    refused(() -> EVENT.priority(10), "from 0 to 9, was 10");
    refused(() -> EVENT.priority(-1), "from 0 to 9");
    refused(() -> EVENT.queue("a b"), "queue");
    refused(() -> EVENT.tags("a b"), "tag");
    refused(() -> EventType.of("a b", String.class), "event type");
    refused(() -> events.schedule(TEXT.event("a\0b")), "payload");
    refused(() -> events.cancel(new EventId(0, 1), 0, "x"), "version");
    assertThat(schema.count("select count(*) from holdfast_event")).isZero();
  }

  @Test
  void rejectsInvalidNumberOfShards() {
    for (int wrong : new int[] {-1, 0, 1025}) {
      assertThatThrownBy(() -> Holdfast.builder(schema.dataSource()).shards(wrong))
          .isInstanceOf(InvalidArgumentException.class)
          .hasMessageContaining("shards")
          .hasMessageContaining(String.valueOf(wrong));
    }
    assertThat(Holdfast.builder(schema.dataSource()).shards(1024).build().events()).isNotNull();
  }

  @Test
  void awkwardTextSurvives() {
    String key = AWKWARD + "k".repeat(300 - AWKWARD.length());
    EventId id =
        schedule(TEXT.event(AWKWARD).key(key).orderingKey(key).tags("😀", "'tag'", "a\\b"));
    EventRecord found = events.findByKey(key).orElseThrow();
    assertThat(found.id()).isEqualTo(id);
    assertThat(found.payload()).isEqualTo(AWKWARD);
    assertThat(found.key()).isEqualTo(key);
    assertThat(found.orderingKey()).isEqualTo(key);
    assertThat(found.tags()).containsExactly("😀", "'tag'", "a\\b");
    events.cancel(id, 1, AWKWARD);
    EventRecord ended = found(id);
    assertThat(ended.error()).isEqualTo(AWKWARD);
    assertThat(ended.payload()).isEqualTo(AWKWARD);
    assertThat(ended.tags()).containsExactly("😀", "'tag'", "a\\b");
  }

  @Test
  void hugePayloadsSurvive() {
    String huge = "é😀x".repeat(800_000);
    byte[] bytes = new byte[5_000_000];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) i;
    }
    EventType<byte[]> binary = EventType.of("binary", byte[].class);
    var ids =
        events.scheduleAll(
            List.of(TEXT.event(huge), binary.event(bytes), TEXT.event(huge), TEXT.event("")));
    assertThat(found(ids.get(0).id()).payload()).isEqualTo(huge);
    assertThat(found(ids.get(1).id()).payloadBytes()).isEqualTo(bytes);
    assertThat(found(ids.get(3).id()).payload()).isEmpty();
    events.cancel(ids.get(0).id(), 1, "");
    events.cancel(ids.get(1).id(), 1, "");
    assertThat(found(ids.get(0).id()).payload()).isEqualTo(huge);
    assertThat(found(ids.get(1).id()).payloadBytes()).isEqualTo(bytes);
  }

  @Test
  void recordsAreKeptAsJson() {
    EventType<Birthday> type = EventType.of("birthday", Birthday.class);
    Birthday birthday = new Birthday(42, AWKWARD, List.of(Instant.parse("2026-02-03T04:05:06Z")));
    List<Birthday> seen = new java.util.concurrent.CopyOnWriteArrayList<>();
    start(worker -> worker.handle(type, (payload, context) -> seen.add(payload)));
    awaitStatus(schedule(type.event(birthday)), EventStatus.COMPLETED);
    assertThat(seen).containsExactly(birthday);
  }

  @Test
  void timesSurviveToTheMicrosecond() {
    for (String text :
        List.of(
            "1970-01-02T00:00:00Z",
            "2026-03-29T01:30:00.000001Z",
            "2038-01-19T03:14:08.999999Z",
            "2026-10-25T01:30:00.123456Z",
            "9999-12-29T23:59:59.999999Z")) {
      Instant time = Instant.parse(text);
      EventId id = schedule(EVENT.at(time).deadline(time));
      assertThat(found(id).dueAt()).isEqualTo(time);
      assertThat(found(id).deadlineAt()).isEqualTo(time);
      events.cancel(id, 1, "");
      assertThat(found(id).dueAt()).isEqualTo(time);
      assertThat(found(id).deadlineAt()).isEqualTo(time);
    }
  }

  @Test
  void timesDoNotDependOnTheZoneOfTheJvm() {
    TimeZone before = TimeZone.getDefault();
    // an hour that does not exist in this zone, and one that exists twice in the other
    Instant skipped = Instant.parse("2026-03-29T01:30:00.123456Z");
    Instant twice = Instant.parse("2026-11-01T05:30:00.654321Z");
    try {
      TimeZone.setDefault(TimeZone.getTimeZone("Europe/Madrid"));
      Holdfast madrid = Holdfast.create(schema.dataSource(2));
      EventId one = madrid.events().schedule(EVENT.at(skipped)).id();
      EventId two = madrid.events().schedule(EVENT.at(twice)).id();
      EventId now =
          madrid
              .events()
              .schedule(EVENT.queue("now").deadline(Instant.now().plus(30, ChronoUnit.MINUTES)))
              .id();
      TimeZone.setDefault(TimeZone.getTimeZone("America/New_York"));
      Holdfast newYork = Holdfast.create(schema.dataSource(8));
      assertThat(newYork.events().find(one))
          .get()
          .extracting(EventRecord::dueAt)
          .isEqualTo(skipped);
      assertThat(newYork.events().find(two)).get().extracting(EventRecord::dueAt).isEqualTo(twice);
      start(
          newYork,
          worker -> worker.queues(Map.of("now", 1)).handle(TEXT, (payload, context) -> {}));
      awaitStatus(now, EventStatus.COMPLETED);
    } finally {
      TimeZone.setDefault(before);
    }
  }

  @Test
  void timesDoNotDependOnTheZoneOfTheSession() throws Exception {
    Instant time = Instant.parse("2026-03-29T01:30:00.123456Z");
    String zone =
        database().name().startsWith("M") ? "set time_zone = '+05:30'" : "set time zone '+05:30'";
    String back =
        database().name().startsWith("M") ? "set time_zone = default" : "set time zone local";
    List<EventId> ids =
        transactions.<List<EventId>, Exception>call(
            tx -> {
              Sql.execute(tx.connection(), zone);
              EventId at = events.schedule(tx, EVENT.at(time)).id();
              EventId now = events.schedule(tx, EVENT.queue("now")).id();
              Sql.execute(tx.connection(), back);
              return List.of(at, now);
            });
    assertThat(found(ids.get(0)).dueAt()).isEqualTo(time);
    start(worker -> worker.queues(Map.of("now", 1)).handle(TEXT, (payload, context) -> {}));
    assertThat(awaitStatus(ids.get(1), EventStatus.COMPLETED).dueAt())
        .isBetween(
            Instant.now().minus(20, ChronoUnit.MINUTES),
            Instant.now().plus(20, ChronoUnit.MINUTES));
  }

  @Test
  void reportsMissingMigration() {
    schema.execute("drop table holdfast_event_key", "drop table holdfast_event");
    assertThatThrownBy(() -> events.schedule(TEXT.event("a")))
        .isInstanceOf(DatabaseException.class)
        .hasMessageContaining("call holdfast.migrations().migrate()");
  }
}
