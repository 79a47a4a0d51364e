package dev.holdfast.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.ZoneId;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What holds for every recurrence in every zone. */
class RecurrencePropertiesTest {
  private static final List<String> ZONES = ZoneId.getAvailableZoneIds().stream().sorted().toList();

  private static Recurrence recurrence(Random random) {
    ZoneId zone = ZoneId.of(ZONES.get(random.nextInt(ZONES.size())));
    LocalTime time = LocalTime.ofSecondOfDay(random.nextInt(86_400));
    return switch (random.nextInt(7)) {
      case 0 -> Recurrence.daily(time, zone);
      case 1 ->
          Recurrence.weekly(
              Set.of(DayOfWeek.of(1 + random.nextInt(4)), DayOfWeek.of(5 + random.nextInt(3))),
              time,
              zone);
      case 2 -> Recurrence.monthly(1 + random.nextInt(31), time, zone);
      case 3 ->
          Recurrence.yearly(
              random.nextBoolean()
                  ? MonthDay.of(2, 29)
                  : MonthDay.of(1 + random.nextInt(12), 1 + random.nextInt(28)),
              random.nextBoolean() ? Recurrence.LeapDay.MARCH_1 : Recurrence.LeapDay.FEBRUARY_28,
              time,
              zone);
      case 4 -> Recurrence.every(Duration.ofSeconds(1 + random.nextInt(900_000)), instant(random));
      default -> Recurrence.cron(RandomCron.next(random, random.nextBoolean(), true).text(), zone);
    };
  }

  private static Instant instant(Random random) {
    return Instant.ofEpochSecond(random.nextLong(-2_000_000_000L, 5_000_000_000L));
  }

  @Test
  void firesAreOrdered() {
    for (int seed = 0; seed < 3_000; seed++) {
      Random random = new Random(seed);
      Recurrence recurrence = recurrence(random);
      Instant before = instant(random);
      for (Instant fire : recurrence.next(before, 20)) {
        assertThat(fire).as("seed %s: %s", seed, recurrence).isAfter(before);
        long apart = Duration.between(before, fire).toSeconds();
        Instant between = before.plusSeconds(random.nextLong(apart)).plusNanos(random.nextInt(2));
        assertThat(recurrence.next(between)).as("seed %s: %s", seed, recurrence).contains(fire);
        assertThat(recurrence.next(fire.minusNanos(1))).contains(fire);
        before = fire;
      }
    }
  }

  @Test
  void windowsBoundsAndCountsMatchNext() {
    for (int seed = 0; seed < 3_000; seed++) {
      Random random = new Random(seed);
      Recurrence recurrence = recurrence(random);
      Instant after = instant(random);
      List<Instant> fires = new ArrayList<>();
      for (Instant fire = after; fires.size() < 12; fires.add(fire)) {
        fire = recurrence.next(fire).orElseThrow();
      }
      Instant third = fires.get(2);
      Instant last = fires.get(11);

      assertThat(recurrence.next(after, 12)).isEqualTo(fires);
      assertThat(recurrence.between(after, last)).isEqualTo(fires);
      assertThat(recurrence.between(third, last)).isEqualTo(fires.subList(3, 12));
      assertThat(recurrence.between(after, third.minusNanos(1))).isEqualTo(fires.subList(0, 2));
      assertThat(recurrence.startingAt(third).endingAt(last).next(Instant.MIN, 20))
          .isEqualTo(fires.subList(2, 12));
    }
  }

  @Test
  void theTextHasTheSameFires() {
    for (int seed = 0; seed < 3_000; seed++) {
      Random random = new Random(seed);
      Instant after = instant(random);
      Recurrence recurrence =
          recurrence(random).startingAt(after).endingAt(Instant.parse("2999-12-31T23:59:59Z"));
      Recurrence back = Recurrence.parse(recurrence.format());

      assertThat(back).isEqualTo(recurrence).hasSameHashCodeAs(recurrence);
      assertThat(back.next(after, 10)).isEqualTo(recurrence.next(after, 10)).isNotEmpty();
    }
  }

  /** Whatever the clocks of the world did or will do, the order of the fires holds. */
  @Test
  void everyChangeOfEveryClockIsMet() {
    Set<ZoneRules> seen = new HashSet<>();
    int changes = 0;
    for (String id : ZONES) {
      ZoneId zone = ZoneId.of(id);
      if (seen.add(zone.getRules())) {
        Recurrence fixed = Recurrence.cron("*/20 0-22 * * *", zone);
        Recurrence everyHour = Recurrence.cron("*/20 * * * *", zone);
        for (ZoneOffsetTransition change : changes(zone.getRules())) {
          changes++;
          meet(change, fixed, zone);
          meet(change, everyHour, zone);
        }
      }
    }
    assertThat(changes).isGreaterThan(10_000);
  }

  private static List<ZoneOffsetTransition> changes(ZoneRules rules) {
    List<ZoneOffsetTransition> changes = new ArrayList<>(rules.getTransitions());
    Instant last = Instant.parse("2090-01-01T00:00:00Z");
    for (int i = 0; i < 6; i++) {
      ZoneOffsetTransition next = rules.nextTransition(last);
      if (next == null) {
        return changes;
      }
      changes.add(next);
      last = next.getInstant();
    }
    return changes;
  }

  private static void meet(ZoneOffsetTransition change, Recurrence recurrence, ZoneId zone) {
    Instant after = change.getInstant().minus(Duration.ofHours(3));
    boolean fixed = recurrence.format().contains("0-22");
    Set<LocalDateTime> seen = new HashSet<>();
    Instant before = after;
    for (Instant fire : recurrence.between(after, change.getInstant().plus(Duration.ofHours(3)))) {
      LocalDateTime local = LocalDateTime.ofInstant(fire, zone);
      boolean endOfGap = change.isGap() && fire.equals(change.getInstant());
      boolean shown = local.getMinute() % 20 == 0 && local.getSecond() == 0;
      boolean first = seen.add(local);
      if (!fire.isAfter(before) || !(shown || (fixed && endOfGap)) || (fixed && !first)) {
        throw new AssertionError(recurrence + " fires at " + fire + " around " + change);
      }
      before = fire;
    }
  }
}
