package dev.holdfast.schedule;

import java.util.Locale;

/** A field of a cron expression: which numbers and names it may have. */
enum CronField {
  SECOND(0, 59, "", ""),
  MINUTE(0, 59, "", ""),
  HOUR(0, 23, "", ""),
  DAY_OF_MONTH(1, 31, "", ", L, LW, days before the last (L-3), a nearest weekday (15W), ?"),
  MONTH(1, 12, "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC", ""),
  DAY_OF_WEEK(
      0, 6, "SUN MON TUE WED THU FRI SAT", ", the n-th (MON#1) or the last (FRIL) of the month, ?");

  final int least;
  final int most;
  private final String names;
  private final String more;

  CronField(int least, int most, String names, String more) {
    this.least = least;
    this.most = most;
    this.names = names;
    this.more = more;
  }

  /** The number that a name stands for, or -1. */
  int named(String name) {
    int index = name.length() == 3 ? names.indexOf(name) : -1;
    return index < 0 ? -1 : least + index / 4;
  }

  /** What may stand in the field, for messages. */
  String allowed() {
    String numbers = this == DAY_OF_WEEK ? "0-7 (0 and 7 are Sunday)" : least + "-" + most;
    String words =
        names.isEmpty()
            ? ""
            : ", " + names.substring(0, 3) + "-" + names.substring(names.length() - 3);
    return numbers + words + ", *, a range (2-5), a step (*/2), a list (2,3)" + more;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
