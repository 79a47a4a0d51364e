package dev.holdfast.event;

import dev.holdfast.internal.Require;
import dev.holdfast.internal.event.EventArguments;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which events to find: those for which everything holds that was asked for. By default all, live
 * and ended, the newest first, 100 to a page. Immutable and thread-safe.
 *
 * @param key those that were scheduled with this key
 * @param created when they were scheduled
 * @param due when they are due, or were due last
 * @param ended when they have ended; if a bound is set, live ones are not found
 * @param errorContains those whose last error has this in its text, in any case
 * @param cursor those that come behind this one; see {@link EventPage#nextCursor()}
 */
public record EventFilter(
    Set<EventStatus> statuses,
    @Nullable String type,
    @Nullable String queue,
    @Nullable String tag,
    @Nullable String key,
    Range created,
    Range due,
    Range ended,
    @Nullable String errorContains,
    @Nullable EventId cursor,
    int pageSize) {
  private static final int MAX_PAGE_SIZE = 1000;

  /**
   * From a time on, and before another one; null for no bound.
   *
   * @param from this time or later
   * @param to before this time
   */
  public record Range(@Nullable Instant from, @Nullable Instant to) {
    static final Range ALL = new Range(null, null);

    Range from(Instant time, String name) {
      EventArguments.requireTime(time, name);
      return new Range(time, to);
    }

    Range to(Instant time, String name) {
      EventArguments.requireTime(time, name);
      return new Range(from, time);
    }

    /** Whether it has no bound. */
    public boolean isAll() {
      return from == null && to == null;
    }
  }

  public EventFilter {
    statuses = Set.copyOf(statuses);
    Require.between(pageSize, 1, MAX_PAGE_SIZE, "the size of a page");
  }

  public static EventFilter all() {
    return new Copy(EnumSet.allOf(EventStatus.class)).filter();
  }

  public EventFilter status(EventStatus first, EventStatus... others) {
    Copy copy = new Copy(this);
    copy.statuses = EnumSet.of(first, others);
    return copy.filter();
  }

  public EventFilter type(EventType<?> wanted) {
    Copy copy = new Copy(this);
    copy.type = wanted.name();
    return copy.filter();
  }

  public EventFilter queue(String wanted) {
    EventArguments.requireQueue(wanted);
    Copy copy = new Copy(this);
    copy.queue = wanted;
    return copy.filter();
  }

  public EventFilter tag(String wanted) {
    Copy copy = new Copy(this);
    copy.tag = Require.notBlank(wanted, "a tag");
    return copy.filter();
  }

  /** The event that has this key. */
  public EventFilter key(String wanted) {
    Copy copy = new Copy(this);
    copy.key = EventArguments.requireKey(wanted, "the key");
    return copy.filter();
  }

  public EventFilter createdFrom(Instant time) {
    return created(created.from(time, "createdFrom"));
  }

  public EventFilter createdTo(Instant time) {
    return created(created.to(time, "createdTo"));
  }

  public EventFilter dueFrom(Instant time) {
    return due(due.from(time, "dueFrom"));
  }

  public EventFilter dueTo(Instant time) {
    return due(due.to(time, "dueTo"));
  }

  public EventFilter endedFrom(Instant time) {
    return ended(ended.from(time, "endedFrom"));
  }

  public EventFilter endedTo(Instant time) {
    return ended(ended.to(time, "endedTo"));
  }

  private EventFilter created(Range range) {
    Copy copy = new Copy(this);
    copy.created = range;
    return copy.filter();
  }

  private EventFilter due(Range range) {
    Copy copy = new Copy(this);
    copy.due = range;
    return copy.filter();
  }

  private EventFilter ended(Range range) {
    Copy copy = new Copy(this);
    copy.ended = range;
    return copy.filter();
  }

  public EventFilter errorContains(String text) {
    Copy copy = new Copy(this);
    copy.errorContains = Require.notBlank(text, "a part of an error");
    return copy.filter();
  }

  /** The page behind this event. */
  public EventFilter cursor(EventId last) {
    Copy copy = new Copy(this);
    copy.cursor = Require.notNull(last, "cursor");
    return copy.filter();
  }

  public EventFilter pageSize(int size) {
    Copy copy = new Copy(this);
    copy.pageSize = size;
    return copy.filter();
  }

  /** What one change is made on. */
  private static final class Copy {
    Set<EventStatus> statuses;
    @Nullable String type;
    @Nullable String queue;
    @Nullable String tag;
    @Nullable String key;
    Range created = Range.ALL;
    Range due = Range.ALL;
    Range ended = Range.ALL;
    @Nullable String errorContains;
    @Nullable EventId cursor;
    int pageSize = 100;

    Copy(Set<EventStatus> statuses) {
      this.statuses = statuses;
    }

    Copy(EventFilter of) {
      statuses = of.statuses;
      type = of.type;
      queue = of.queue;
      tag = of.tag;
      key = of.key;
      created = of.created;
      due = of.due;
      ended = of.ended;
      errorContains = of.errorContains;
      cursor = of.cursor;
      pageSize = of.pageSize;
    }

    EventFilter filter() {
      return new EventFilter(
          statuses, type, queue, tag, key, created, due, ended, errorContains, cursor, pageSize);
    }
  }
}
