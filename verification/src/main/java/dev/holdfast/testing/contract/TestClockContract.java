package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.event.Event;
import dev.holdfast.event.EventHandler;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventType;
import dev.holdfast.event.ManualWorker;
import dev.holdfast.guard.Update;
import dev.holdfast.schedule.MisfirePolicy;
import dev.holdfast.schedule.OverlapPolicy;
import dev.holdfast.schedule.Recurrence;
import dev.holdfast.schedule.Schedule;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestWorker;
import dev.holdfast.transaction.Transaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.ZoneId;
import java.util.List;
import org.junit.jupiter.api.Test;

/** That events, schedules and guards live by the clock of a test, and how it is moved. */
public abstract class TestClockContract extends ManualWorkerTests {
  private static final Instant LAST = Instant.parse("9999-12-30T00:00:00Z");
  private static final ZoneId MADRID = ZoneId.of("Europe/Madrid");
  private static final ZoneId ADELAIDE = ZoneId.of("Australia/Adelaide");
  private static final LocalTime NINE = LocalTime.of(9, 0);

  record Birthday(String name, int year, String zone) {}

  static final EventType<Birthday> BIRTHDAY = EventType.of("birthday", Birthday.class);

  protected TestClockContract(TestDatabase database) {
    super(database);
  }

  private TestWorker noting() {
    return test.worker(worker -> worker.handle(TEXT, (payload, context) -> note(payload)));
  }

  @Test
  void runsEventWhenDue() {
    EventId id = schedule(TEXT.event("a").delay(HOUR));
    TestWorker worker = noting();
    assertThat(worker.runDue()).isEmpty();
    assertThat(worker.advance(HOUR.minusNanos(1000))).isEmpty();
    assertThat(worker.advance(Duration.ofNanos(1000))).hasSize(1);
    assertThat(found(id).createdAt()).isEqualTo(NOON);
    assertThat(found(id).claimedAt()).isEqualTo(NOON.plus(HOUR));
    assertThat(found(id).endedAt()).isEqualTo(NOON.plus(HOUR));
    assertThat(test.clock().instant()).isEqualTo(NOON.plus(HOUR));
  }

  @Test
  void eachHandlerSeesTheTimeAtWhichItRuns() {
    schedule(TEXT.event("one").delay(HOUR));
    schedule(TEXT.event("two").delay(HOUR.multipliedBy(2)));
    TestWorker worker =
        test.worker(
            w ->
                w.handle(
                    TEXT,
                    (payload, context) -> {
                      note(payload);
                      if (payload.equals("one")) {
                        schedule(TEXT.event("between").delay(Duration.ofMinutes(30)));
                      }
                    }));
    assertThat(worker.advance(HOUR.multipliedBy(3))).hasSize(3);
    assertThat(seen).containsExactly("one PT1H", "between PT1H30M", "two PT2H");
    assertThat(test.clock().instant()).isEqualTo(NOON.plus(HOUR.multipliedBy(3)));
    test.assertNothingScheduled();
  }

  @Test
  void itIsMovedForwardOnly() {
    TestWorker worker = noting();
    schedule(TEXT.event("now"));
    assertThat(worker.advance(Duration.ZERO)).hasSize(1);
    assertThatThrownBy(() -> worker.advance(Duration.ofNanos(-1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("PT-0.000000001S");
    assertThatThrownBy(() -> worker.advanceTo(NOON.minusNanos(1)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> worker.advance(Duration.ofSeconds(Long.MAX_VALUE)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("9999");
    assertThat(test.clock().instant()).isEqualTo(NOON);
  }

  @Test
  void timeGoesUpToTheYear9999() {
    schedule(TEXT.event("last").at(LAST));
    TestWorker worker = noting();
    assertThat(worker.advanceTo(LAST.minusSeconds(1))).isEmpty();
    assertThat(worker.advance(Duration.ofSeconds(1))).hasSize(1);
    test.clock().set(LAST.plusNanos(1000));
    assertThatThrownBy(worker::runDue)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("9999-12-30T00:00:00Z");
  }

  @Test
  void aBirthdayComesOnceAYearAtNineInEachZone() {
    TestWorker worker =
        test.worker(
            w ->
                w.handle(
                    EventHandler.transactional(
                        BIRTHDAY,
                        (birthday, tx, context) -> {
                          ZoneId zone = ZoneId.of(birthday.zone());
                          seen.add(birthday.name() + " " + test.clock().instant().atZone(zone));
                          events.schedule(tx, of(birthday.name(), birthday.year() + 1, zone));
                        })));
    events.schedule(of("Ana", 2024, MADRID));
    events.schedule(of("Kim", 2024, ADELAIDE));
    test.assertScheduled(BIRTHDAY)
        .withKey("birthday-Ana-2024")
        .at(Instant.parse("2024-10-27T08:00:00Z"))
        .withPayload(new Birthday("Ana", 2024, "Europe/Madrid"))
        .once();

    List<ManualWorker.Result> handled = worker.failFast().advance(Duration.ofDays(3 * 365));

    assertThat(handled).hasSize(6);
    // the day on which summer time ends in Madrid in 2024; Adelaide is half an hour off
    assertThat(seen)
        .containsExactly(
            "Kim 2024-10-27T09:00+10:30[Australia/Adelaide]",
            "Ana 2024-10-27T09:00+01:00[Europe/Madrid]",
            "Kim 2025-10-27T09:00+10:30[Australia/Adelaide]",
            "Ana 2025-10-27T09:00+01:00[Europe/Madrid]",
            "Kim 2026-10-27T09:00+10:30[Australia/Adelaide]",
            "Ana 2026-10-27T09:00+01:00[Europe/Madrid]");
    test.assertScheduled(BIRTHDAY).times(2);
  }

  private static Event<Birthday> of(String name, int year, ZoneId zone) {
    return BIRTHDAY
        .event(new Birthday(name, year, zone.getId()))
        .at(LocalDate.of(year, 10, 27).atTime(NINE).atZone(zone).toInstant())
        .key("birthday-" + name + "-" + year);
  }

  @Test
  void schedulesFireOnTheWay() {
    for (ZoneId zone : List.of(MADRID, ADELAIDE)) {
      test.holdfast()
          .schedules()
          .put(
              Schedule.of(
                      "birthday/" + zone,
                      Recurrence.yearly(MonthDay.of(3, 31), NINE, zone),
                      TEXT.event(zone.getId()))
                  .misfire(MisfirePolicy.skip()));
    }
    TestWorker worker =
        test.worker(
            w ->
                w.handle(
                    TEXT,
                    (zone, context) ->
                        seen.add(
                            test.clock().instant().atZone(ZoneId.of(zone)).toLocalDateTime()
                                + " "
                                + zone)));
    assertThat(worker.advance(Duration.ofDays(3 * 365))).hasSize(6);
    assertThat(seen)
        .containsExactly(
            "2024-03-31T09:00 Australia/Adelaide",
            "2024-03-31T09:00 Europe/Madrid",
            "2025-03-31T09:00 Australia/Adelaide",
            "2025-03-31T09:00 Europe/Madrid",
            "2026-03-31T09:00 Australia/Adelaide",
            "2026-03-31T09:00 Europe/Madrid");
  }

  @Test
  void firesAfterHandlerMovedClock() {
    test.holdfast()
        .schedules()
        .put(Schedule.of("hourly", Recurrence.cron("0 * * * *", MADRID), TEXT.event("tick")));
    schedule(TEXT.event("slow"));
    TestWorker worker =
        test.worker(
            w ->
                w.handle(
                    TEXT,
                    (payload, context) -> {
                      note(payload);
                      test.clock().advance(payload.equals("slow") ? HOUR : Duration.ZERO);
                    }));
    assertThat(worker.runDue()).hasSize(2);
    assertThat(seen).containsExactly("slow PT0S", "tick PT1H");
  }

  @Test
  void doesNotSkipFireOfCompletedEvent() {
    test.holdfast()
        .schedules()
        .put(
            Schedule.of("hourly", Recurrence.cron("0 * * * *", MADRID), TEXT.event("tick"))
                .overlap(OverlapPolicy.SKIP));
    assertThat(noting().advance(HOUR.multipliedBy(3))).hasSize(3);
    assertThat(seen).containsExactly("tick PT1H", "tick PT2H", "tick PT3H");
  }

  @Test
  void whatIsRolledBackIsNotScheduled() throws SQLException {
    try (Connection connection = test.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      events.schedule(Transaction.of(connection), TEXT.event("a").delay(HOUR));
      connection.rollback();
      events.schedule(Transaction.of(connection), TEXT.event("b").delay(HOUR));
      connection.commit();
      connection.setAutoCommit(true);
    }
    test.assertScheduled(TEXT).after(HOUR).withPayload("b").once();
    assertThat(noting().advance(HOUR)).hasSize(1);
  }

  @Test
  void guardsWriteTheTimeOfTheTest() {
    String type = database().name().matches("MariaDB|MySQL") ? "timestamp(6)" : "timestamptz";
    String column = database().name().equals("H2") ? "timestamp(6) with time zone" : type;
    schema.execute(
        "create table task (id integer primary key, version integer, at_time " + column + " null)",
        "insert into task values (1, 0, null)");
    test.holdfast()
        .transactions()
        .run(
            tx -> {
              Update.table("task").setNow("at_time").where("id", 1).version(0).applyOrThrow(tx);
              Update.table("task")
                  .setNowPlus("at_time", HOUR)
                  .where("id", 1)
                  .version(1)
                  .applyOrThrow(tx);
            });
    assertThat(schema.count("select count(*) from task where " + equalTo(NOON.plus(HOUR))))
        .isEqualTo(1);
  }

  private String equalTo(Instant time) {
    return switch (database().name()) {
      case "MariaDB", "MySQL" -> "unix_timestamp(at_time) = " + time.getEpochSecond();
      case "H2" -> "at_time = timestamp with time zone '" + time + "'";
      default -> "at_time = timestamptz '" + time + "'";
    };
  }
}
