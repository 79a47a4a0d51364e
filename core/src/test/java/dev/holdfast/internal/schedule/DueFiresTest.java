package dev.holdfast.internal.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.schedule.MisfirePolicy;
import dev.holdfast.schedule.Recurrence;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Which due fires happen, against a rule that is followed to the letter. */
class DueFiresTest {
  private static final Instant START = Instant.parse("2024-03-25T12:00:00Z");

  private static final List<Recurrence> RULES =
      List.of(
          Recurrence.cron("* * * * * *", ZoneOffset.UTC),
          Recurrence.cron("0-5 */7 9-12 * * *", ZoneOffset.UTC),
          Recurrence.cron("0 * * * *", ZoneOffset.UTC),
          Recurrence.cron("0 9 1 * *", ZoneOffset.UTC));

  @Test
  void followTheWrittenRule() {
    Random random = new Random(42);
    for (int i = 0; i < 200; i++) {
      Recurrence rule = RULES.get(random.nextInt(RULES.size()));
      Instant now =
          START.plusMillis(random.nextInt(rule.equals(RULES.get(0)) ? 9_000_000 : 400_000_000));
      Duration tolerance = Duration.ofSeconds(random.nextInt(3600) + 1);
      int most = random.nextInt(5) + 1;
      for (MisfirePolicy missed :
          List.of(MisfirePolicy.skip(), MisfirePolicy.fireOnce(), MisfirePolicy.catchUp(most))) {
        assertThat(MisfireEvaluator.of(rule, START, now, missed, tolerance))
            .as("%s at %s, %s after %s", rule, now, missed, tolerance)
            .isEqualTo(expected(rule, now, missed, tolerance));
      }
    }
  }

  private static List<Instant> expected(
      Recurrence rule, Instant now, MisfirePolicy missed, Duration tolerance) {
    List<Instant> late = new ArrayList<>();
    List<Instant> onTime = new ArrayList<>();
    for (Instant fire : rule.between(START, now)) {
      // a fire is a whole second, so the tolerance begins with one
      boolean isLate = !fire.isAfter(now.minus(tolerance));
      (isLate ? late : onTime).add(fire);
    }
    int most =
        missed instanceof MisfirePolicy.CatchUp catchUp
            ? catchUp.max()
            : missed instanceof MisfirePolicy.FireOnce && onTime.isEmpty() ? 1 : 0;
    List<Instant> all = new ArrayList<>(late.subList(Math.max(0, late.size() - most), late.size()));
    all.addAll(onTime);
    return all;
  }

  @Test
  void nothingIsDueWhereTheClockHasGoneBack() {
    assertThat(
            MisfireEvaluator.of(
                RULES.get(0),
                START,
                START.minusSeconds(100),
                MisfirePolicy.catchUp(5),
                Duration.ofSeconds(5)))
        .isEmpty();
  }
}
