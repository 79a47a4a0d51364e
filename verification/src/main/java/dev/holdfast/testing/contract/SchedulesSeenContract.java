package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.schedule.Schedule;
import dev.holdfast.schedule.ScheduleChange;
import dev.holdfast.schedule.ScheduleRecord;
import dev.holdfast.schedule.Schedules;
import dev.holdfast.testing.Actors;
import dev.holdfast.testing.TestDatabase;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.function.BiFunction;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** Nobody changes a schedule that they have not seen as it is. */
public abstract class SchedulesSeenContract extends ScheduleTests {
  private static final int ACTORS = 8;

  /** {@code open} makes the schedules of a database, by a clock of the test. */
  protected SchedulesSeenContract(
      TestDatabase database, BiFunction<DataSource, Clock, Schedules> open) {
    super(database, open);
  }

  private static Schedule minute(int minute) {
    return Schedule.of("hourly", cron(minute + " * * * *"), TICK.event("tock"));
  }

  private ScheduleRecord stored() {
    return schedules.find("hourly").orElseThrow();
  }

  @Test
  void whatWasNotSeenIsCreatedOnce() {
    List<ScheduleChange> results =
        Actors.run(
                Duration.ofMinutes(1),
                ACTORS,
                index -> open(schema.dataSource(2)).put(minute(index), null))
            .resultsOrThrow();
    assertThat(results.stream().filter(ScheduleChange.Created.class::isInstance)).hasSize(1);
    assertThat(results.stream().filter(ScheduleChange.Conflict.class::isInstance))
        .hasSize(ACTORS - 1);
  }

  @Test
  void ofAllWhoHaveSeenTheSameOneChangesIt() {
    schedules.put(minute(59));
    String seen = stored().tag();
    List<ScheduleChange> results =
        Actors.run(
                Duration.ofMinutes(1),
                ACTORS,
                index ->
                    index == 0
                        ? open(schema.dataSource(2)).pause("hourly", seen)
                        : open(schema.dataSource(2)).put(minute(index), seen))
            .resultsOrThrow();
    assertThat(results.stream().filter(ScheduleChange.Applied.class::isInstance)).hasSize(1);
    assertThat(results.stream().filter(ScheduleChange.Conflict.class::isInstance))
        .hasSize(ACTORS - 1);
    assertThat(stored().version()).isEqualTo(2);
  }

  @Test
  void aFireBetweenIsNoChange() {
    schedules.put(minute(0));
    ScheduleRecord seen = stored();
    fireAt("2024-03-25T13:00:05Z");
    assertThat(stored().version()).isGreaterThan(seen.version());
    assertThat(schedules.put(minute(1), seen.tag())).isInstanceOf(ScheduleChange.Applied.class);
  }

  @Test
  void aChangeBetweenIsAConflictThatChangesNothing() {
    schedules.put(minute(0));
    String seen = stored().tag();
    schedules.pause("hourly");
    int version = stored().version();
    assertThat(schedules.put(minute(1), seen)).isInstanceOf(ScheduleChange.Conflict.class);
    assertThat(schedules.resume("hourly", seen)).isInstanceOf(ScheduleChange.Conflict.class);
    assertThat(schedules.delete("hourly", seen)).isInstanceOf(ScheduleChange.Conflict.class);
    assertThat(stored().version()).isEqualTo(version);
    assertThat(schedules.put(minute(0), seen)).isInstanceOf(ScheduleChange.Unchanged.class);
  }

  @Test
  void whatIsThereCanBePausedResumedAndDeleted() {
    schedules.put(minute(0));
    String running = stored().tag();
    assertThat(schedules.resume("hourly", running)).isInstanceOf(ScheduleChange.Unchanged.class);
    assertThat(schedules.pause("hourly", running)).isInstanceOf(ScheduleChange.Applied.class);
    String paused = stored().tag();
    assertThat(paused).isNotEqualTo(running);
    assertThat(schedules.resume("hourly", paused)).isInstanceOf(ScheduleChange.Applied.class);
    assertThat(stored().tag()).isEqualTo(running);
    assertThat(schedules.delete("hourly", running)).isInstanceOf(ScheduleChange.Applied.class);
    assertThat(schedules.find("hourly")).isEmpty();
    assertThat(schedules.pause("hourly", running)).isInstanceOf(ScheduleChange.Missing.class);
    assertThat(schedules.delete("hourly", running)).isInstanceOf(ScheduleChange.Missing.class);
    assertThat(schedules.put(minute(0), running)).isInstanceOf(ScheduleChange.Missing.class);
  }
}
