package dev.holdfast.web.schedule;

import dev.holdfast.schedule.Recurrence;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Describes a simple recurrence in words; others by their own text. */
final class Description {
  private static final Pattern CRON_AT =
      Pattern.compile("cron (\\d{1,2}) (\\d{1,2}) \\* \\* (\\*|MON-FRI|1-5) in (\\S+)");
  private static final Pattern CRON_STEP =
      Pattern.compile("cron \\*/(\\d{1,2}) \\* \\* \\* \\* in (\\S+)");
  private static final Pattern CRON_HOURLY =
      Pattern.compile("cron (\\d{1,2}) \\* \\* \\* \\* in (\\S+)");
  private static final Pattern DAILY = Pattern.compile("daily (\\S+) in (\\S+)");

  private Description() {}

  static String of(Recurrence recurrence) {
    String text = recurrence.format();
    Matcher at = CRON_AT.matcher(text);
    if (at.matches()) {
      return "%s at %02d:%02d (%s)"
          .formatted(
              at.group(3).equals("*") ? "every day" : "Monday to Friday",
              Integer.parseInt(at.group(2)),
              Integer.parseInt(at.group(1)),
              at.group(4));
    }
    Matcher step = CRON_STEP.matcher(text);
    if (step.matches() && Duration.ofHours(1).toMinutes() % Integer.parseInt(step.group(1)) == 0) {
      return "every %s min (%s)".formatted(step.group(1), step.group(2));
    }
    Matcher hourly = CRON_HOURLY.matcher(text);
    if (hourly.matches()) {
      return "every hour at minute %s (%s)".formatted(hourly.group(1), hourly.group(2));
    }
    Matcher daily = DAILY.matcher(text);
    return daily.matches()
        ? "every day at %s (%s)".formatted(daily.group(1), daily.group(2))
        : text;
  }
}
