package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.event.EventRecord;
import dev.holdfast.event.EventType;
import dev.holdfast.schedule.MisfirePolicy;
import dev.holdfast.schedule.OverlapPolicy;
import dev.holdfast.schedule.Schedule;
import dev.holdfast.schedule.ScheduleChangeResult;
import dev.holdfast.schedule.ScheduleRecord;
import dev.holdfast.schedule.ScheduleTriggerResult;
import dev.holdfast.schedule.Schedules;
import dev.holdfast.testing.TestDatabase;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** What a schedule does on every database: which fires make events, and what they are like. */
public abstract class SchedulesContract extends ScheduleTests {
  /** {@code open} makes the schedules of a database, by a clock of the test. */
  protected SchedulesContract(
      TestDatabase database, BiFunction<DataSource, Clock, Schedules> open) {
    super(database, open);
  }

  @Test
  void aFireMakesOneEvent() {
    schedules.put(
        Schedule.of("hourly", cron("0 * * * *"), TICK.event("tock").priority(7).tags("loud")));

    fireAt("2024-03-25T12:59:59Z");
    assertThat(fires("hourly")).isEmpty();
    fireAt("2024-03-25T13:00:00Z");
    fireAt("2024-03-25T13:00:01Z");

    assertThat(fires("hourly")).containsExactly("2024-03-25T13:00:00Z");
    EventRecord event = eventOf("hourly", "2024-03-25T13:00:00Z");
    assertThat(event.payload()).isEqualTo("tock");
    assertThat(event.type()).isEqualTo("tick");
    assertThat(event.priority()).isEqualTo(7);
    assertThat(event.dueAt()).isEqualTo("2024-03-25T13:00:00Z");
    assertThat(event.tags())
        .containsExactly("loud", "schedule:hourly", "fire:2024-03-25T13:00:00Z");
  }

  @Test
  void bytesStayBytes() {
    byte[] bytes = {0, 1, -1};
    var type = EventType.of("bytes", byte[].class);
    schedules.put(Schedule.of("bytes", cron("0 * * * *"), type.event(bytes)));

    fireAt("2024-03-25T13:00:00Z");

    assertThat(eventOf("bytes", "2024-03-25T13:00:00Z").payloadBytes()).isEqualTo(bytes);
  }

  @Test
  void previewShowsAllFires() {
    schedules.put(
        Schedule.of(
            "hourly",
            cron("0 * * * *")
                .startingAt(Instant.parse("2024-03-25T15:00:00Z"))
                .endingAt(Instant.parse("2024-03-25T16:30:00Z")),
            TICK.event("tock")));

    assertThat(record("hourly").nextFires(10))
        .containsExactly(
            Instant.parse("2024-03-25T15:00:00Z"), Instant.parse("2024-03-25T16:00:00Z"));
    fireAt("2024-03-25T14:00:00Z");
    fireAt("2024-03-25T15:00:00Z");
    fireAt("2024-03-25T16:00:00Z");
    fireAt("2024-03-25T17:00:00Z");

    assertThat(fires("hourly")).containsExactly("2024-03-25T15:00:00Z", "2024-03-25T16:00:00Z");
    assertThat(record("hourly").nextFireAt()).isNull();
    assertThat(record("hourly").nextFires(10)).isEmpty();
  }

  @Test
  void missedFiresAreSkipped() {
    schedules.put(hourly().misfire(MisfirePolicy.skip()));

    fireAt("2024-03-25T16:30:00Z");
    assertThat(fires("hourly")).isEmpty();
    fireAt("2024-03-25T18:00:59Z");

    assertThat(fires("hourly")).containsExactly("2024-03-25T18:00:00Z");
  }

  @Test
  void missedFiresCountOnce() {
    schedules.put(hourly());

    fireAt("2024-03-25T16:30:00Z");
    assertThat(fires("hourly")).containsExactly("2024-03-25T16:00:00Z");
    fireAt("2024-03-25T20:00:30Z");

    assertThat(fires("hourly")).containsExactly("2024-03-25T16:00:00Z", "2024-03-25T20:00:00Z");
  }

  @Test
  void theLatestMissedFiresAreCaughtUpWith() {
    schedules.put(hourly().misfire(MisfirePolicy.catchUp(3)));

    fireAt("2024-03-25T20:00:30Z");

    assertThat(fires("hourly"))
        .containsExactly(
            "2024-03-25T17:00:00Z",
            "2024-03-25T18:00:00Z",
            "2024-03-25T19:00:00Z",
            "2024-03-25T20:00:00Z");
  }

  @Test
  void everyFireWithinTheToleranceIsOnTime() {
    schedules.put(
        Schedule.of("often", cron("*/10 * * * * *"), TICK.event("tock"))
            .misfire(MisfirePolicy.skip()));

    clock.set(Instant.parse("2024-03-25T12:00:45Z"));

    assertThat(schedules.fireDue()).isEqualTo(new Schedules.FireResult(4, 0, 0));
    assertThat(fires("often"))
        .startsWith("2024-03-25T12:00:10Z")
        .endsWith("2024-03-25T12:00:40Z")
        .hasSize(4);
  }

  @Test
  void aLongAbsenceCostsNoTime() {
    schedules.put(
        Schedule.of("often", cron("* * * * * *"), TICK.event("tock"))
            .misfireThreshold(Duration.ofSeconds(1))
            .misfire(MisfirePolicy.catchUp(5)));

    fireAt("2034-03-25T12:00:00Z");

    assertThat(fires("often")).hasSize(6).endsWith("2034-03-25T12:00:00Z");
  }

  @Test
  void skipsFireWhileLastEventRuns() {
    schedules.put(hourly().overlap(OverlapPolicy.SKIP));

    fireAt("2024-03-25T13:00:00Z");
    clock.set(Instant.parse("2024-03-25T14:00:00Z"));
    assertThat(schedules.fireDue()).isEqualTo(new Schedules.FireResult(0, 1, 0));
    end(eventOf("hourly", "2024-03-25T13:00:00Z"));
    fireAt("2024-03-25T15:00:00Z");

    assertThat(schema.count("select count(*) from holdfast_event")).isEqualTo(1);
    assertThat(fires("hourly")).containsExactly("2024-03-25T15:00:00Z");
  }

  @Test
  void queuedEventsAreInOneOrder() {
    schedules.put(hourly().overlap(OverlapPolicy.QUEUE));

    fireAt("2024-03-25T13:00:00Z");
    fireAt("2024-03-25T14:00:00Z");
    schedules.trigger("hourly");

    assertThat(
            schema.count(
                "select count(*) from holdfast_event where ordering_key = 'schedule/hourly'"))
        .isEqualTo(3);
    assertThatThrownBy(
            () ->
                schedules.put(
                    Schedule.of("q", cron("@daily"), TICK.event("").orderingKey("mine"))
                        .overlap(OverlapPolicy.QUEUE)))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContainingAll("ordering key", "mine", "schedule 'q'");
  }

  @Test
  void jitterDelaysEventsButNotFires() {
    for (int i = 0; i < 20; i++) {
      schedules.put(
          Schedule.of("jitter-" + i, cron("0 * * * *"), TICK.event("tock"))
              .jitter(Duration.ofMinutes(5)));
    }

    fireAt("2024-03-25T13:00:00Z");

    Instant fire = Instant.parse("2024-03-25T13:00:00Z");
    assertThat(IntStream.range(0, 20).mapToObj(i -> "jitter-" + i))
        .extracting(name -> eventOf(name, fire.toString()).dueAt())
        .allMatch(due -> !due.isBefore(fire) && !due.isAfter(fire.plusSeconds(300)))
        .hasSizeGreaterThan(10)
        .matches(all -> all.stream().distinct().count() > 10);
  }

  @Test
  void pausedScheduleDoesNotFireOrCatchUp() {
    schedules.put(hourly().misfire(MisfirePolicy.catchUp(10)));

    assertThat(schedules.pause("hourly")).isInstanceOf(ScheduleChangeResult.Updated.class);
    assertThat(schedules.pause("hourly")).isInstanceOf(ScheduleChangeResult.Unchanged.class);
    fireAt("2024-03-25T13:00:00Z");
    assertThat(record("hourly").nextFires(10)).isEmpty();
    clock.set(Instant.parse("2024-03-25T15:30:00Z"));
    assertThat(schedules.declare(hourly().misfire(MisfirePolicy.skip())))
        .isInstanceOf(ScheduleChangeResult.Updated.class);
    assertThat(record("hourly").paused()).isTrue();
    assertThat(schedules.resume("hourly")).isInstanceOf(ScheduleChangeResult.Updated.class);
    assertThat(schedules.resume("hourly")).isInstanceOf(ScheduleChangeResult.Unchanged.class);
    assertThat(schedules.pause("nobody")).isInstanceOf(ScheduleChangeResult.NotFound.class);
    assertThat(schedules.resume("nobody")).isInstanceOf(ScheduleChangeResult.NotFound.class);
    fireAt("2024-03-25T16:00:00Z");

    assertThat(fires("hourly")).containsExactly("2024-03-25T16:00:00Z");
  }

  @Test
  void anExtraEventChangesNoFire() {
    schedules.put(hourly().overlap(OverlapPolicy.SKIP));
    schedules.pause("hourly");

    ScheduleTriggerResult first = schedules.trigger("hourly");

    assertThat(first).isInstanceOf(ScheduleTriggerResult.Triggered.class);
    EventRecord extra =
        events.find(((ScheduleTriggerResult.Triggered) first).eventId()).orElseThrow();
    assertThat(extra.tags()).containsExactly("schedule:hourly", "extra");
    assertThat(schedules.trigger("hourly"))
        .isEqualTo(new ScheduleTriggerResult.Overlapping(extra.id()));
    end(extra);
    schedules.resume("hourly");
    fireAt("2024-03-25T13:00:00Z");
    assertThat(fires("hourly")).containsExactly("2024-03-25T13:00:00Z");
    assertThat(schedules.trigger("nobody")).isEqualTo(new ScheduleTriggerResult.NotFound());
  }

  @Test
  void aDeletedScheduleIsGoneAndItsEventsStay() {
    schedules.put(hourly());
    fireAt("2024-03-25T13:00:00Z");

    assertThat(schedules.delete("hourly")).isInstanceOf(ScheduleChangeResult.Deleted.class);
    assertThat(schedules.delete("hourly")).isInstanceOf(ScheduleChangeResult.NotFound.class);
    fireAt("2024-03-25T14:00:00Z");

    assertThat(schedules.find("hourly")).isEmpty();
    assertThat(fires("hourly")).containsExactly("2024-03-25T13:00:00Z");
  }

  @Test
  void recreatedScheduleDoesNotRepeatFire() {
    schedules.put(hourly());
    fireAt("2024-03-25T13:00:00Z");
    schedules.delete("hourly");
    clock.set(Instant.parse("2024-03-25T12:59:00Z"));
    schedules.put(hourly());

    clock.set(Instant.parse("2024-03-25T13:00:00Z"));

    assertThat(schedules.fireDue()).isEqualTo(new Schedules.FireResult(0, 0, 0));
    assertThat(fires("hourly")).hasSize(1);
  }

  @Test
  void aClockThatGoesBackMakesNoFireTwice() {
    schedules.put(hourly());
    fireAt("2024-03-25T13:00:30Z");

    clock.set(Instant.parse("2024-03-25T12:59:50Z"));
    schedules.put(Schedule.of("hourly", cron("10 0 * * * *"), TICK.event("other")));
    fireAt("2024-03-25T13:00:20Z");
    fireAt("2024-03-25T14:00:10Z");

    assertThat(fires("hourly")).containsExactly("2024-03-25T13:00:00Z", "2024-03-25T14:00:10Z");
  }

  @Test
  void joinsTheTransactionOfTheCaller() {
    transactions.run(tx -> schedules.put(tx, hourly()));
    assertThatThrownBy(
            () ->
                transactions.run(
                    tx -> {
                      schedules.delete(tx, "hourly");
                      schedules.put(tx, Schedule.of("other", cron("@daily"), TICK.event("tock")));
                      throw new IllegalStateException("the caller's own");
                    }))
        .hasMessage("the caller's own");

    assertThat(schedules.list("", 10)).extracting(ScheduleRecord::name).containsExactly("hourly");
  }

  @Test
  void unreadableScheduleDoesNotBlockOthers() {
    for (int i = 100; i < 350; i++) {
      schedules.put(Schedule.of("n" + i, cron("0 * * * *"), TICK.event("tock")));
    }
    assertThat(schedules.list("n150", 100))
        .hasSize(100)
        .first()
        .matches(s -> s.name().equals("n151"));
    schema.execute("update holdfast_schedule set recurrence = 'by the moon' where name < 'n230'");
    clock.set(Instant.parse("2024-03-25T13:00:00Z"));

    assertThat(schedules.fireDue()).isEqualTo(new Schedules.FireResult(120, 0, 130));
    assertThat(schema.count("select count(*) from holdfast_event")).isEqualTo(120);
  }

  @Test
  void whatNoFireCouldMakeIsRefused() {
    assertThatThrownBy(() -> Schedule.of("no blanks", cron("@daily"), TICK.event("")))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("no blanks");
    assertThatThrownBy(
            () -> schedules.put(Schedule.of("k", cron("@daily"), TICK.event("").key("mine"))))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("template");
    assertThatThrownBy(() -> hourly().misfireThreshold(Duration.ofDays(1)))
        .isInstanceOf(InvalidArgumentException.class);
    assertThatThrownBy(() -> MisfirePolicy.catchUp(0)).isInstanceOf(InvalidArgumentException.class);
    String[] many = IntStream.range(0, 19).mapToObj(i -> "t" + i).toArray(String[]::new);
    assertThatThrownBy(
            () -> schedules.put(Schedule.of("t", cron("@daily"), TICK.event("").tags(many))))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("tags");
  }

  private ScheduleRecord record(String name) {
    return schedules.find(name).orElseThrow();
  }
}
