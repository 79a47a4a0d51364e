package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.schedule.Schedule;
import dev.holdfast.schedule.ScheduleChangeResult;
import dev.holdfast.schedule.ScheduleRecord;
import dev.holdfast.schedule.Schedules;
import dev.holdfast.testing.ConcurrentActors;
import dev.holdfast.testing.TestDatabase;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.function.BiFunction;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** Nobody changes a schedule that they have not seen as it is. */
public abstract class ScheduleEtagContract extends ScheduleTests {
  private static final int ACTORS = 8;

  /** {@code open} makes the schedules of a database, by a clock of the test. */
  protected ScheduleEtagContract(
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
    List<ScheduleChangeResult> results =
        ConcurrentActors.run(
                Duration.ofMinutes(1),
                ACTORS,
                index -> open(schema.dataSource(2)).createIfAbsent(minute(index)))
            .resultsOrThrow();
    assertThat(results.stream().filter(ScheduleChangeResult.Created.class::isInstance)).hasSize(1);
    assertThat(results.stream().filter(ScheduleChangeResult.Conflict.class::isInstance))
        .hasSize(ACTORS - 1);
  }

  @Test
  void oneOfConcurrentChangesWins() {
    schedules.put(minute(59));
    String seen = stored().etag();
    List<ScheduleChangeResult> results =
        ConcurrentActors.run(
                Duration.ofMinutes(1),
                ACTORS,
                index ->
                    index == 0
                        ? open(schema.dataSource(2)).pauseIfMatch("hourly", seen)
                        : open(schema.dataSource(2)).putIfMatch(minute(index), seen))
            .resultsOrThrow();
    assertThat(results.stream().filter(ScheduleChangeResult.Updated.class::isInstance)).hasSize(1);
    assertThat(results.stream().filter(ScheduleChangeResult.Conflict.class::isInstance))
        .hasSize(ACTORS - 1);
    assertThat(stored().version()).isEqualTo(2);
  }

  @Test
  void aFireBetweenIsNoChange() {
    schedules.put(minute(0));
    ScheduleRecord seen = stored();
    fireAt("2024-03-25T13:00:05Z");
    assertThat(stored().version()).isGreaterThan(seen.version());
    assertThat(schedules.putIfMatch(minute(1), seen.etag()))
        .isInstanceOf(ScheduleChangeResult.Updated.class);
  }

  @Test
  void changeInBetweenIsConflict() {
    schedules.put(minute(0));
    String seen = stored().etag();
    schedules.pause("hourly");
    int version = stored().version();
    assertThat(schedules.putIfMatch(minute(1), seen))
        .isInstanceOf(ScheduleChangeResult.Conflict.class);
    assertThat(schedules.resumeIfMatch("hourly", seen))
        .isInstanceOf(ScheduleChangeResult.Conflict.class);
    assertThat(schedules.deleteIfMatch("hourly", seen))
        .isInstanceOf(ScheduleChangeResult.Conflict.class);
    assertThat(stored().version()).isEqualTo(version);
    assertThat(schedules.putIfMatch(minute(0), seen))
        .isInstanceOf(ScheduleChangeResult.Unchanged.class);
  }

  @Test
  void whatIsThereCanBePausedResumedAndDeleted() {
    schedules.put(minute(0));
    String running = stored().etag();
    assertThat(schedules.resumeIfMatch("hourly", running))
        .isInstanceOf(ScheduleChangeResult.Unchanged.class);
    assertThat(schedules.pauseIfMatch("hourly", running))
        .isInstanceOf(ScheduleChangeResult.Updated.class);
    String paused = stored().etag();
    assertThat(paused).isNotEqualTo(running);
    assertThat(schedules.resumeIfMatch("hourly", paused))
        .isInstanceOf(ScheduleChangeResult.Updated.class);
    assertThat(stored().etag()).isEqualTo(running);
    assertThat(schedules.deleteIfMatch("hourly", running))
        .isInstanceOf(ScheduleChangeResult.Deleted.class);
    assertThat(schedules.find("hourly")).isEmpty();
    assertThat(schedules.pauseIfMatch("hourly", running))
        .isInstanceOf(ScheduleChangeResult.NotFound.class);
    assertThat(schedules.deleteIfMatch("hourly", running))
        .isInstanceOf(ScheduleChangeResult.NotFound.class);
    assertThat(schedules.putIfMatch(minute(0), running))
        .isInstanceOf(ScheduleChangeResult.NotFound.class);
  }
}
