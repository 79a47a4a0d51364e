package dev.holdfast.web.api;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.internal.Excerpt;
import dev.holdfast.internal.Require;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses and checks texts of requests. */
public final class Text {
  private static final Pattern SHORT = Pattern.compile("(\\d{1,9})([smhd])");
  private static final Duration MAX = Duration.ofDays(36_525);
  private static final int MAX_SHOWN = 100;

  private Text() {}

  /** Returns the text if every database can store it: no character 0 and no single surrogates. */
  public static String requireStorable(String text) {
    Require.that(text.indexOf('\0') < 0, () -> "must not contain the character 0");
    Require.that(
        text.codePoints().noneMatch(c -> Character.getType(c) == Character.SURROGATE),
        () -> "must not contain single surrogates");
    return text;
  }

  /** A time in RFC 3339 format, with its offset. */
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

  /** A duration in ISO 8601 format or short: {@code 90s}, {@code 10m}, {@code 2h}, {@code 1d}. */
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

  /** The beginning of a text, in quotes, for a message. */
  static String shown(String text) {
    return "'" + Excerpt.of(printable(text), MAX_SHOWN) + "'";
  }

  /** Replaces single surrogates, which cannot be encoded. */
  static String printable(String text) {
    StringBuilder all = new StringBuilder(text.length());
    text.codePoints()
        .map(c -> Character.getType(c) == Character.SURROGATE ? 0xFFFD : c)
        .forEach(all::appendCodePoint);
    return all.toString();
  }

  /** The UTF-8 bytes; empty if the text has single surrogates. */
  public static Optional<byte[]> utf8(String text) {
    try {
      ByteBuffer encoded = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
      byte[] bytes = new byte[encoded.remaining()];
      encoded.get(bytes);
      return Optional.of(bytes);
    } catch (CharacterCodingException e) {
      return Optional.empty();
    }
  }

  /** The text of UTF-8 bytes; empty if they are not UTF-8. */
  public static Optional<String> utf8(byte[] bytes) {
    try {
      return Optional.of(
          StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
    } catch (CharacterCodingException e) {
      return Optional.empty();
    }
  }

  /** The value of a header in UTF-8, of which the container has read each byte as a character. */
  public static String header(String value) {
    return utf8(value.getBytes(StandardCharsets.ISO_8859_1)).orElse(value);
  }
}
