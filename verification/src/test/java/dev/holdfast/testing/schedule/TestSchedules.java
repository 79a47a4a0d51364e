package dev.holdfast.testing.schedule;

import dev.holdfast.Holdfast;
import dev.holdfast.internal.schedule.DefaultSchedules;
import dev.holdfast.schedule.Schedules;
import java.time.Clock;
import javax.sql.DataSource;

/** Opens schedules to another clock than the database's, so that tests need not wait. */
public final class TestSchedules {
  private TestSchedules() {}

  /** The schedules of a database, by this clock. */
  public static Schedules on(DataSource dataSource, Clock clock) {
    return ((DefaultSchedules) Holdfast.create(dataSource).schedules())
        .clock(tx -> clock.instant());
  }
}
