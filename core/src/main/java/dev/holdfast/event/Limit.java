package dev.holdfast.event;

import dev.holdfast.internal.Require;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How much of a queue, of a type, or of each limit key of a queue may be done at once, by all
 * instances together; set by {@link Events#limit}.
 *
 * <pre>{@code
 * events.limit(Limit.queue("mail").concurrent(10).rate(100, Duration.ofMinutes(1)));
 * events.limit(Limit.type(EXPORT).concurrent(3));
 * events.limit(Limit.keys("mail").concurrent(1));
 * }</pre>
 *
 * <p>Guarantee: of all instances that know of the limit, never more than {@code concurrent} events
 * are claimed at once; they are counted, not added up, so nothing drifts. An event counts from its
 * claim until it has ended or is put back for a retry or a snooze, also while it waits for a thread
 * of its instance; those of an instance that died count until they are recovered. A rate counts
 * claims, so retries too: after a quiet time up to {@code amount} at once, and from then on evenly;
 * over any time never more than {@code amount} and what the time itself allows. Not guaranteed:
 * that what is running is stopped where a limit is set below it. Immutable and thread-safe.
 *
 * @param name of the queue or of the type
 * @param concurrent how many at once, null for any number
 * @param rate how many in a time, null for any number
 */
public record Limit(Kind kind, String name, @Nullable Integer concurrent, @Nullable Rate rate) {
  private static final int MOST = 1_000_000_000;
  private static final Duration SHORTEST = Duration.ofMillis(1);
  private static final Duration LONGEST = Duration.ofDays(31);

  /** What is limited. */
  public enum Kind {
    /** All events of a queue together. */
    QUEUE,
    /** All events of a type together, in whatever queues. */
    TYPE,
    /** The events of each limit key of a queue; those without one are not limited. */
    KEYS
  }

  /** So many in each period, and at most so many at once. */
  public record Rate(int amount, Duration period) {
    public Rate {
      Require.that(
          amount > 0, () -> "a rate must be at least 1, was " + amount + "; pause instead for 0");
      Require.between(amount, 1, MOST, "a rate");
      Require.between(period, SHORTEST, LONGEST, "the period of a rate");
    }
  }

  public Limit {
    Require.notNull(kind, "kind");
    if (kind == Kind.TYPE) {
      EventType.requireName(name);
    } else {
      Event.requireQueue(name);
    }
    Integer most = concurrent;
    if (most != null) {
      String of = kind + " '" + name + "'";
      Require.that(
          most > 0,
          () ->
              "a limit must be at least 1, was " + most + " (" + of + "); pause instead for none");
      Require.between(most, 1, MOST, "a limit");
    }
    Require.that(rate == null || kind == Kind.QUEUE, "a rate must be of a queue, was of " + kind);
  }

  /** All events of a queue together. */
  public static Limit queue(String queue) {
    return new Limit(Kind.QUEUE, queue, null, null);
  }

  /** All events of a type together, in whatever queues. */
  public static Limit type(EventType<?> type) {
    return new Limit(Kind.TYPE, Require.notNull(type, "type").name(), null, null);
  }

  /** The events of each {@link Event#limitKey} of a queue. */
  public static Limit keys(String queue) {
    return new Limit(Kind.KEYS, queue, null, null);
  }

  /** At most so many at once. */
  public Limit concurrent(int most) {
    return new Limit(kind, name, most, rate);
  }

  /** At most so many in each period, for queues. */
  public Limit rate(int amount, Duration period) {
    return new Limit(kind, name, concurrent, new Rate(amount, period));
  }
}
