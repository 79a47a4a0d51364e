package dev.holdfast.event;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.internal.Require;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The name of one event, for as long as it is known: a number, and the shard it is kept in. Users
 * see it as text, such as {@code 4711-0}. Immutable and thread-safe.
 */
public record EventId(int shard, long id) implements Comparable<EventId> {
  private static final Pattern TEXT = Pattern.compile("([1-9]\\d{0,18})-(0|[1-9]\\d{0,4})");

  public EventId {
    Require.between(shard, 0, Short.MAX_VALUE, "the shard of an event");
    Require.that(id > 0, () -> "the number of an event must be positive, was " + id);
  }

  /**
   * The id that {@link #toString()} has written.
   *
   * @throws InvalidArgumentException if the text is no such id
   */
  public static EventId parse(@Nullable String text) {
    Matcher matcher = TEXT.matcher(Require.notNull(text, "the id of an event"));
    try {
      if (matcher.matches()) {
        return new EventId(Integer.parseInt(matcher.group(2)), Long.parseLong(matcher.group(1)));
      }
    } catch (NumberFormatException tooLarge) {
      // said below
    }
    throw new InvalidArgumentException(
        "the id of an event must be its number and its shard, such as 4711-0, was '" + text + "'");
  }

  @Override
  public int compareTo(EventId other) {
    int byShard = Integer.compare(shard, other.shard);
    return byShard == 0 ? Long.compare(id, other.id) : byShard;
  }

  @Override
  public String toString() {
    return id + "-" + shard;
  }
}
