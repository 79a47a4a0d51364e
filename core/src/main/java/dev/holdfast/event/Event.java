package dev.holdfast.event;

import dev.holdfast.internal.Excerpt;
import dev.holdfast.internal.Require;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One piece of work to schedule: its type and payload, when it is due, and who it is for.
 *
 * <pre>{@code
 * BIRTHDAY.event(new Birthday(42, "Ana")).at(nineOClockInMadrid).key("birthday-42-2026")
 * }</pre>
 *
 * <p>By default due at once, in the queue {@code default}, with priority 5. Immutable and
 * thread-safe: every setting makes a copy.
 */
public final class Event<P> {
  /** PostgreSQL, MariaDB and H2 can all keep and compare these. */
  private static final Instant FIRST = Instant.parse("1970-01-02T00:00:00Z");

  private static final Instant LAST = Instant.parse("9999-12-30T00:00:00Z");
  private static final Duration MAX = Duration.ofDays(36_525);
  private static final Pattern QUEUE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:-]{0,99}");
  private static final Pattern TAG = Pattern.compile("[^\\s\\p{Cntrl}]{1,100}");
  private static final int MAX_KEY_LENGTH = 300;
  private static final int MAX_TAGS = 20;
  private static final int MAX_TAGS_LENGTH = 900;

  private final EventType<P> type;
  private final P payload;
  private final EventOptions options;
  private final boolean ofTemplate;

  private Event(EventType<P> type, P payload, EventOptions options, boolean ofTemplate) {
    this.type = type;
    this.payload = payload;
    this.options = options;
    this.ofTemplate = ofTemplate;
  }

  static <P> Event<P> of(EventType<P> type, P payload) {
    return new Event<>(type, payload, EventOptions.DEFAULT, false);
  }

  /** As one of a template: whoever has that sees to it that a key is given once. */
  Event<P> ofTemplate() {
    return new Event<>(type, payload, options, true);
  }

  /** Whether nothing but its key keeps it from being scheduled twice. */
  boolean isKeptByItsKey() {
    return options.key() != null && !ofTemplate;
  }

  /** Due at this time; one that is past is due at once, before those that are later. */
  public Event<P> at(Instant time) {
    requireTime(time, "the time at which '" + type + "' is due");
    return with(options.due(time, null));
  }

  /** Due after this delay, by the clock of the database. */
  public Event<P> delay(Duration delay) {
    requireDelay(delay, "the delay of '" + type + "'");
    return with(options.due(null, delay));
  }

  /**
   * Makes scheduling idempotent: of all events with this key, in the whole cluster, one is
   * scheduled, for as long as it is known, live or in the history. With several {@linkplain
   * dev.holdfast.Holdfast#shards shards}, one that has another ordering key is refused when it is
   * scheduled.
   */
  public Event<P> key(String key) {
    return with(options.key(requireKey(key, "the key")));
  }

  /** What to do if the key is taken; {@link OnDuplicate#KEEP_EXISTING} by default. */
  public Event<P> onDuplicate(OnDuplicate mode) {
    return with(options.onDuplicate(Require.notNull(mode, "onDuplicate")));
  }

  /**
   * What {@link OnDuplicate#REJECT_DIFFERENT} compares, in place of the type and the payload: all
   * that makes two requests of one key the same. It is kept as a hash.
   */
  public Event<P> fingerprint(String text) {
    return with(options.fingerprint(Require.notNull(text, "fingerprint")));
  }

  /** The queue; queues have their own workers and limits. */
  public Event<P> queue(String queue) {
    requireQueue(queue);
    return with(options.queue(queue));
  }

  static void requireQueue(@Nullable String queue) {
    String given = Require.notNull(queue, "the name of a queue");
    Require.that(
        QUEUE.matcher(given).matches(),
        () ->
            "the name of a queue must be 1 to 100 letters, digits and . _ : -, was "
                + Excerpt.quoted(given));
  }

  /** From 0 to 9: of events that are due, those of a higher priority are first. */
  public Event<P> priority(int priority) {
    return with(options.priority(Require.between(priority, 0, 9, "the priority of an event")));
  }

  /** Words to find it by. */
  public Event<P> tags(String... tags) {
    List<String> all = List.of(Require.notNull(tags, "tags"));
    Require.between(all.size(), 0, MAX_TAGS, "the number of tags");
    for (String tag : all) {
      Require.that(
          TAG.matcher(tag).matches(),
          () -> "a tag must be 1 to 100 characters without spaces, was " + Excerpt.quoted(tag));
    }
    Require.between(String.join(" ", all).length(), 0, MAX_TAGS_LENGTH, "the length of all tags");
    return with(options.tags(all));
  }

  /**
   * From this time on it is useless: where it has not begun by then, it is cancelled. One that is
   * before the time of {@link #at} is refused when the event is scheduled.
   */
  public Event<P> deadline(Instant deadlineAt) {
    requireTime(deadlineAt, "the deadline of '" + type + "'");
    return with(options.uselessAt(deadlineAt));
  }

  /** Events with the same ordering key run one at a time, in due order. */
  public Event<P> orderingKey(String orderingKey) {
    return with(options.orderingKey(requireKey(orderingKey, "the ordering key")));
  }

  /**
   * The key by which its queue limits how many events run at once, such as a customer, a host or an
   * account: see {@link QueueLimit#perKey}. It has no effect without such a limit.
   */
  public Event<P> concurrencyKey(String concurrencyKey) {
    return with(options.limitKey(requireKey(concurrencyKey, "the concurrency key")));
  }

  public EventType<P> type() {
    return type;
  }

  public P payload() {
    return payload;
  }

  EventOptions options() {
    return options;
  }

  /** Refuses what contradicts itself; known only when all of it was said. */
  void requireSensible() {
    Instant due = options.at();
    Instant uselessAt = options.uselessAt();
    Require.that(
        due == null || uselessAt == null || !uselessAt.isBefore(due),
        () ->
            "the deadline of '"
                + type
                + "' must not be before it is due at "
                + due
                + ", was "
                + uselessAt);
  }

  private Event<P> with(EventOptions changed) {
    return new Event<>(type, payload, changed, ofTemplate);
  }

  static void requireTime(@Nullable Instant time, String what) {
    Instant given = Require.notNull(time, what);
    Require.that(
        !given.isBefore(FIRST) && !given.isAfter(LAST),
        () -> what + " must be from " + FIRST + " to " + LAST + ", was " + given);
  }

  static void requireDelay(@Nullable Duration delay, String what) {
    Require.between(Require.notNull(delay, what), Duration.ZERO, MAX, what);
  }

  static String requireKey(@Nullable String key, String what) {
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
        given.codePoints().noneMatch(Event::isUnkeepable),
        () ->
            what
                + " of an event must have no control characters and no single surrogates, was '"
                + given
                + "'");
    return given;
  }

  private static boolean isUnkeepable(int codePoint) {
    return Character.isISOControl(codePoint) || Character.getType(codePoint) == Character.SURROGATE;
  }

  @Override
  public String toString() {
    return "event '" + type + "' " + options;
  }

  /** What to do about an event whose key is taken. */
  public enum OnDuplicate {
    /** Keeps the first event as it is. */
    KEEP_EXISTING,
    /** Replaces the first event as long as it is pending; keeps it after that. */
    REPLACE_PENDING,
    /** As {@link #KEEP_EXISTING}, but reports whether the type or the payload is another one. */
    REJECT_DIFFERENT
  }
}
