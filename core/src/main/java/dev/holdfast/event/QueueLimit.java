package dev.holdfast.event;

import dev.holdfast.internal.Require;
import dev.holdfast.internal.event.EventArguments;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * How many events of a queue, of a type, or of each concurrency key of a queue may run at once, or
 * how often they may start, on all instances together; set by {@link Queues#setLimit}.
 *
 * <pre>{@code
 * queues.setLimit(QueueLimit.queue("mail").maxConcurrency(10).rateLimit(100, Duration.ofMinutes(1)));
 * queues.setLimit(QueueLimit.type(EXPORT).maxConcurrency(3));
 * queues.setLimit(QueueLimit.perKey("mail").maxConcurrency(1));
 * }</pre>
 *
 * <p>Guarantee: of all instances that know of the limit, never more than {@code maxConcurrency}
 * events are claimed at once; they are counted, not added up, so nothing drifts. An event counts
 * from its claim until it has ended or is requeued for a retry or a snooze, also while it waits for
 * a thread of its instance; those of an instance that died count until they are recovered. A rate
 * counts claims, so retries too: after a quiet time up to {@code count} at once, and from then on
 * evenly; over any time never more than {@code count} and what the time itself allows. Not
 * guaranteed: that what is running is stopped when a limit is set below it. Immutable and
 * thread-safe.
 *
 * @param target what is limited
 * @param maxConcurrency how many may run at once; empty for any number
 * @param rate how many may start in a time; empty for any number
 */
public record QueueLimit(Target target, OptionalInt maxConcurrency, Optional<Rate> rate) {
  private static final int MAX = 1_000_000_000;
  private static final Duration MIN_PERIOD = Duration.ofMillis(1);
  private static final Duration MAX_PERIOD = Duration.ofDays(31);

  /** The kinds of targets. */
  public enum Kind {
    /** All events of a queue together. */
    QUEUE,
    /** All events of a type together, in any queue. */
    TYPE,
    /** The events of each concurrency key of a queue; those without one are not limited. */
    KEY
  }

  /**
   * What is limited.
   *
   * @param name of the queue or of the type
   */
  public record Target(Kind kind, String name) {
    public Target {
      Require.notNull(kind, "kind");
      if (kind == Kind.TYPE) {
        EventArguments.requireType(name);
      } else {
        EventArguments.requireQueue(name);
      }
    }

    /** All events of a queue together. */
    public static Target queue(String queue) {
      return new Target(Kind.QUEUE, queue);
    }

    /** All events of a type together, in any queue. */
    public static Target type(EventType<?> type) {
      return new Target(Kind.TYPE, Require.notNull(type, "type").name());
    }

    /** The events of each {@link Event#concurrencyKey} of a queue. */
    public static Target perKey(String queue) {
      return new Target(Kind.KEY, queue);
    }

    @Override
    public String toString() {
      return kind + " '" + name + "'";
    }
  }

  /** A number of starts in each period, and at most that number at once. */
  public record Rate(int count, Duration period) {
    public Rate {
      Require.that(
          count > 0, () -> "a rate must be at least 1, was " + count + "; pause instead for 0");
      Require.between(count, 1, MAX, "a rate");
      Require.between(period, MIN_PERIOD, MAX_PERIOD, "the period of a rate");
    }
  }

  public QueueLimit {
    Require.notNull(target, "target");
    Require.notNull(maxConcurrency, "maxConcurrency");
    Require.notNull(rate, "rate");
    if (maxConcurrency.isPresent()) {
      int max = maxConcurrency.getAsInt();
      Target limited = target;
      Require.that(
          max > 0,
          () ->
              "a limit must be at least 1, was "
                  + max
                  + " ("
                  + limited
                  + "); pause instead for none");
      Require.between(max, 1, MAX, "a limit");
    }
    Require.that(
        rate.isEmpty() || target.kind() == Kind.QUEUE,
        "a rate must be of a queue, was of " + target);
  }

  /** All events of a queue together; without any limit yet. */
  public static QueueLimit queue(String queue) {
    return of(Target.queue(queue));
  }

  /** All events of a type together, in any queue; without any limit yet. */
  public static QueueLimit type(EventType<?> type) {
    return of(Target.type(type));
  }

  /** The events of each {@link Event#concurrencyKey} of a queue; without any limit yet. */
  public static QueueLimit perKey(String queue) {
    return of(Target.perKey(queue));
  }

  private static QueueLimit of(Target target) {
    return new QueueLimit(target, OptionalInt.empty(), Optional.empty());
  }

  /** Limits how many run at once, from 1 to 1000000000. */
  public QueueLimit maxConcurrency(int max) {
    return new QueueLimit(target, OptionalInt.of(max), rate);
  }

  /** Limits how many start in each period, from 1 ms to 31 days; for queues only. */
  public QueueLimit rateLimit(int count, Duration period) {
    return new QueueLimit(target, maxConcurrency, Optional.of(new Rate(count, period)));
  }
}
