package dev.holdfast.schedule;

import dev.holdfast.Holdfast;
import java.time.Clock;
import javax.sql.DataSource;

/** Opens schedules to another clock than the database's, so that tests need not wait. */
public final class TestSchedules {
  private TestSchedules() {}

  /** The schedules of a database, by this clock. */
  public static Schedules on(DataSource dataSource, Clock clock) {
    return Holdfast.create(dataSource).schedules().clock(tx -> clock.instant());
  }
}
