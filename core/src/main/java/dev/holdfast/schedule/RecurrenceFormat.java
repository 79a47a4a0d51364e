package dev.holdfast.schedule;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.internal.Require;
import java.time.DateTimeException;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.ZoneId;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.StringJoiner;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A recurrence as words: {@code weekly MON,FRI 09:00 in Europe/Madrid from … until …}. */
final class RecurrenceFormat {
  private static final int MAX = 400;
  private static final String SHAPE =
      "a recurrence must read 'cron …', 'daily …', 'weekly …', 'monthly …' or 'yearly …' with"
          + " 'in <zone>', or 'every … since …'";

  private final String text;
  private final Deque<String> words;

  private RecurrenceFormat(String text) {
    this.text = text;
    this.words = new ArrayDeque<>(List.of(text.split(" ", -1)));
  }

  static Recurrence parse(String text) {
    Require.notNull(text, "text of a recurrence");
    Require.that(
        text.length() <= MAX,
        "text of a recurrence must have at most " + MAX + " characters, had " + text.length());
    try {
      return new RecurrenceFormat(text).read();
    } catch (DateTimeException e) {
      throw new InvalidArgumentException(SHAPE + ", was '" + text + "': " + e.getMessage());
    }
  }

  static String of(Set<DayOfWeek> weekdays) {
    return weekdays.stream().map(RecurrenceFormat::shortName).collect(Collectors.joining(","));
  }

  static String of(MonthDay day, Recurrence.LeapDay leapDay) {
    MonthDay common = leapDay.inCommonYear(day);
    boolean chosen = leapDay != Recurrence.LeapDay.FEBRUARY_28 && !common.equals(day);
    return chosen ? plain(day) + " else " + plain(common) : plain(day);
  }

  private Recurrence read() {
    Recurrence recurrence =
        switch (word()) {
          case "cron" -> Recurrence.cron(wordsBefore("in"), zone());
          case "daily" -> Recurrence.daily(time(), zone());
          case "weekly" -> Recurrence.weekly(weekdays(word()), time(), zone());
          case "monthly" -> Recurrence.monthly(number(word()), time(), zone());
          case "yearly" -> Recurrence.yearly(monthDay(), leapDay(), time(), zone());
          case "every" -> Recurrence.every(Duration.parse(word()), instantAfter("since"));
          default -> throw rejected();
        };
    if ("from".equals(words.peek())) {
      recurrence = recurrence.startingAt(instantAfter("from"));
    }
    if ("until".equals(words.peek())) {
      recurrence = recurrence.endingAt(instantAfter("until"));
    }
    if (!words.isEmpty()) {
      throw rejected();
    }
    return recurrence;
  }

  private String word() {
    String word = words.poll();
    if (word == null) {
      throw rejected();
    }
    return word;
  }

  private String wordsBefore(String end) {
    StringJoiner found = new StringJoiner(" ");
    while (!end.equals(words.peek())) {
      found.add(word());
    }
    return found.toString();
  }

  private Instant instantAfter(String word) {
    expect(word);
    return Instant.parse(word());
  }

  private ZoneId zone() {
    expect("in");
    return ZoneId.of(word());
  }

  private void expect(String word) {
    if (!word.equals(word())) {
      throw rejected();
    }
  }

  private LocalTime time() {
    return LocalTime.parse(word());
  }

  private MonthDay monthDay() {
    return MonthDay.parse("--" + word());
  }

  private Recurrence.LeapDay leapDay() {
    if (!"else".equals(words.peek())) {
      return Recurrence.LeapDay.FEBRUARY_28;
    }
    expect("else");
    expect("03-01");
    return Recurrence.LeapDay.MARCH_1;
  }

  private int number(String word) {
    if (!word.matches("[0-9]{1,2}")) {
      throw rejected();
    }
    return Integer.parseInt(word);
  }

  private Set<DayOfWeek> weekdays(String list) {
    Set<DayOfWeek> weekdays = EnumSet.noneOf(DayOfWeek.class);
    for (String name : list.split(",", -1)) {
      weekdays.add(
          Stream.of(DayOfWeek.values())
              .filter(day -> shortName(day).equals(name))
              .findFirst()
              .orElseThrow(this::rejected));
    }
    return weekdays;
  }

  private static String shortName(DayOfWeek weekday) {
    return weekday.name().substring(0, 3);
  }

  private static String plain(MonthDay day) {
    return day.toString().substring(2);
  }

  private InvalidArgumentException rejected() {
    return new InvalidArgumentException(SHAPE + ", was '" + text + "'");
  }
}
