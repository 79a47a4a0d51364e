package dev.holdfast.internal.event;

import dev.holdfast.internal.Excerpt;
import dev.holdfast.internal.Require;
import java.time.Duration;
import java.time.Instant;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Checks the names, keys and times of events. */
public final class EventArguments {
  /** PostgreSQL, MariaDB and H2 can all store and compare these. */
  private static final Instant MIN_TIME = Instant.parse("1970-01-02T00:00:00Z");

  private static final Instant MAX_TIME = Instant.parse("9999-12-30T00:00:00Z");
  private static final Duration MAX_DELAY = Duration.ofDays(36_525);
  private static final Pattern TYPE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:/-]{0,199}");
  private static final Pattern QUEUE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:-]{0,99}");
  private static final int MAX_KEY_LENGTH = 300;

  private EventArguments() {}

  public static String requireType(@Nullable String name) {
    String given = Require.notNull(name, "the name of an event type");
    Require.that(
        TYPE.matcher(given).matches(),
        () ->
            "the name of an event type must be 1 to 200 letters, digits and . _ : / -, was "
                + Excerpt.quoted(given));
    return given;
  }

  public static String requireQueue(@Nullable String queue) {
    String given = Require.notNull(queue, "the name of a queue");
    Require.that(
        QUEUE.matcher(given).matches(),
        () ->
            "the name of a queue must be 1 to 100 letters, digits and . _ : -, was "
                + Excerpt.quoted(given));
    return given;
  }

  public static void requireTime(@Nullable Instant time, String what) {
    Instant given = Require.notNull(time, what);
    Require.that(
        !given.isBefore(MIN_TIME) && !given.isAfter(MAX_TIME),
        () -> what + " must be from " + MIN_TIME + " to " + MAX_TIME + ", was " + given);
  }

  public static void requireDelay(@Nullable Duration delay, String what) {
    Require.between(Require.notNull(delay, what), Duration.ZERO, MAX_DELAY, what);
  }

  /**
   * Checks an event key, ordering key or concurrency key.
   *
   * @param what which of them, for the message
   */
  public static String requireKey(@Nullable String key, String what) {
    String given = Require.notBlank(key, what + " of an event");
    Require.that(
        given.length() <= MAX_KEY_LENGTH,
        () ->
            what
                + " of an event must have at most "
                + MAX_KEY_LENGTH
                + " characters, had "
                + given.length());
    Require.that(
        given.equals(given.strip()),
        () -> what + " of an event must not begin or end with a space, was '" + given + "'");
    Require.that(
        given.codePoints().noneMatch(EventArguments::isUnstorable),
        () ->
            what
                + " of an event must have no control characters and no single surrogates, was '"
                + given
                + "'");
    return given;
  }

  private static boolean isUnstorable(int codePoint) {
    return Character.isISOControl(codePoint) || Character.getType(codePoint) == Character.SURROGATE;
  }
}
