package dev.holdfast.event;

import dev.holdfast.internal.Require;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which events to find: those for which everything holds that was asked for. By default all, live
 * and ended, the newest first, 100 to a page. Immutable and thread-safe.
 *
 * @param createdFrom those that were scheduled at this time or later
 * @param createdTo those that were scheduled before this time
 * @param errorContains those whose last error has this in its text, in any case
 * @param before those that come behind this one; see {@link EventPage#next()}
 */
public record EventFilter(
    Set<EventStatus> statuses,
    @Nullable String type,
    @Nullable String queue,
    @Nullable String tag,
    @Nullable Instant createdFrom,
    @Nullable Instant createdTo,
    @Nullable String errorContains,
    @Nullable EventId before,
    int pageSize) {
  private static final int LARGEST_PAGE = 1000;

  public EventFilter {
    statuses = Set.copyOf(statuses);
    Require.between(pageSize, 1, LARGEST_PAGE, "the size of a page");
  }

  public static EventFilter all() {
    return new EventFilter(
        EnumSet.allOf(EventStatus.class), null, null, null, null, null, null, null, 100);
  }

  public EventFilter status(EventStatus first, EventStatus... others) {
    return new EventFilter(
        EnumSet.of(first, others),
        type,
        queue,
        tag,
        createdFrom,
        createdTo,
        errorContains,
        before,
        pageSize);
  }

  public EventFilter type(EventType<?> wanted) {
    return new EventFilter(
        statuses,
        wanted.name(),
        queue,
        tag,
        createdFrom,
        createdTo,
        errorContains,
        before,
        pageSize);
  }

  public EventFilter queue(String wanted) {
    Event.requireQueue(wanted);
    return new EventFilter(
        statuses, type, wanted, tag, createdFrom, createdTo, errorContains, before, pageSize);
  }

  public EventFilter tag(String wanted) {
    Require.notBlank(wanted, "a tag");
    return new EventFilter(
        statuses, type, queue, wanted, createdFrom, createdTo, errorContains, before, pageSize);
  }

  public EventFilter createdFrom(Instant time) {
    Event.requireTime(time, "createdFrom");
    return new EventFilter(
        statuses, type, queue, tag, time, createdTo, errorContains, before, pageSize);
  }

  public EventFilter createdTo(Instant time) {
    Event.requireTime(time, "createdTo");
    return new EventFilter(
        statuses, type, queue, tag, createdFrom, time, errorContains, before, pageSize);
  }

  public EventFilter errorContains(String text) {
    Require.notBlank(text, "a part of an error");
    return new EventFilter(
        statuses, type, queue, tag, createdFrom, createdTo, text, before, pageSize);
  }

  /** The page behind this event. */
  public EventFilter before(EventId last) {
    return new EventFilter(
        statuses,
        type,
        queue,
        tag,
        createdFrom,
        createdTo,
        errorContains,
        Require.notNull(last, "before"),
        pageSize);
  }

  public EventFilter pageSize(int size) {
    return new EventFilter(
        statuses, type, queue, tag, createdFrom, createdTo, errorContains, before, size);
  }
}
