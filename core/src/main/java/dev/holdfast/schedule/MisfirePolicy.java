package dev.holdfast.schedule;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.internal.Require;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What becomes of fires that were missed: that nobody made an event for within the misfire
 * threshold of the schedule, because no instance was running or the database was away. Fires that
 * are on time always make their events. Immutable and thread-safe.
 */
public sealed interface MisfirePolicy {
  /** Missed fires are left out. */
  static MisfirePolicy skip() {
    return new Skip();
  }

  /** However many were missed, the latest makes one event, unless one that is on time does. */
  static MisfirePolicy fireOnce() {
    return new FireOnce();
  }

  /** The latest of the missed fires make their events, in order, up to so many: 1 to 1000. */
  static MisfirePolicy catchUp(int max) {
    return new CatchUp(max);
  }

  /** See {@link #skip()}. */
  record Skip() implements MisfirePolicy {
    @Override
    public String toString() {
      return "skip";
    }
  }

  /** See {@link #fireOnce()}. */
  record FireOnce() implements MisfirePolicy {
    @Override
    public String toString() {
      return "once";
    }
  }

  /** See {@link #catchUp(int)}. */
  record CatchUp(int max) implements MisfirePolicy {
    private static final Pattern TEXT = Pattern.compile("catch up ([1-9]\\d{0,3})");

    public CatchUp {
      Require.between(max, 1, 1000, "the most fires to catch up with");
    }

    @Override
    public String toString() {
      return "catch up " + max;
    }
  }

  /** Reads what {@code toString} wrote. */
  static MisfirePolicy parse(String text) {
    Matcher catchUp = CatchUp.TEXT.matcher(Require.notNull(text, "the misfire policy"));
    if (catchUp.matches()) {
      return catchUp(Integer.parseInt(catchUp.group(1)));
    }
    return switch (text) {
      case "skip" -> skip();
      case "once" -> fireOnce();
      default ->
          throw new InvalidArgumentException(
              "missed must be 'skip', 'once' or 'catch up 10', was '" + text + "'");
    };
  }
}
