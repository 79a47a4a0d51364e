package dev.holdfast.schedule;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.internal.Require;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What happens to misfires: fires without an event after the misfire threshold of the schedule,
 * because no instance was running or the database did not respond. Fires that are on time always
 * create their events. Immutable and thread-safe.
 */
public sealed interface MisfirePolicy {
  /** Misfires are skipped. */
  static MisfirePolicy skip() {
    return new Skip();
  }

  /** The latest of all misfires creates one event, unless a fire that is on time creates one. */
  static MisfirePolicy fireOnce() {
    return new FireOnce();
  }

  /** The latest {@code max} misfires create their events, in order; 1 to 1000. */
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

  /** Parses the text of {@code toString}. */
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
