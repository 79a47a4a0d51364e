package dev.holdfast.guard;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;

/** Writes conflict rates as a table for people. */
final class ConflictReport {
  private static final int NARROWEST_NAME = 5;

  private ConflictReport() {}

  static String of(List<ConflictRate> rates, Duration window) {
    if (rates.isEmpty()) {
      return "no guard has been tried yet";
    }
    int width =
        rates.stream().mapToInt(rate -> rate.guard().length()).reduce(NARROWEST_NAME, Math::max);
    StringBuilder text = new StringBuilder("conflicts in the last " + inWords(window) + "\n");
    String line = "%-" + width + "s %10s %10s %8s %8s  %s%n";
    text.append(line(line, "guard", "attempts", "conflicts", "retries", "rate", "verdict"));
    for (ConflictRate rate : rates) {
      text.append(
          line(
              line,
              printable(rate.guard()),
              rate.attempts(),
              rate.conflicts(),
              rate.retries(),
              line("%.2f %%", rate.rate() * 100),
              rate.verdict()));
    }
    for (ConflictRate rate : rates) {
      if (rate.verdict() == ConflictRate.Verdict.CHANGE) {
        text.append(printable(rate.guard())).append(": ").append(rate.advice()).append('\n');
      }
    }
    return text.toString();
  }

  /** As a person writes it: {@code 5 min}, {@code 1 min 30 s}. */
  static String inWords(Duration time) {
    StringJoiner words = new StringJoiner(" ").setEmptyValue("0 s");
    append(words, time.toDays(), "d");
    append(words, time.toHoursPart(), "h");
    append(words, time.toMinutesPart(), "min");
    append(words, time.toSecondsPart(), "s");
    append(words, time.toMillisPart(), "ms");
    return words.toString();
  }

  private static void append(StringJoiner words, long count, String unit) {
    if (count != 0) {
      words.add(count + " " + unit);
    }
  }

  private static String line(String format, Object... columns) {
    return String.format(Locale.ROOT, format, columns).replace("\r\n", "\n");
  }

  /** A name may come from anywhere, and must not forge lines of the report. */
  private static String printable(String name) {
    return name.replaceAll("\\p{Cntrl}", "?");
  }
}
