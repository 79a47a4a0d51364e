package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.BackgroundService;
import dev.holdfast.schedule.Schedules;
import dev.holdfast.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiFunction;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** A runner says which schedule is due and cannot be fired. */
public abstract class SchedulesOverdueContract extends ScheduleTests {
  protected SchedulesOverdueContract(
      TestDatabase database, BiFunction<DataSource, Clock, Schedules> open) {
    super(database, open);
  }

  @Test
  void namesScheduleLockedByOtherSession() throws SQLException {
    schedules.put(hourly());
    try (BackgroundService runner =
        schedules.takeOverAfter(Duration.ofSeconds(3)).runner(Duration.ofMillis(50))) {
      runner.start();
      try (Connection holder = schema.unpooled().getConnection();
          Statement statement = holder.createStatement()) {
        holder.setAutoCommit(false);
        statement.executeQuery("select * from holdfast_schedule for update").close();
        clock.set(Instant.parse("2024-03-25T13:00:00Z"));
        EventContract.await(
            () -> "must name the schedule, was " + runner.health(),
            () ->
                runner.health().issues().stream()
                    .anyMatch(issue -> issue.code().equals("schedule-overdue")));
        assertThat(isUp(runner)).isFalse();
        assertThat(runner.health().issues())
            .singleElement()
            .satisfies(
                issue -> assertThat(issue.message()).contains("'hourly'", "2024-03-25T13:00:00Z"));
        assertThat(fires("hourly")).isEmpty();
        holder.rollback();
      }
      EventContract.await(
          () -> "the schedule must fire, fires were " + fires("hourly"),
          () -> fires("hourly").equals(List.of("2024-03-25T13:00:00Z")));
      EventContract.await(() -> "healthy, was " + runner.health(), () -> isUp(runner));
    }
  }

  @Test
  void anOutageIsLoggedOnceHoweverLongItTakes() {
    String log =
        EventContract.logOf(
            () -> {
              try (BackgroundService runner = schedules.runner(Duration.ofMillis(10))) {
                runner.start();
                awaitChecked(runner);
                schema.execute("alter table holdfast_schedule rename to hidden");
                EventContract.await(
                    () -> "it must fail", () -> !runner.health().issues().isEmpty());
                LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1));
              }
            });
    assertThat(log.lines().filter(line -> line.contains("schedule-fire-failed: "))).hasSize(1);
  }
}
