package dev.holdfast.event;

import dev.holdfast.internal.Excerpt;
import dev.holdfast.internal.Require;
import dev.holdfast.internal.event.EventArguments;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A durable unit of work to schedule: its type and payload, and when it is due.
 *
 * <pre>{@code
 * BIRTHDAY.event(new Birthday(42, "Ana")).at(nineOClockInMadrid).key("birthday-42-2026")
 * }</pre>
 *
 * <p>By default due at once, in the queue {@code default}, with priority 5. Immutable and
 * thread-safe: every option returns a copy.
 */
public final class Event<P> {
  private static final Pattern TAG = Pattern.compile("[^\\s\\p{Cntrl}]{1,100}");
  private static final int MAX_TAGS = 20;
  private static final int MAX_TAGS_LENGTH = 900;

  private final EventType<P> type;
  private final P payload;
  private final Options options;

  private Event(EventType<P> type, P payload, Options options) {
    this.type = type;
    this.payload = payload;
    this.options = options;
  }

  static <P> Event<P> of(EventType<P> type, P payload) {
    return new Event<>(type, payload, new Options());
  }

  /** An event of a template; the owner of the template makes sure that a key is used once. */
  Event<P> fromTemplate() {
    Options changed = options.copy();
    changed.fromTemplate = true;
    return with(changed);
  }

  /** Due at this time; one that is past is due at once, before those that are later. */
  public Event<P> at(Instant time) {
    EventArguments.requireTime(time, "the time at which '" + type + "' is due");
    Options changed = options.copy();
    changed.at = time;
    changed.delay = null;
    return with(changed);
  }

  /** Due after this delay, by the clock of the database. */
  public Event<P> delay(Duration delay) {
    EventArguments.requireDelay(delay, "the delay of '" + type + "'");
    Options changed = options.copy();
    changed.at = null;
    changed.delay = delay;
    return with(changed);
  }

  /**
   * Makes scheduling idempotent: of all events with this key, in the whole cluster, one is
   * scheduled, for as long as it is known, live or in the history. With several {@linkplain
   * dev.holdfast.Holdfast.Builder#shards shards}, an event that has another ordering key is
   * rejected when it is scheduled.
   */
  public Event<P> key(String key) {
    Options changed = options.copy();
    changed.key = EventArguments.requireKey(key, "the key");
    return with(changed);
  }

  /** What to do if the key is taken; {@link OnDuplicate#KEEP_EXISTING} by default. */
  public Event<P> onDuplicate(OnDuplicate mode) {
    Options changed = options.copy();
    changed.onDuplicate = Require.notNull(mode, "onDuplicate");
    return with(changed);
  }

  /**
   * What {@link OnDuplicate#REJECT_DIFFERENT} compares, in place of the type and the payload: all
   * that makes two requests of one key the same. It is stored as a hash.
   */
  public Event<P> fingerprint(String text) {
    Options changed = options.copy();
    changed.fingerprint = Require.notNull(text, "fingerprint");
    return with(changed);
  }

  /** The queue; queues have their own workers and limits. */
  public Event<P> queue(String queue) {
    Options changed = options.copy();
    changed.queue = EventArguments.requireQueue(queue);
    return with(changed);
  }

  /** From 0 to 9: of events that are due, those of a higher priority are first. */
  public Event<P> priority(int priority) {
    Options changed = options.copy();
    changed.priority = Require.between(priority, 0, 9, "the priority of an event");
    return with(changed);
  }

  /** Labels to filter by. */
  public Event<P> tags(String... tags) {
    List<String> all = List.of(Require.notNull(tags, "tags"));
    Require.between(all.size(), 0, MAX_TAGS, "the number of tags");
    for (String tag : all) {
      Require.that(
          TAG.matcher(tag).matches(),
          () -> "a tag must be 1 to 100 characters without spaces, was " + Excerpt.quoted(tag));
    }
    Require.between(String.join(" ", all).length(), 0, MAX_TAGS_LENGTH, "the length of all tags");
    Options changed = options.copy();
    changed.tags = all;
    return with(changed);
  }

  /**
   * If the event has not started by this time, it is cancelled. A deadline before the time of
   * {@link #at(Instant)} is rejected when the event is scheduled.
   */
  public Event<P> deadline(Instant deadlineAt) {
    EventArguments.requireTime(deadlineAt, "the deadline of '" + type + "'");
    Options changed = options.copy();
    changed.deadline = deadlineAt;
    return with(changed);
  }

  /** Events with the same ordering key run one at a time, in due order. */
  public Event<P> orderingKey(String orderingKey) {
    Options changed = options.copy();
    changed.orderingKey = EventArguments.requireKey(orderingKey, "the ordering key");
    return with(changed);
  }

  /**
   * The key by which its queue limits how many events run at once, such as a customer, a host or an
   * account: see {@link QueueLimit#perKey}. It has no effect without such a limit.
   */
  public Event<P> concurrencyKey(String concurrencyKey) {
    Options changed = options.copy();
    changed.concurrencyKey = EventArguments.requireKey(concurrencyKey, "the concurrency key");
    return with(changed);
  }

  public EventType<P> type() {
    return type;
  }

  public P payload() {
    return payload;
  }

  /** When it is due; null if that is at once or after a {@link #delay()}. */
  public @Nullable Instant at() {
    return options.at;
  }

  /** After which time it is due; null if that is at once or {@linkplain #at() at a time}. */
  public @Nullable Duration delay() {
    return options.delay;
  }

  public @Nullable String key() {
    return options.key;
  }

  public OnDuplicate onDuplicate() {
    return options.onDuplicate;
  }

  public @Nullable String fingerprint() {
    return options.fingerprint;
  }

  public String queue() {
    return options.queue;
  }

  public int priority() {
    return options.priority;
  }

  public List<String> tags() {
    return options.tags;
  }

  public @Nullable Instant deadline() {
    return options.deadline;
  }

  public @Nullable String orderingKey() {
    return options.orderingKey;
  }

  public @Nullable String concurrencyKey() {
    return options.concurrencyKey;
  }

  /** Whether it is an event of an {@link EventTemplate}, whose owner makes sure of its key. */
  public boolean isFromTemplate() {
    return options.fromTemplate;
  }

  private Event<P> with(Options changed) {
    return new Event<>(type, payload, changed);
  }

  @Override
  public String toString() {
    return "event '"
        + type
        + "' [queue="
        + options.queue
        + ", at="
        + options.at
        + ", delay="
        + options.delay
        + ", key="
        + options.key
        + ", deadline="
        + options.deadline
        + ", orderingKey="
        + options.orderingKey
        + ", concurrencyKey="
        + options.concurrencyKey
        + "]";
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

  /** Everything but type and payload. Changed only before the event that has it is returned. */
  private static final class Options {
    private @Nullable Instant at;
    private @Nullable Duration delay;
    private @Nullable String key;
    private OnDuplicate onDuplicate = OnDuplicate.KEEP_EXISTING;
    private @Nullable String fingerprint;
    private String queue = "default";
    private int priority = 5;
    private List<String> tags = List.of();
    private @Nullable Instant deadline;
    private @Nullable String orderingKey;
    private @Nullable String concurrencyKey;
    private boolean fromTemplate;

    Options copy() {
      Options copy = new Options();
      copy.at = at;
      copy.delay = delay;
      copy.key = key;
      copy.onDuplicate = onDuplicate;
      copy.fingerprint = fingerprint;
      copy.queue = queue;
      copy.priority = priority;
      copy.tags = tags;
      copy.deadline = deadline;
      copy.orderingKey = orderingKey;
      copy.concurrencyKey = concurrencyKey;
      copy.fromTemplate = fromTemplate;
      return copy;
    }
  }
}
