package dev.holdfast.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.InvalidArgumentException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The written rule, followed to the letter by looking at each minute or second, says the same as
 * the search. The seed of a case stands in its description.
 */
class CronOracleTest {
  private static final List<ZoneId> ZONES =
      List.of(
          ZoneId.of("America/New_York"),
          ZoneId.of("Europe/Madrid"),
          ZoneId.of("Australia/Sydney"),
          ZoneId.of("Australia/Lord_Howe"),
          ZoneId.of("Africa/Casablanca"),
          ZoneId.of("Asia/Tehran"),
          ZoneId.of("Asia/Beirut"),
          ZoneId.of("America/Sao_Paulo"),
          ZoneId.of("America/St_Johns"),
          ZoneId.of("Antarctica/Troll"),
          ZoneId.of("Pacific/Apia"),
          ZoneId.of("Pacific/Kiritimati"),
          ZoneId.of("Asia/Kathmandu"),
          ZoneId.of("UTC"));

  @Test
  void minutesAroundChangesOfTheClock() {
    int fires = 0;
    for (int seed = 0; seed < 3_000; seed++) {
      Random random = new Random(seed);
      RandomCron cron = RandomCron.next(random, false, random.nextInt(3) > 0);
      fires += compare(seed, random, cron, 60, 20 * 60);
    }
    assertThat(fires).isGreaterThan(100_000);
  }

  @Test
  void secondsAroundChangesOfTheClock() {
    int fires = 0;
    for (int seed = 0; seed < 1_000; seed++) {
      Random random = new Random(seed);
      RandomCron cron = RandomCron.next(random, true, true);
      fires += compare(seed, random, cron, 1, 75);
    }
    assertThat(fires).isGreaterThan(50_000);
  }

  @Test
  void daysOverYears() {
    int fired = 0;
    for (int seed = 0; seed < 2_000; seed++) {
      Random random = new Random(seed);
      RandomCron cron = RandomCron.next(random, false, false);
      Recurrence recurrence;
      try {
        recurrence = Recurrence.cron(cron.text(), ZoneOffset.UTC);
      } catch (InvalidArgumentException neverFires) {
        assertThat(everyDayOfTheCalendar().noneMatch(cron.day())).as(cron.text()).isTrue();
        continue;
      }
      LocalDate start = LocalDate.of(random.nextInt(1990, 2110), 1 + random.nextInt(12), 1);
      List<LocalDate> expected = start.datesUntil(start.plusYears(3)).filter(cron.day()).toList();
      List<LocalDate> actual = new ArrayList<>();
      LocalDate next = nextDay(recurrence, start.minusDays(1));
      while (next.isBefore(start.plusYears(3))) {
        actual.add(next);
        next = nextDay(recurrence, next);
      }
      fired += actual.size();
      assertThat(actual).as("seed %s: %s", seed, recurrence).isEqualTo(expected);
    }
    assertThat(fired).isGreaterThan(100_000);
  }

  private static LocalDate nextDay(Recurrence recurrence, LocalDate day) {
    Instant endOfDay = day.atTime(23, 59, 59).toInstant(ZoneOffset.UTC);
    return LocalDate.ofInstant(recurrence.next(endOfDay).orElseThrow(), ZoneOffset.UTC);
  }

  private static Stream<LocalDate> everyDayOfTheCalendar() {
    return LocalDate.of(2000, 1, 1).datesUntil(LocalDate.of(2400, 1, 1));
  }

  /** Compares the fires in a window around a change of the clock, and single questions in it. */
  private static int compare(int seed, Random random, RandomCron cron, int grain, int minutes) {
    ZoneId zone = ZONES.get(random.nextInt(ZONES.size()));
    Recurrence recurrence;
    try {
      recurrence = Recurrence.cron(cron.text(), zone);
    } catch (InvalidArgumentException neverFires) {
      return 0;
    }
    Instant change = someChange(random, zone);
    Instant after = change.minus(Duration.ofMinutes(random.nextInt(1, minutes)));
    after = after.minusSeconds(random.nextInt(3)).minusNanos(random.nextInt(2));
    Instant upTo = change.plus(Duration.ofMinutes(random.nextInt(1, minutes)));
    SortedSet<Instant> expected =
        cron.everyHour()
            ? everyRealInstant(cron, zone, after, upTo, grain)
            : eachLocalTimeOnce(cron, zone, after, upTo, grain);
    assertThat(recurrence.between(after, upTo))
        .as("seed %s: %s from %s to %s", seed, recurrence, after, upTo)
        .isEqualTo(List.copyOf(expected));
    for (int i = 0; i < 5; i++) {
      Instant asked = after.plusSeconds(random.nextLong(Duration.between(after, upTo).toSeconds()));
      SortedSet<Instant> later = expected.tailSet(asked.plusNanos(1));
      if (!later.isEmpty()) {
        assertThat(recurrence.next(asked))
            .as("seed %s: %s after %s", seed, recurrence, asked)
            .contains(later.first());
      }
    }
    return expected.size();
  }

  private static Instant someChange(Random random, ZoneId zone) {
    Instant instant =
        LocalDate.of(1975 + random.nextInt(70), 1, 1)
            .plusDays(random.nextInt(366))
            .atStartOfDay(ZoneOffset.UTC)
            .toInstant();
    if (zone.getId().equals("Pacific/Apia") && random.nextBoolean()) {
      instant = Instant.parse("2011-12-01T00:00:00Z");
    }
    ZoneOffsetTransition change = zone.getRules().nextTransition(instant);
    return change == null ? instant : change.getInstant();
  }

  /** Every instant at which the local clock shows a time of the expression. */
  private static SortedSet<Instant> everyRealInstant(
      RandomCron cron, ZoneId zone, Instant after, Instant upTo, int grain) {
    SortedSet<Instant> fires = new TreeSet<>();
    long first = Math.floorDiv(after.getEpochSecond(), grain) * grain;
    for (long second = first; second <= upTo.getEpochSecond(); second += grain) {
      Instant instant = Instant.ofEpochSecond(second);
      if (instant.isAfter(after) && cron.matches(LocalDateTime.ofInstant(instant, zone))) {
        fires.add(instant);
      }
    }
    return fires;
  }

  /** Each local time: where it is valid the earliest instant, else the end of its gap. */
  private static SortedSet<Instant> eachLocalTimeOnce(
      RandomCron cron, ZoneId zone, Instant after, Instant upTo, int grain) {
    SortedSet<Instant> fires = new TreeSet<>();
    LocalDateTime from = LocalDateTime.ofInstant(after, zone).withSecond(0).withNano(0);
    LocalDateTime to = LocalDateTime.ofInstant(upTo, zone);
    // The local clock may have been set between the two, in Apia by a day.
    int margin = zone.getId().equals("Pacific/Apia") && grain > 1 ? 26 : 3;
    for (LocalDateTime local = from.minusHours(margin);
        local.isBefore(to.plusHours(margin));
        local = local.plusSeconds(grain)) {
      if (cron.matches(local)) {
        Instant fire = fireAt(local, zone);
        if (fire.isAfter(after) && !fire.isAfter(upTo)) {
          fires.add(fire);
        }
      }
    }
    return fires;
  }

  private static Instant fireAt(LocalDateTime local, ZoneId zone) {
    return zone.getRules().getValidOffsets(local).stream()
        .map(local::toInstant)
        .min(Instant::compareTo)
        .orElseGet(() -> endOfGap(local, zone));
  }

  /** Looks at local times, hour by hour and then minute by minute, until one is valid. */
  private static Instant endOfGap(LocalDateTime skipped, ZoneId zone) {
    LocalDateTime local = skipped.withSecond(0);
    while (zone.getRules().getValidOffsets(local.plusHours(1)).isEmpty()) {
      local = local.plusHours(1);
    }
    while (zone.getRules().getValidOffsets(local).isEmpty()) {
      local = local.plusMinutes(1);
    }
    return local.atZone(zone).toInstant();
  }
}
