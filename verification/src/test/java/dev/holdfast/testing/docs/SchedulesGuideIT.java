package dev.holdfast.testing.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.event.EventContext;
import dev.holdfast.event.EventType;
import dev.holdfast.event.Worker;
import dev.holdfast.schedule.MisfirePolicy;
import dev.holdfast.schedule.OverlapPolicy;
import dev.holdfast.schedule.Recurrence;
import dev.holdfast.schedule.Schedule;
import dev.holdfast.schedule.ScheduleChangeResult;
import dev.holdfast.schedule.ScheduleFire;
import dev.holdfast.schedule.Schedules;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.ZoneId;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The snippets of the guide to schedules, run. */
class SchedulesGuideIT {
  private static final EventType<Report> REPORT = EventType.of("report", Report.class);
  private static final EventType<Birthday> BIRTHDAY = EventType.of("birthday", Birthday.class);
  private static final EventType<String> IMPORT = EventType.of("import", String.class);

  private final TestSchema schema = TestDatabase.postgreSql().newSchema();
  private final Holdfast holdfast = Holdfast.create(schema.dataSource(8));
  private final ZoneId zone = ZoneId.of("Europe/Madrid");

  record Report(String of) {}

  record Birthday(long id, String name) {}

  record Person(long id, String name, MonthDay birthday, ZoneId zone) {}

  private static final class People {
    void save(Connection connection, Person person) throws SQLException {
      try (PreparedStatement insert =
          connection.prepareStatement("insert into people (id) values (?)")) {
        insert.setLong(1, person.id());
        insert.executeUpdate();
      }
    }
  }

  /** What a service has. */
  private static final class Reports {
    void write(Report report) {
      assertThat(report.of()).isEqualTo("sales");
    }
  }

  private final Reports reports = new Reports();

  @BeforeEach
  void migrate() {
    Holdfast.create(schema.dataSource()).migrations().migrate();
    schema.execute("create table people (id bigint primary key)");
  }

  @AfterEach
  void dropSchema() {
    schema.close();
  }

  @Test
  void createsSchedulesInCode() {
    holdfast
        .schedules()
        .declare(
            Schedule.of(
                "nightly-report",
                Recurrence.daily(LocalTime.of(3, 0), ZoneId.of("Europe/Madrid")),
                REPORT.event(new Report("sales"))));
    Worker worker =
        holdfast.worker().handle(REPORT, (report, context) -> reports.write(report)).start();
    try (worker) {
      Schedules schedules = holdfast.schedules();
      schedules.pause("nightly-report"); // stays so over deployments
      schedules.resume("nightly-report"); // what fell into the pause is not missed
      schedules.trigger("nightly-report"); // an extra event now
      List<Instant> nextTen = schedules.find("nightly-report").orElseThrow().nextFires(10);

      assertThat(nextTen).hasSize(10).isSorted();
      assertThat(
              schema.count("select count(*) from holdfast_event where payload like '%sales%'")
                  + schema.count(
                      "select count(*) from holdfast_event_history where payload like '%sales%'"))
          .isEqualTo(1);
    }
  }

  @Test
  void forEachRowOfData() throws SQLException {
    People people = new People();
    Person ana = new Person(42, "Ana", MonthDay.of(11, 3), zone);

    holdfast
        .transactions()
        .run(
            tx -> {
              people.save(tx.connection(), ana);
              holdfast
                  .schedules()
                  .put(
                      tx,
                      Schedule.of(
                          "birthday/" + ana.id(),
                          Recurrence.yearly(ana.birthday(), LocalTime.of(9, 0), ana.zone()),
                          BIRTHDAY.event(new Birthday(ana.id(), ana.name()))));
            });

    assertThat(holdfast.schedules().find("birthday/42")).isPresent();
  }

  @Test
  void theHandlerKnowsTheFire() throws Exception {
    CompletableFuture<Instant> told = new CompletableFuture<>();
    holdfast
        .schedules()
        .declare(Schedule.of("import", Recurrence.cron("* * * * * *", zone), IMPORT.event("all")));

    try (Worker worker =
        holdfast.worker().handle(IMPORT, (what, context) -> tell(context, told)).start()) {
      assertThat(told.get(1, TimeUnit.MINUTES)).isBefore(Instant.now().plusSeconds(3600));
      assertThat(worker.health().issues()).isEmpty();
    }
  }

  private static void tell(EventContext context, CompletableFuture<Instant> told) {
    Instant nineOClock =
        ScheduleFire.from(context).map(ScheduleFire::scheduledAt).orElse(context.dueAt());
    told.complete(nineOClock);
  }

  @Test
  void anExtraEventHasNoFire() throws Exception {
    CompletableFuture<Instant> told = new CompletableFuture<>();
    holdfast
        .schedules()
        .declare(Schedule.of("import", Recurrence.cron("0 9 1 1 *", zone), IMPORT.event("all")));
    holdfast.schedules().trigger("import");
    holdfast
        .worker()
        .handle(
            IMPORT,
            (what, context) -> {
              assertThat(ScheduleFire.from(context)).isEmpty();
              tell(context, told);
            })
        .buildManual()
        .handleNext();

    assertThat(told.get(1, TimeUnit.MINUTES)).isBefore(Instant.now().plusSeconds(3600));
  }

  @Test
  void workingDaysOfMadrid() {
    Recurrence workingDays = Recurrence.cron("0 9 * * MON-FRI", ZoneId.of("Europe/Madrid"));

    // the clocks were changed on the Sunday between them
    assertThat(workingDays.next(Instant.parse("2026-03-27T00:00:00Z"), 2))
        .containsExactly(
            Instant.parse("2026-03-27T08:00:00Z"), Instant.parse("2026-03-30T07:00:00Z"));
  }

  @Test
  void policiesAndGoingBack() {
    Schedule careful =
        Schedule.of("import", Recurrence.cron("*/15 * * * *", zone), IMPORT.event("all"))
            .misfire(MisfirePolicy.catchUp(4))
            .overlap(OverlapPolicy.SKIP)
            .jitter(Duration.ofSeconds(30));
    Schedule earlier = careful.overlap(OverlapPolicy.QUEUE);
    holdfast.schedules().declare(earlier);
    holdfast.schedules().declare(careful);

    assertThat(holdfast.schedules().declare(earlier))
        .isInstanceOf(ScheduleChangeResult.Outdated.class);
    holdfast.schedules().declare(earlier.revision(2));

    assertThat(holdfast.schedules().find("import").orElseThrow().overlap())
        .isEqualTo(OverlapPolicy.QUEUE);
  }
}
