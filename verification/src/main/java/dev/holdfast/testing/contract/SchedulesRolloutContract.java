package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.event.EventType;
import dev.holdfast.schedule.MisfirePolicy;
import dev.holdfast.schedule.OverlapPolicy;
import dev.holdfast.schedule.Schedule;
import dev.holdfast.schedule.ScheduleChangeResult;
import dev.holdfast.schedule.Schedules;
import dev.holdfast.testing.TestDatabase;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.function.BiFunction;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** A schedule that is changed in code, while instances of the old and the new code run. */
public abstract class SchedulesRolloutContract extends ScheduleTests {
  private static final Schedule OLD = Schedule.of("report", cron("0 11 * * *"), TICK.event("old"));
  private static final Schedule NEW = Schedule.of("report", cron("0 10 * * *"), TICK.event("new"));

  /** {@code open} makes the schedules of a database, by a clock of the test. */
  protected SchedulesRolloutContract(
      TestDatabase database, BiFunction<DataSource, Clock, Schedules> open) {
    super(database, open);
  }

  @Test
  void declaringTheSameAgainChangesNothing() {
    assertThat(schedules.declare(OLD)).isInstanceOf(ScheduleChangeResult.Created.class);
    ScheduleChangeResult again = schedules.declare(OLD);

    assertThat(again).isInstanceOf(ScheduleChangeResult.Unchanged.class);
    assertThat(again.stored().orElseThrow().version()).isEqualTo(1);
    assertThat(schedules.put(OLD).stored().orElseThrow().version()).isEqualTo(1);
  }

  @Test
  void oldInstanceChangesNothingOnRestart() {
    schedules.declare(OLD);
    assertThat(schedules.declare(NEW)).isInstanceOf(ScheduleChangeResult.Updated.class);

    ScheduleChangeResult old = schedules.declare(OLD);

    assertThat(old).isInstanceOf(ScheduleChangeResult.Outdated.class);
    assertThat(old.stored().orElseThrow().recurrence()).isEqualTo(NEW.recurrence());
    assertThat(old.stored().orElseThrow().version()).isEqualTo(2);
    assertThat(schedules.declare(NEW)).isInstanceOf(ScheduleChangeResult.Unchanged.class);
  }

  @Test
  void restartsOfBothVersionsFireOnce() {
    schedules.declare(OLD);
    // each time that the old code comes back around a fire, the newer definition stays
    for (String time :
        new String[] {
          "2024-03-26T08:30:00Z", "2024-03-26T08:59:59Z", "2024-03-26T09:00:00Z",
          "2024-03-26T09:30:00Z", "2024-03-26T09:59:59Z", "2024-03-26T10:00:00Z",
          "2024-03-26T10:00:01Z", "2024-03-27T08:59:59Z", "2024-03-27T09:00:00Z",
          "2024-03-27T10:00:00Z", "2024-03-27T11:00:00Z"
        }) {
      clock.set(Instant.parse(time));
      schedules.declare(NEW);
      schedules.declare(OLD);
      schedules.fireDue();
    }

    assertThat(fires("report")).containsExactly("2024-03-26T09:00:00Z", "2024-03-27T09:00:00Z");
  }

  @Test
  void fireDueBeforeChangeUsesOldDefinition() {
    schedules.declare(OLD);
    clock.set(Instant.parse("2024-03-26T10:00:05Z"));

    schedules.declare(NEW);
    schedules.fireDue();

    assertThat(fires("report")).containsExactly("2024-03-26T10:00:00Z");
    assertThat(eventOf("report", "2024-03-26T10:00:00Z").payload()).isEqualTo("old");
    fireAt("2024-03-27T09:00:00Z");
    assertThat(eventOf("report", "2024-03-27T09:00:00Z").payload()).isEqualTo("new");
  }

  @Test
  void aTimeOfBothDefinitionsIsFiredOnce() {
    schedules.declare(OLD);
    clock.set(Instant.parse("2024-03-26T10:00:00Z"));

    schedules.declare(Schedule.of("report", cron("0 * * * *"), TICK.event("new")));
    schedules.fireDue();
    fireAt("2024-03-26T11:00:00Z");

    assertThat(fires("report")).containsExactly("2024-03-26T10:00:00Z", "2024-03-26T11:00:00Z");
    assertThat(eventOf("report", "2024-03-26T10:00:00Z").payload()).isEqualTo("old");
  }

  @Test
  void oldMisfiresFollowTheirPolicy() {
    schedules.declare(OLD.misfire(MisfirePolicy.catchUp(2)));
    clock.set(Instant.parse("2024-03-29T12:00:00Z"));

    schedules.declare(NEW.misfire(MisfirePolicy.skip()));

    assertThat(fires("report")).containsExactly("2024-03-28T10:00:00Z", "2024-03-29T10:00:00Z");
  }

  @Test
  void anotherRevisionGoesBack() {
    schedules.declare(OLD);
    schedules.declare(NEW);

    ScheduleChangeResult back = schedules.declare(OLD.revision(1));

    assertThat(back).isInstanceOf(ScheduleChangeResult.Updated.class);
    assertThat(back.stored().orElseThrow().recurrence()).isEqualTo(OLD.recurrence());
    assertThat(schedules.declare(NEW)).isInstanceOf(ScheduleChangeResult.Outdated.class);
    assertThat(schedules.declare(OLD)).isInstanceOf(ScheduleChangeResult.Outdated.class);
  }

  @Test
  void whatIsPutWinsAlsoWhenItGoesBack() {
    schedules.put(OLD);
    schedules.put(NEW);

    assertThat(schedules.put(OLD)).isInstanceOf(ScheduleChangeResult.Updated.class);
    assertThat(schedules.declare(NEW)).isInstanceOf(ScheduleChangeResult.Outdated.class);
    assertThat(schedules.declare(OLD)).isInstanceOf(ScheduleChangeResult.Unchanged.class);
  }

  @Test
  void everyPartOfADefinitionCounts() {
    Schedule[] all = {
      OLD,
      Schedule.of("report", cron("0 11 * * *"), TICK.event("other")),
      Schedule.of("report", cron("0 11 * * *"), TICK.event("old").queue("other")),
      Schedule.of("report", cron("0 11 * * *"), TICK.event("old").priority(1)),
      Schedule.of("report", cron("0 11 * * *"), TICK.event("old").tags("other")),
      Schedule.of("report", cron("0 11 * * *"), EventType.of("tack", String.class).event("old")),
      OLD.misfire(MisfirePolicy.skip()),
      OLD.misfireThreshold(Duration.ofSeconds(5)),
      OLD.overlap(OverlapPolicy.SKIP),
      OLD.jitter(Duration.ofSeconds(5)),
      OLD.revision(2)
    };
    schedules.declare(all[0]);
    for (int i = 1; i < all.length; i++) {
      assertThat(schedules.declare(all[i]))
          .as("%d", i)
          .isInstanceOf(ScheduleChangeResult.Updated.class);
    }
    for (int i = 0; i < all.length - 1; i++) {
      assertThat(schedules.declare(all[i]))
          .as("%d", i)
          .isInstanceOf(ScheduleChangeResult.Outdated.class);
    }
  }
}
