package dev.holdfast.race.internal.explore;

import java.util.regex.Pattern;

/** A statement without its values, which may be others in each run: ids, times, what was read. */
final class Shape {
  private static final Pattern VALUE = Pattern.compile("'(?:[^']|'')*'|\\b\\d+(?:\\.\\d+)?\\b");

  private Shape() {}

  static String of(String sql) {
    return VALUE.matcher(sql).replaceAll("?");
  }
}
