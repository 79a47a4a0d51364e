package dev.holdfast.testing.contract;

import dev.holdfast.BackgroundService;
import dev.holdfast.Health;
import dev.holdfast.Holdfast;
import dev.holdfast.event.EventChangeResult;
import dev.holdfast.event.EventRecord;
import dev.holdfast.event.EventType;
import dev.holdfast.event.Events;
import dev.holdfast.schedule.Recurrence;
import dev.holdfast.schedule.Schedule;
import dev.holdfast.schedule.Schedules;
import dev.holdfast.testing.SettableClock;
import dev.holdfast.testing.TestDatabase;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.function.BiFunction;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;

/** What the contracts of schedules stand on: the tables, and a clock that a test moves. */
abstract class ScheduleTests extends DatabaseContract {
  static final ZoneId MADRID = ZoneId.of("Europe/Madrid");
  static final EventType<String> TICK = EventType.of("tick", String.class);

  private final BiFunction<DataSource, Clock, Schedules> open;

  /** Shows noon of a Monday, UTC, until a test moves it. */
  final SettableClock clock = new SettableClock(Instant.parse("2024-03-25T12:00:00Z"));

  Schedules schedules;
  Events events;

  @SuppressWarnings("NullAway.Init")
  ScheduleTests(TestDatabase database, BiFunction<DataSource, Clock, Schedules> open) {
    super(database);
    this.open = open;
  }

  @BeforeEach
  final void openSchedules() {
    Holdfast.create(schema.dataSource()).migrations().migrate();
    schedules = open(schema.dataSource());
    events = Holdfast.create(schema.dataSource()).events();
  }

  /** The schedules as a further instance sees them, by the same clock. */
  final Schedules open(DataSource dataSource) {
    return open.apply(dataSource, clock);
  }

  static Recurrence cron(String expression) {
    return Recurrence.cron(expression, MADRID);
  }

  static Schedule hourly() {
    return Schedule.of("hourly", cron("0 * * * *"), TICK.event("tock"));
  }

  /** Moves the clock and fires what is due then. */
  final void fireAt(String time) {
    clock.set(Instant.parse(time));
    schedules.fireDue();
  }

  /** The fire times that the events of a schedule were made for, in order. */
  final List<String> fires(String name) {
    String prefix = "schedule/" + name + "/";
    return schema
        .query("select event_key from holdfast_event where event_key like '" + prefix + "%'")
        .stream()
        .map(row -> String.valueOf(row.get("event_key")).substring(prefix.length()))
        .sorted()
        .toList();
  }

  final EventRecord eventOf(String name, String fire) {
    return events.findByKey("schedule/" + name + "/" + fire).orElseThrow();
  }

  /** Ends a pending event. */
  final void end(EventRecord event) {
    if (!(events.cancel(event.id(), event.version(), "ended by the test")
        instanceof EventChangeResult.Applied)) {
      throw new AssertionError("must be pending, was " + event);
    }
  }

  static boolean isUp(BackgroundService service) {
    return service.health().status() == Health.Status.UP;
  }

  /** Waits until a runner has looked at the schedules once without a failure. */
  static void awaitChecked(BackgroundService runner) {
    EventContract.await(
        () -> "it must have looked, is " + runner.health(),
        () -> runner.health().details().containsKey("last-check"));
  }
}
