package dev.holdfast.schedule;

import static java.time.temporal.TemporalAdjusters.dayOfWeekInMonth;
import static java.time.temporal.TemporalAdjusters.lastDayOfMonth;
import static java.time.temporal.TemporalAdjusters.lastInMonth;

import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * A random cron expression together with what it means, said without the parser: as sets of numbers
 * and as questions to a date.
 */
record RandomCron(
    String text,
    Set<Integer> seconds,
    Set<Integer> minutes,
    Set<Integer> hours,
    Predicate<LocalDate> day) {
  /** A field as it is written and as it is meant. */
  private record Field<T>(String text, T meaning) {}

  static RandomCron next(Random random, boolean withSeconds, boolean anyDay) {
    Field<Set<Integer>> second = withSeconds ? numbers(random, 0, 59) : new Field<>("", Set.of(0));
    Field<Set<Integer>> minute = numbers(random, 0, 59);
    Field<Set<Integer>> hour = numbers(random, 0, 23);
    Field<Set<Integer>> month = anyDay ? all(1, 12) : numbers(random, 1, 12);
    Field<Predicate<LocalDate>> ofMonth = anyDay ? everyDay("*") : dayOfMonth(random);
    Field<Predicate<LocalDate>> ofWeek = anyDay ? everyDay("?") : dayOfWeek(random);
    boolean both = !"*?".contains(ofMonth.text) && !"*?".contains(ofWeek.text);
    Predicate<LocalDate> day =
        both ? ofMonth.meaning.or(ofWeek.meaning) : ofMonth.meaning.and(ofWeek.meaning);
    List<String> fields =
        List.of(second.text, minute.text, hour.text, ofMonth.text, month.text, ofWeek.text);
    return new RandomCron(
        String.join(" ", fields).strip(),
        second.meaning,
        minute.meaning,
        hour.meaning,
        day.and(date -> month.meaning.contains(date.getMonthValue())));
  }

  boolean matches(LocalDateTime local) {
    return hours.contains(local.getHour())
        && minutes.contains(local.getMinute())
        && seconds.contains(local.getSecond())
        && day.test(local.toLocalDate());
  }

  boolean everyHour() {
    return hours.size() == 24;
  }

  private static Field<Set<Integer>> numbers(Random random, int least, int most) {
    if (random.nextInt(4) == 0) {
      return all(least, most);
    }
    List<String> items = new ArrayList<>();
    Set<Integer> numbers = new HashSet<>();
    do {
      int a = random.nextInt(least, most + 1);
      int b = random.nextInt(a, most + 1);
      int step = random.nextInt(1, most - least + 2);
      switch (random.nextInt(5)) {
        case 0 -> add(items, numbers, a + "-" + b, a, b, 1);
        case 1 -> add(items, numbers, a + "-" + b + "/" + step, a, b, step);
        case 2 -> add(items, numbers, a + "/" + step, a, most, step);
        case 3 -> add(items, numbers, "*/" + step, least, most, step);
        default -> add(items, numbers, "" + a, a, a, 1);
      }
    } while (random.nextInt(3) == 0);
    return new Field<>(String.join(",", items), numbers);
  }

  private static void add(
      List<String> items, Set<Integer> numbers, String item, int from, int to, int step) {
    items.add(item);
    IntStream.rangeClosed(from, to).filter(n -> (n - from) % step == 0).forEach(numbers::add);
  }

  private static Field<Set<Integer>> all(int least, int most) {
    Set<Integer> numbers = new HashSet<>();
    IntStream.rangeClosed(least, most).forEach(numbers::add);
    return new Field<>("*", numbers);
  }

  private static Field<Predicate<LocalDate>> everyDay(String text) {
    return new Field<>(text, date -> true);
  }

  private static Field<Predicate<LocalDate>> dayOfMonth(Random random) {
    int n = random.nextInt(1, 32);
    int before = random.nextInt(1, 28);
    return switch (random.nextInt(7)) {
      case 0 -> everyDay("*");
      case 1 -> new Field<>("L", date -> date.equals(date.with(lastDayOfMonth())));
      case 2 -> new Field<>("LW", date -> date.equals(nearestWeekday(date, date.lengthOfMonth())));
      case 3 ->
          new Field<>(
              n + "W", date -> n <= date.lengthOfMonth() && date.equals(nearestWeekday(date, n)));
      case 4 ->
          new Field<>(
              "L-" + before, date -> date.plusDays(before).equals(date.with(lastDayOfMonth())));
      default -> {
        Field<Set<Integer>> days = numbers(random, 1, 31);
        yield new Field<>(days.text, date -> days.meaning.contains(date.getDayOfMonth()));
      }
    };
  }

  /** Goes away from the day, a day earlier and later each time, until one is a weekday. */
  private static LocalDate nearestWeekday(LocalDate month, int day) {
    LocalDate center = month.withDayOfMonth(day);
    for (int days = 0; ; days++) {
      for (LocalDate date : List.of(center.minusDays(days), center.plusDays(days))) {
        boolean weekday = date.getDayOfWeek().compareTo(DayOfWeek.SATURDAY) < 0;
        if (weekday && date.getMonth() == month.getMonth()) {
          return date;
        }
      }
    }
  }

  private static Field<Predicate<LocalDate>> dayOfWeek(Random random) {
    DayOfWeek weekday = DayOfWeek.of(random.nextInt(1, 8));
    String name = weekday.name().substring(0, 3);
    String cased = random.nextBoolean() ? name : name.toLowerCase(Locale.ROOT);
    String written = random.nextBoolean() ? cased : "" + weekday.getValue();
    int n = random.nextInt(1, 6);
    return switch (random.nextInt(6)) {
      case 0 -> everyDay("?");
      case 1 -> new Field<>(written, date -> date.getDayOfWeek() == weekday);
      case 2 -> new Field<>(written + "L", date -> date.equals(date.with(lastInMonth(weekday))));
      case 3 ->
          new Field<>(
              written + "#" + n, date -> date.equals(date.with(dayOfWeekInMonth(n, weekday))));
      default -> {
        Field<Set<Integer>> days = numbers(random, 0, 6);
        yield new Field<>(
            days.text, date -> days.meaning.contains(date.getDayOfWeek().getValue() % 7));
      }
    };
  }
}
