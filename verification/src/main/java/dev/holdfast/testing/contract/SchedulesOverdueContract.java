package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.schedule.ScheduleOverdueException;
import dev.holdfast.schedule.ScheduleRunner;
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
  void aDueScheduleThatAnotherSessionHoldsIsNamed() throws SQLException {
    schedules.put(hourly());
    try (ScheduleRunner runner =
        schedules.takeOverAfter(Duration.ofSeconds(3)).start(Duration.ofMillis(50))) {
      try (Connection holder = schema.unpooled().getConnection();
          Statement statement = holder.createStatement()) {
        holder.setAutoCommit(false);
        statement.executeQuery("select * from holdfast_schedule for update").close();
        clock.set(Instant.parse("2024-03-25T13:00:00Z"));
        EventContract.await(
            () -> "must name the schedule, was " + runner.lastFailure(),
            () ->
                runner
                    .lastFailure()
                    .filter(ScheduleOverdueException.class::isInstance)
                    .isPresent());
        assertThat(runner.isHealthy()).isFalse();
        assertThat(runner.lastFailure().orElseThrow())
            .hasMessageContaining("'hourly'")
            .hasMessageContaining("2024-03-25T13:00:00Z");
        assertThat(fires("hourly")).isEmpty();
        holder.rollback();
      }
      EventContract.await(
          () -> "the schedule must fire, fires were " + fires("hourly"),
          () -> fires("hourly").equals(List.of("2024-03-25T13:00:00Z")));
      EventContract.await(() -> "healthy, was " + runner.lastFailure(), runner::isHealthy);
    }
  }

  @Test
  void anOutageIsLoggedOnceHoweverLongItTakes() {
    String log =
        EventContract.logOf(
            () -> {
              schema.execute("alter table holdfast_schedule rename to hidden");
              try (ScheduleRunner runner = schedules.start(Duration.ofMillis(10))) {
                EventContract.await(() -> "it must fail", () -> runner.lastFailure().isPresent());
                LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1));
              }
            });
    assertThat(log.lines().filter(line -> line.contains("could not be fired"))).hasSize(1);
  }
}
