package dev.holdfast.race.own;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.event.EventType;
import dev.holdfast.race.ActorCallback;
import dev.holdfast.race.Race;
import dev.holdfast.race.RaceReport;
import dev.holdfast.schedule.Recurrence;
import dev.holdfast.schedule.Schedule;
import dev.holdfast.schedule.ScheduleChangeResult;
import dev.holdfast.schedule.Schedules;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.time.Duration;
import java.time.ZoneId;
import org.junit.jupiter.api.Test;

/** Who has not seen a schedule does not overwrite it. */
class OwnSchedulesIT {
  private static final EventType<String> TICK = EventType.of("tick", String.class);

  private static ActorCallback putting(int minute) {
    Recurrence recurrence = Recurrence.cron(minute + " * * * *", ZoneId.of("UTC"));
    Schedule wanted = Schedule.of("hourly", recurrence, TICK.event("tock"));
    return ds -> {
      Schedules schedules = Holdfast.create(ds).schedules();
      ScheduleChangeResult change = schedules.createIfAbsent(wanted);
      return change.getClass().getSimpleName();
    };
  }

  @Test
  void whatWasNotSeenIsCreatedOnceOnPostgreSql() {
    isCreatedOnce(TestDatabase.postgreSql());
  }

  @Test
  void whatWasNotSeenIsCreatedOnceOnMariaDb() {
    isCreatedOnce(TestDatabase.mariaDb());
  }

  private static void isCreatedOnce(TestDatabase database) {
    try (TestSchema schema = database.newSchema()) {
      Holdfast.create(schema.dataSource()).migrations().migrate();
      RaceReport report =
          Race.create(schema.dataSource())
              // it ends by itself when every order is covered
              .timeLimit(Duration.ofSeconds(60))
              .actorWithResult("Ana", putting(1))
              .actorWithResult("Ben", putting(2))
              .explore();

      assertThat(report.hasFinding()).as(report.text()).isFalse();
      assertThat(report.isExhaustive()).as(report.text()).isTrue();
    }
  }
}
