package dev.holdfast.schedule;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.internal.Require;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What becomes of fires that were missed: that nobody made an event for within the tolerance of the
 * schedule, because no instance was running or the database was away. Fires that are on time always
 * make their events. Immutable and thread-safe.
 */
public sealed interface Missed {
  /** Missed fires are left out. */
  static Missed skip() {
    return new Skip();
  }

  /** However many were missed, the latest makes one event, unless one that is on time does. */
  static Missed once() {
    return new Once();
  }

  /** The latest of the missed fires make their events, in order, up to so many: 1 to 1000. */
  static Missed catchUp(int most) {
    return new CatchUp(most);
  }

  /** See {@link #skip()}. */
  record Skip() implements Missed {
    @Override
    public String toString() {
      return "skip";
    }
  }

  /** See {@link #once()}. */
  record Once() implements Missed {
    @Override
    public String toString() {
      return "once";
    }
  }

  /** See {@link #catchUp(int)}. */
  record CatchUp(int most) implements Missed {
    private static final Pattern TEXT = Pattern.compile("catch up ([1-9]\\d{0,3})");

    public CatchUp {
      Require.between(most, 1, 1000, "the most fires to catch up with");
    }

    @Override
    public String toString() {
      return "catch up " + most;
    }
  }

  /** Reads what {@code toString} wrote. */
  static Missed parse(String text) {
    Matcher catchUp = CatchUp.TEXT.matcher(Require.notNull(text, "missed"));
    if (catchUp.matches()) {
      return catchUp(Integer.parseInt(catchUp.group(1)));
    }
    return switch (text) {
      case "skip" -> skip();
      case "once" -> once();
      default ->
          throw new InvalidArgumentException(
              "missed must be 'skip', 'once' or 'catch up 10', was '" + text + "'");
    };
  }
}
