package dev.holdfast.race;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Checks arguments. */
final class Require {
  private Require() {}

  static <T> T notNull(@Nullable T value, String what) {
    if (value == null) {
      throw new RaceSetupException(what + " must not be null", null);
    }
    return value;
  }

  /** A copy of the values, none of which may be null. */
  static <T> List<T> all(T @Nullable [] values, String what) {
    List<T> all = new ArrayList<>();
    for (T value : notNull(values, what)) {
      all.add(notNull(value, "each of " + what));
    }
    return all;
  }

  static void that(boolean holds, String message) {
    if (!holds) {
      throw new RaceSetupException(message, null);
    }
  }

  static String text(@Nullable String value, String what) {
    that(value != null && !value.isBlank(), what + " must not be empty");
    return notNull(value, what);
  }
}
