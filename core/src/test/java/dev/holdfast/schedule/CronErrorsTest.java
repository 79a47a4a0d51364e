package dev.holdfast.schedule;

import static dev.holdfast.schedule.Fires.UTC;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.InvalidArgumentException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A cron expression that is refused says which field, what was found, and what is allowed. */
class CronErrorsTest {
  private static String refusal(String expression) {
    Throwable refusal = catchThrowable(() -> Recurrence.cron(expression, UTC));
    assertThat(refusal).as(expression).isInstanceOf(InvalidArgumentException.class);
    return String.valueOf(refusal.getMessage());
  }

  @Test
  void theMessageNamesFieldFoundAndAllowed() {
    assertThat(refusal("61 * * * *"))
        .isEqualTo(
            "minute must be one of 0-59, *, a range (2-5), a step (*/2), a list (2,3), was '61' in"
                + " cron expression '61 * * * *'");
    assertThat(refusal("0 0 * * MON,FOO"))
        .isEqualTo(
            "day-of-week must be one of 0-7 (0 and 7 are Sunday), SUN-SAT, *, a range (2-5), a step"
                + " (*/2), a list (2,3), the n-th (MON#1) or the last (FRIL) of the month, ?, was"
                + " 'FOO' in cron expression '0 0 * * MON,FOO'");
  }

  @Test
  void eachFieldHasItsOwnNumbers() {
    Map<String, String> refused =
        Map.of(
            "60 * * * * *", "second must be one of 0-59",
            "* 60 * * * *", "minute must be one of 0-59",
            "* 24 * * *", "hour must be one of 0-23",
            "* * 0 * *", "day-of-month must be one of 1-31",
            "* * 32 * *", "day-of-month must be one of 1-31",
            "* * 0W * *", "day-of-month must be one of 1-31",
            "* * * 0 *", "month must be one of 1-12, JAN-DEC",
            "* * * 13 *", "month must be one of 1-12, JAN-DEC",
            "* * * * 8", "day-of-week must be one of 0-7 (0 and 7 are Sunday), SUN-SAT",
            "* * * * 8#1", "day-of-week must be one of 0-7 (0 and 7 are Sunday), SUN-SAT");
    refused.forEach(
        (expression, message) -> assertThat(refusal(expression)).startsWith(message + ", "));
  }

  @Test
  void theNumberOfFieldsIsFiveOrSix() {
    for (String expression : List.of("* * * *", "* * * * * * *", "0 0 12 * * ? 2030", "x")) {
      assertThat(refusal(expression))
          .contains("must have 5 fields (minute hour day-of-month month day-of-week), or 6")
          .contains("had " + expression.split(" ", -1).length)
          .contains("'" + expression + "'");
    }
  }

  @Test
  void daysBeforeTheLastMustFitAMonth() {
    for (String item : List.of("L-0", "L-31", "L-", "L-X", "L-3W", "L--1", "L-100")) {
      assertThat(refusal("0 0 " + item + " * *"))
          .startsWith("day-of-month must have a number from 1 to 30 after 'L-', was '" + item);
    }
    assertThat(refusal("0 0 L-29 2 *")).startsWith("cron expression must fire on some day");
  }

  @Test
  void stepsMustFitTheField() {
    assertThat(refusal("*/0 * * * *"))
        .isEqualTo(
            "minute must have a step from 1 to 60, was '*/0' in cron expression '*/0 * * * *'");
    for (String step :
        List.of("*/61", "*/90", "*/", "*/-1", "*/x", "*/1/2", "0-9/", "5/99999999999")) {
      assertThat(refusal(step + " * * * *")).startsWith("minute must have a step from 1 to 60");
    }
    assertThat(refusal("0 */25 * * *")).startsWith("hour must have a step from 1 to 24");
    assertThat(refusal("0 0 * * */8")).startsWith("day-of-week must have a step from 1 to 7");
  }

  @Test
  void rangesDoNotRunBackwards() {
    for (String backwards :
        List.of(
            "50-10 * * * *", "0 22-2 * * *", "0 0 * NOV-FEB *", "0 0 * * SAT-MON", "0 0 * * 7-1")) {
      assertThat(refusal(backwards)).contains("must not have a range that runs backwards");
    }
  }

  @Test
  void hugeAndStrangeNumbersAreOutOfRange() {
    for (String number :
        List.of(
            "99999999999999999999", "2147483648", "-1", "+1", "1.5", "0x1", "1e1", "007", "٣")) {
      String message = refusal(number + " * * * *");
      assertThat(message).contains("'" + number);
    }
  }

  @Test
  void anythingElseIsRefused() {
    for (String field :
        List.of(
            ",", "1,", ",1", "1,,2", "-", "1-", "-5", "1-2-3", "/", "/5", "**", "* /2", "?", "L",
            "LW", "1W", "1#1", "MON", "JAN", "5L", "H", "1~5", "%", "'", "\\", "1;2")) {
      refusal(field + " * * * *");
    }
    for (String field :
        List.of("W", "WL", "L/2", "?/2", "1,?", "1-5W", "MON", "WW", "L W", "#", "1#1")) {
      refusal("0 0 " + field + " * *");
    }
    for (String field :
        List.of(
            "L", "#", "MON#", "#1", "MON#0", "MON#6", "MON#1#1", "1-5#1", "1-5L", "LMON", "W", "1W",
            "MONDAY", "MON-", "?,1", "JAN", "*L", "*#1")) {
      refusal("0 0 * * " + field);
    }
    refusal("@reboot");
    refusal("@");
    refusal("@daily *");
    assertThat(refusal("@every 5m")).contains("@hourly");
  }

  @Test
  void emptyAndForeignTextIsRefused() {
    for (String text :
        List.of("", " ", "\t", "\n", "\u0000 * * * *", "0\n0 * * *", "0 0 * * frı")) {
      refusal(text);
    }
    assertThat(refusal("0 0 * * ſun")).contains("must be printable ASCII");
  }

  @Test
  @SuppressWarnings("NullAway")
  void nothingIsRefusedAsNothing() {
    assertThatThrownBy(() -> Recurrence.cron(null, UTC))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessage("cron expression must not be null");
    assertThatThrownBy(() -> Recurrence.cron("* * * * *", null))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessage("zone must not be null");
  }

  @Test
  void aMegabyteIsRefusedWithoutBeingRepeated() {
    for (String part : List.of("*", " ", "1,", "9", "* ", "@", "(", "\u0000", "\uD83D\uDE00")) {
      assertThat(refusal(part.repeat(1_000_000)).length()).isLessThan(100);
    }
  }
}
