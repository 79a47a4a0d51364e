package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.BackgroundService;
import dev.holdfast.Holdfast;
import dev.holdfast.event.EventType;
import dev.holdfast.event.Worker;
import dev.holdfast.schedule.Recurrence;
import dev.holdfast.schedule.Schedule;
import dev.holdfast.schedule.ScheduleChangeResult;
import dev.holdfast.schedule.ScheduleFire;
import dev.holdfast.schedule.Schedules;
import dev.holdfast.testing.ConcurrentActors;
import dev.holdfast.testing.TestDatabase;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.Year;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** Many instances, one schedule: every fire once. */
public abstract class SchedulesRaceContract extends ScheduleTests {
  private static final int INSTANCES = 10;
  private static final Duration STEP = Duration.ofMinutes(15);
  private static final int WEEK = 7 * 24 * 4;

  /** The clock is set forward in Madrid within the week from here. */
  private static final Instant START = Instant.parse("2024-03-25T12:00:00Z");

  private final BiFunction<DataSource, Clock, Schedules> open;

  /** {@code open} makes the schedules of a database, by a clock of the test. */
  protected SchedulesRaceContract(
      TestDatabase database, BiFunction<DataSource, Clock, Schedules> open) {
    super(database, open);
    this.open = open;
  }

  /** Lets every instance act at each quarter of an hour of a week, all at once. */
  private List<Integer> week(Quarter quarter) {
    return week(() -> {}, quarter);
  }

  private List<Integer> week(Runnable endOfQuarter, Quarter quarter) {
    CyclicBarrier step =
        new CyclicBarrier(
            INSTANCES,
            () -> {
              endOfQuarter.run();
              clock.advance(STEP);
            });
    return ConcurrentActors.run(
            Duration.ofMinutes(5),
            INSTANCES,
            index -> {
              Schedules mine = open(schema.dataSource(2));
              int made = 0;
              for (int i = 0; i < WEEK; i++) {
                step.await(1, TimeUnit.MINUTES);
                made += quarter.act(mine, index, i).events();
              }
              return made;
            })
        .resultsOrThrow();
  }

  private interface Quarter {
    Schedules.FireResult act(Schedules mine, int instance, int quarter);
  }

  @Test
  void tenInstancesFireACronOfAWeekOnce() {
    Recurrence quarters = cron("*/15 * * * *");
    schedules.declare(Schedule.of("quarters", quarters, TICK.event("tock")));

    List<Integer> made = week((mine, instance, quarter) -> mine.fireDue());

    List<String> expected =
        quarters.between(START, START.plus(Duration.ofDays(7))).stream()
            .map(Instant::toString)
            .toList();
    assertThat(expected).hasSize(WEEK);
    assertThat(fires("quarters")).isEqualTo(expected);
    assertThat(made.stream().mapToInt(Integer::intValue).sum()).isEqualTo(WEEK);
    assertThat(schema.count("select count(*) from holdfast_event")).isEqualTo(WEEK);
    // settled by each fire and by nothing else: the locks kept the others away
    assertThat(schedules.find("quarters").orElseThrow().version()).isEqualTo(WEEK + 1);
  }

  @Test
  void rollingDeploymentFiresEachTimeOnce() {
    Recurrence before = cron("0 * * * *");
    Recurrence after = cron("*/30 * * * *");
    int change = WEEK / 2;
    Schedule old = Schedule.of("report", before, TICK.event("old"));
    Schedule changed = Schedule.of("report", after, TICK.event("new"));
    schedules.declare(old);

    week(
        // who declares holds the schedule for a moment, and whoever fires then leaves it for later:
        // for the next look of a runner, some seconds and not a quarter of an hour after it
        schedules::fireDue,
        (mine, instance, quarter) -> {
          // one instance after the other is new; each starts again now and then
          boolean isNew = quarter >= change + instance * 8;
          if ((quarter + instance) % 5 == 0 || quarter == change + instance * 8) {
            mine.declare(isNew ? changed : old);
          }
          return mine.fireDue();
        });
    schedules.fireDue();

    Instant from = START.plus(STEP.multipliedBy(change + 1));
    List<Instant> expected = new ArrayList<>(before.between(START, from));
    expected.addAll(after.between(from, START.plus(Duration.ofDays(7))));
    assertThat(fires("report")).isEqualTo(expected.stream().map(Instant::toString).toList());
  }

  @Test
  void concurrentDeclarationsCreateOneSchedule() {
    List<ScheduleChangeResult> results =
        ConcurrentActors.run(INSTANCES, index -> open(schema.dataSource(1)).declare(hourly()))
            .resultsOrThrow();

    assertThat(results).filteredOn(ScheduleChangeResult.Created.class::isInstance).hasSize(1);
    assertThat(results)
        .filteredOn(ScheduleChangeResult.Unchanged.class::isInstance)
        .hasSize(INSTANCES - 1);
  }

  record Person(String name, MonthDay birthday, ZoneId zone) {}

  @Test
  void firesOnceAYearInTimeZone() throws Exception {
    EventType<String> birthday = EventType.of("birthday", String.class);
    LocalTime nine = LocalTime.of(9, 0);
    List<Person> people =
        List.of(
            new Person("ana", MonthDay.of(3, 31), MADRID),
            new Person("bob", MonthDay.of(11, 3), ZoneId.of("America/New_York")),
            new Person("chika", MonthDay.of(1, 1), ZoneId.of("Asia/Tokyo")),
            new Person("leap", MonthDay.of(2, 29), ZoneId.of("Pacific/Apia")),
            new Person("nila", MonthDay.of(12, 31), ZoneId.of("Asia/Kathmandu")));
    clock.set(Instant.parse("2022-01-01T12:00:00Z"));
    List<String> expected = new ArrayList<>();
    for (Person person : people) {
      schedules.put(
          Schedule.of(
              "birthday/" + person.name(),
              Recurrence.yearly(person.birthday(), nine, person.zone()),
              birthday.event(person.name())));
      for (int year = 2022; year <= 2024; year++) {
        LocalDate day = person.birthday().atYear(year);
        if (person.birthday().equals(MonthDay.of(2, 29)) && !Year.isLeap(year)) {
          day = LocalDate.of(year, 2, 28);
        }
        Instant fire = day.atTime(nine).atZone(person.zone()).toInstant();
        if (fire.isAfter(clock.instant())) {
          expected.add(person.name() + " " + fire);
        }
      }
    }
    ConcurrentLinkedQueue<String> wishes = new ConcurrentLinkedQueue<>();
    CountDownLatch wished = new CountDownLatch(expected.size());

    while (clock.instant().isBefore(Instant.parse("2024-12-31T06:00:00Z"))) {
      clock.advance(Duration.ofHours(16));
      ConcurrentActors.run(2, index -> schedules.fireDue()).resultsOrThrow();
    }
    try (Worker worker =
        Holdfast.create(schema.dataSource())
            .worker()
            // the schedules are fired by the clock of this test
            .scheduling(false)
            .handle(
                birthday,
                (name, context) -> {
                  wishes.add(name + " " + ScheduleFire.from(context).orElseThrow().scheduledAt());
                  wished.countDown();
                })
            .start()) {
      assertThat(wished.await(1, TimeUnit.MINUTES)).isTrue();
      assertThat(worker.health().isWorking()).isTrue();
    }

    assertThat(wishes).containsExactlyInAnyOrderElementsOf(expected);
    assertThat(schema.count("select count(*) from holdfast_event")).isZero();
  }

  @Test
  void aRunnerOutlivesADatabaseThatFails() throws Exception {
    schedules.put(hourly());
    CountDownLatch failed = new CountDownLatch(4);
    CountDownLatch looked = new CountDownLatch(6);
    AtomicBoolean armed = new AtomicBoolean();
    AtomicBoolean back = new AtomicBoolean();
    Clock counting =
        new Clock() {
          @Override
          public Instant instant() {
            if (armed.get()) {
              (back.get() ? looked : failed).countDown();
            }
            return clock.instant();
          }

          @Override
          public ZoneId getZone() {
            return clock.getZone();
          }

          @Override
          public Clock withZone(ZoneId zone) {
            return clock.withZone(zone);
          }
        };

    try (BackgroundService runner =
        open.apply(schema.dataSource(), counting).runner(Duration.ofMillis(10))) {
      runner.start();
      // a table that was never there is no failure
      awaitChecked(runner);
      schema.execute("alter table holdfast_schedule rename to hidden");
      clock.set(Instant.parse("2024-03-25T13:00:00Z"));
      EventContract.await(() -> "it must fail", () -> !isUp(runner));
      armed.set(true);
      assertThat(failed.await(1, TimeUnit.MINUTES)).isTrue();
      assertThat(isUp(runner)).isFalse();
      schema.execute("alter table hidden rename to holdfast_schedule");
      back.set(true);
      assertThat(looked.await(1, TimeUnit.MINUTES)).isTrue();
    }

    assertThat(fires("hourly")).containsExactly("2024-03-25T13:00:00Z");
  }

  @Test
  void byDefaultTheClockIsTheDatabases() throws Exception {
    Holdfast holdfast = Holdfast.create(schema.dataSource());
    AtomicInteger handled = new AtomicInteger();
    CountDownLatch twice = new CountDownLatch(2);
    holdfast.schedules().declare(Schedule.of("seconds", cron("* * * * * *"), TICK.event("tock")));

    try (Worker worker =
        holdfast
            .worker()
            .pollInterval(Duration.ofMillis(50))
            .handle(
                TICK,
                (text, context) -> {
                  handled.incrementAndGet();
                  twice.countDown();
                })
            .start()) {
      assertThat(twice.await(1, TimeUnit.MINUTES)).isTrue();
      assertThat(isUp(worker)).isTrue();
    }
    assertThat(handled.get()).isGreaterThanOrEqualTo(2);
  }
}
