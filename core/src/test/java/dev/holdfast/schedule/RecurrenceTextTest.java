package dev.holdfast.schedule;

import static dev.holdfast.schedule.Fires.MADRID;
import static dev.holdfast.schedule.Fires.UTC;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.InvalidArgumentException;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A recurrence as text: what is stored in a row and compared with what the code says. */
class RecurrenceTextTest {
  private static final LocalTime NINE = LocalTime.of(9, 0);
  private static final Instant NEW_YEAR = Instant.parse("2024-01-01T00:00:00Z");

  private static Map<String, Recurrence> written() {
    Map<String, Recurrence> written = new LinkedHashMap<>();
    written.put(
        "cron 0 9 * * MON-FRI in Europe/Madrid", Recurrence.cron(" 0  9 *\t* mon-Fri ", MADRID));
    written.put("cron 0 0 * * 0 in +05:45", Recurrence.cron("@weekly", ZoneOffset.of("+05:45")));
    written.put("daily 09:00 in Z", Recurrence.daily(NINE, ZoneOffset.UTC));
    written.put(
        "daily 23:59:59 in UTC+02:00",
        Recurrence.daily(LocalTime.of(23, 59, 59), ZoneId.of("UTC+2")));
    written.put(
        "weekly MON,SUN 09:00 in UTC",
        Recurrence.weekly(
            new LinkedHashSet<>(List.of(DayOfWeek.SUNDAY, DayOfWeek.MONDAY)), NINE, UTC));
    written.put("monthly 31 09:00 in UTC", Recurrence.monthly(31, NINE, UTC));
    written.put("yearly 02-29 09:00 in UTC", Recurrence.yearly(MonthDay.of(2, 29), NINE, UTC));
    written.put(
        "yearly 02-29 else 03-01 09:00 in UTC",
        Recurrence.yearly(MonthDay.of(2, 29), Recurrence.LeapDay.MARCH_1, NINE, UTC));
    written.put(
        "every PT36H since 2024-01-01T00:00:00Z", Recurrence.every(Duration.ofHours(36), NEW_YEAR));
    written.put(
        "every PT1S since 2024-01-01T00:00:00Z from 2024-01-02T00:00:00Z",
        Recurrence.every(Duration.ofSeconds(1), NEW_YEAR)
            .startingAt(NEW_YEAR.plus(Duration.ofDays(1))));
    written.put(
        "daily 09:00 in UTC from 2024-01-01T00:00:00Z until 2024-01-02T00:00:01Z",
        Recurrence.daily(NINE, UTC)
            .startingAt(NEW_YEAR)
            .endingAt(NEW_YEAR.plus(Duration.ofDays(1)).plusSeconds(1)));
    written.put(
        "daily 09:00 in UTC until 0001-01-01T00:00:00Z",
        Recurrence.daily(NINE, UTC).endingAt(Instant.parse("0001-01-01T00:00:00Z")));
    return written;
  }

  @Test
  void theTextIsOneLineThatReadsBack() {
    written()
        .forEach(
            (text, recurrence) -> {
              assertThat(recurrence.format()).isEqualTo(text);
              assertThat(recurrence).hasToString(text);
              Recurrence back = Recurrence.parse(text);
              assertThat(back).isEqualTo(recurrence).hasSameHashCodeAs(recurrence);
              assertThat(back.zone()).isEqualTo(recurrence.zone());
              assertThat(back.next(NEW_YEAR)).isEqualTo(recurrence.next(NEW_YEAR));
            });
  }

  @Test
  void everyDifferenceIsSeen() {
    assertThat(written().values()).doesNotHaveDuplicates();
    assertThat(Recurrence.daily(NINE, UTC))
        .isNotEqualTo(Recurrence.daily(NINE, MADRID))
        .isNotEqualTo(Recurrence.daily(NINE.plusSeconds(1), UTC))
        .isNotEqualTo(Recurrence.daily(NINE, UTC).endingAt(NEW_YEAR))
        .isNotEqualTo(null)
        .isNotEqualTo("daily 09:00 in UTC");
  }

  @Test
  void maxLengthTextFits() {
    String longest = "0" + ",0".repeat(123) + " * * * *";
    Recurrence recurrence =
        Recurrence.cron(longest, ZoneId.of("America/Argentina/ComodRivadavia"))
            .startingAt(NEW_YEAR)
            .endingAt(NEW_YEAR);

    assertThat(longest.length()).isBetween(254, 256);
    assertThat(recurrence.format().length()).isLessThanOrEqualTo(400);
    assertThat(Recurrence.parse(recurrence.format())).isEqualTo(recurrence);
  }

  @Test
  void anythingElseIsRefused() {
    for (String text :
        List.of(
            "",
            " ",
            "daily",
            "daily 09:00",
            "daily 09:00 in",
            "daily 09:00 in ",
            "daily 09:00 in Mars/Olympus",
            "daily 09:00 in ../../etc/passwd",
            "daily 9 in UTC",
            "daily 24:00 in UTC",
            "daily 09:00:00.5 in UTC",
            "daily  09:00 in UTC",
            " daily 09:00 in UTC",
            "daily 09:00 in UTC ",
            "Daily 09:00 in UTC",
            "daily 09:00 in UTC at",
            "daily 09:00 in UTC from",
            "daily 09:00 in UTC from now",
            "daily 09:00 in UTC until 2024-01-01T00:00:00Z from 2023-01-01T00:00:00Z",
            "daily 09:00 in UTC from 2024-01-01T00:00:00Z until 2023-01-01T00:00:00Z",
            "daily 09:00 in UTC from 2024-01-01T00:00:00.5Z",
            "weekly 09:00 in UTC",
            "weekly mon 09:00 in UTC",
            "weekly MON, 09:00 in UTC",
            "weekly MON,FOO 09:00 in UTC",
            "monthly 0 09:00 in UTC",
            "monthly 32 09:00 in UTC",
            "monthly +1 09:00 in UTC",
            "monthly 99999999999 09:00 in UTC",
            "yearly 02-30 09:00 in UTC",
            "yearly 2024-02-29 09:00 in UTC",
            "yearly 02-29 else 02-28 09:00 in UTC",
            "yearly 02-29 else",
            "cron in UTC",
            "cron 0 9 * * * UTC",
            "cron 0 0 31 2 * in UTC",
            "every PT1H",
            "every PT1H in UTC",
            "every 1h since 2024-01-01T00:00:00Z",
            "every PT0S since 2024-01-01T00:00:00Z",
            "every PT99999999999999999999H since 2024-01-01T00:00:00Z",
            "fortnightly 09:00 in UTC")) {
      assertThatThrownBy(() -> Recurrence.parse(text))
          .as(text)
          .isInstanceOf(InvalidArgumentException.class);
    }
  }

  @Test
  void rejectionNamesFoundAndExpected() {
    assertThatThrownBy(() -> Recurrence.parse("daily 9 in UTC"))
        .hasMessageContaining("'daily …'")
        .hasMessageContaining("was 'daily 9 in UTC'")
        .hasMessageContaining("Text '9' could not be parsed");
    assertThatThrownBy(() -> Recurrence.parse("cron 61 * * * * in UTC"))
        .hasMessageContaining("minute must be one of 0-59");
  }

  @Test
  void aMegabyteIsRefusedWithoutBeingRepeated() {
    for (String part : List.of("daily ", "cron ", " ", "x", "in ", "\u0000")) {
      Throwable refusal = catchThrowable(() -> Recurrence.parse(part.repeat(1_000_000)));
      assertThat(refusal).isInstanceOf(InvalidArgumentException.class);
      assertThat(refusal.getMessage()).hasSizeLessThan(100);
    }
  }
}
