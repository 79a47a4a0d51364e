package dev.holdfast.event;

import dev.holdfast.internal.Require;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What workers have done, and how much there is to do: to look at, not to account with.
 *
 * <pre>{@code
 * holdfast.stats().timeSeries(Duration.ofHours(1), Duration.ofMinutes(1));
 * }</pre>
 *
 * <p>What was done is counted by the workers and stored a few times a minute, in a small table of
 * its own; nothing is counted when it is read. What an instance has counted since is lost when it
 * is killed, and counted twice if the response of the database is lost. Events that are cancelled
 * before they are claimed, and those that fail because their instances died, are not among it. It
 * is known for as long as the history is, and a week at most.
 *
 * <p>How much there is to do is counted by {@link #refreshQueueDepths()}, as seldom as it is dear,
 * and read by {@link #queueDepths()}. The clock is the database's. Immutable and thread-safe.
 */
public interface EventStats {
  /** The depths of all queues when they were counted. Queues without events are left out. */
  record Depths(Instant countedAt, List<QueueDepth> queues) {
    public Depths {
      queues = List.copyOf(queues);
    }
  }

  /**
   * How much there was to do in a queue when it was counted.
   *
   * @param pending not claimed, whenever they are due
   * @param due those of them that were due
   * @param processing claimed by an instance
   * @param oldestDueAge for how long the oldest of those was due; zero if none was
   */
  record QueueDepth(String queue, long pending, long due, long processing, Duration oldestDueAge) {}

  /**
   * An event that has failed, in short.
   *
   * @param error why; empty if that is not known
   */
  record Failure(EventId id, Instant endedAt, String queue, String type, String error) {}

  /**
   * What all workers have done from a time on, for a minute or another resolution.
   *
   * @param at when it begins
   * @param retried attempts that did not succeed and are to be repeated
   * @param lagCount of how many attempts it is known how late they were
   * @param lagTotal how late they were claimed after they were due, all together
   * @param lagMax how late the latest of them was
   */
  record Point(
      Instant at,
      long completed,
      long failed,
      long cancelled,
      long retried,
      long lagCount,
      Duration lagTotal,
      Duration lagMax) {

    /** One in which nothing was done. */
    public static Point empty(Instant at) {
      return new Point(at, 0, 0, 0, 0, 0, Duration.ZERO, Duration.ZERO);
    }

    /** How late the attempts were on average; zero if there were none. */
    public Duration lagAverage() {
      return lagCount == 0 ? Duration.ZERO : lagTotal.dividedBy(lagCount);
    }

    /** Both together, from the beginning of this one. */
    public Point plus(Point other) {
      Require.notNull(other, "other");
      return new Point(
          at,
          completed + other.completed,
          failed + other.failed,
          cancelled + other.cancelled,
          retried + other.retried,
          lagCount + other.lagCount,
          lagTotal.plus(other.lagTotal),
          lagMax.compareTo(other.lagMax) >= 0 ? lagMax : other.lagMax);
    }
  }

  /**
   * What was done in the time until now, in points of this resolution, the oldest first: also those
   * in which nothing was done. The first may be older than the window, and the last is not over.
   *
   * @param window a minute to a week
   * @param resolution whole minutes, not longer than the window
   */
  List<Point> timeSeries(Duration window, Duration resolution);

  /**
   * The events that failed last within the time until now, the newest first, without what they
   * carry.
   *
   * @param limit 1 to 1000
   */
  List<Failure> recentFailures(Duration window, int limit);

  /**
   * How many events were cancelled within the time until now, before or while they were processed,
   * as far as the history keeps them; more than {@value #MAX_CANCELLED} are not counted.
   */
  long cancelled(Duration window);

  /**
   * A type of due events for which no live instance has a handler: they stay pending.
   *
   * @param due how many of them were seen
   */
  record UnhandledType(String type, long due) {}

  /**
   * The types of due events of a queue for which no live instance has a handler, by name. Looks at
   * no more than a thousand due events of each shard. Empty also while it is not known what every
   * instance handles: one of an older version, or a manual worker, does not announce it.
   */
  List<UnhandledType> unhandled(String queue);

  /**
   * The depths of all queues as they were counted last; empty if they never were. Reads one row.
   */
  Optional<Depths> queueDepths();

  /** The instances of all workers on this database that are alive, or were a short time ago. */
  List<InstanceRecord> instances();

  /**
   * Counts the depths of all queues, unless they were counted a short time ago or another instance
   * counts them now. For a thread that can wait: it may take some seconds, and then gives up.
   *
   * <p>Guarantee: of all that call it at once, one counts; about every two seconds if that is
   * quick, and never more than a fiftieth of the time. It locks nothing that others need.
   */
  void refreshQueueDepths();
}
