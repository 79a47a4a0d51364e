package dev.holdfast.internal;

import dev.holdfast.InvalidArgumentException;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Refuses bad arguments, saying what must hold and what it was. */
public final class Require {
  private Require() {}

  public static <T> T notNull(@Nullable T value, String name) {
    if (value == null) {
      throw new InvalidArgumentException(name + " must not be null");
    }
    return value;
  }

  public static String notBlank(@Nullable String value, String name) {
    String text = notNull(value, name);
    that(!text.isBlank(), () -> name + " must not be blank, was " + Excerpt.quoted(text));
    return text;
  }

  public static int between(int value, int least, int most, String name) {
    that(
        value >= least && value <= most,
        () -> name + " must be from " + least + " to " + most + ", was " + value);
    return value;
  }

  public static Duration between(
      @Nullable Duration value, Duration least, Duration most, String name) {
    Duration duration = notNull(value, name);
    that(
        duration.compareTo(least) >= 0 && duration.compareTo(most) <= 0,
        () -> name + " must be from " + least + " to " + most + ", was " + duration);
    return duration;
  }

  public static void that(boolean holds, String message) {
    if (!holds) {
      throw new InvalidArgumentException(message);
    }
  }

  /** As {@link #that(boolean, String)}, where the message takes time to write. */
  public static void that(boolean holds, Supplier<String> message) {
    if (!holds) {
      throw new InvalidArgumentException(message.get());
    }
  }
}
