package dev.holdfast.web.api;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.internal.Excerpt;
import dev.holdfast.internal.Require;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Texts of requests, read as what they mean. */
public final class Text {
  private static final Pattern SHORT = Pattern.compile("(\\d{1,9})([smhd])");
  private static final Duration MAX = Duration.ofDays(36_525);
  private static final int MAX_SHOWN = 100;

  private Text() {}

  /** The text, if every database can keep it: without the character 0 and single surrogates. */
  public static String requireKeepable(String text) {
    Require.that(text.indexOf('\0') < 0, () -> "must not contain the character 0");
    Require.that(
        text.codePoints().noneMatch(c -> Character.getType(c) == Character.SURROGATE),
        () -> "must not contain single surrogates");
    return text;
  }

  /** A time as RFC 3339 writes it, with its zone. */
  public static Instant time(String text) {
    try {
      return OffsetDateTime.parse(text).toInstant();
    } catch (DateTimeException e) {
      throw new InvalidArgumentException(
          "must be a time with its offset, such as 2026-02-14T09:00:00+01:00 or"
              + " 2026-02-14T08:00:00Z, was "
              + shown(text));
    }
  }

  /**
   * A duration as ISO 8601 writes it, or short: {@code 90s}, {@code 10m}, {@code 2h}, {@code 1d}.
   */
  public static Duration duration(String text) {
    Duration duration = parsed(text);
    Require.that(
        !duration.isNegative() && duration.compareTo(MAX) <= 0,
        () -> "must be from 0s to " + MAX.toDays() + "d, was " + shown(text));
    return duration;
  }

  private static Duration parsed(String text) {
    Matcher brief = SHORT.matcher(text);
    try {
      return brief.matches()
          ? Duration.parse(
              (brief.group(2).equals("d") ? "P" : "PT") + brief.group(1) + brief.group(2))
          : Duration.parse(text);
    } catch (DateTimeException | ArithmeticException e) {
      throw new InvalidArgumentException(
          "must be a duration such as 90s, 10m, 2h, 1d or PT1H30M, was " + shown(text));
    }
  }

  /** The beginning of what somebody has sent, to be shown in a message. */
  static String shown(String text) {
    return "'" + Excerpt.of(printable(text), MAX_SHOWN) + "'";
  }

  /** With a sign in place of single surrogates, which cannot be written. */
  static String printable(String text) {
    StringBuilder all = new StringBuilder(text.length());
    text.codePoints()
        .map(c -> Character.getType(c) == Character.SURROGATE ? 0xFFFD : c)
        .forEach(all::appendCodePoint);
    return all.toString();
  }
}
