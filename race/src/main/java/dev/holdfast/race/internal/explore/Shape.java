package dev.holdfast.race.internal.explore;

import dev.holdfast.race.internal.model.Step;
import java.util.regex.Pattern;

/** A statement without the values in it, which may be new in every run: an id, a UUID, a time. */
final class Shape {
  private static final Pattern LITERAL = Pattern.compile("'(?:[^']|'')*'|\\b\\d[\\d.]*\\b");

  private Shape() {}

  static String of(Step step) {
    return LITERAL.matcher(step.text()).replaceAll("?");
  }
}
