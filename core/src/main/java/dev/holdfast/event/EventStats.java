package dev.holdfast.event;

import dev.holdfast.event.internal.DepthSql;
import dev.holdfast.event.internal.QueueDepths;
import dev.holdfast.event.internal.StatSql;
import dev.holdfast.internal.Require;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What workers have done, and how much there is to do: to look at, not to account with.
 *
 * <pre>{@code
 * holdfast.stats().series(Duration.ofHours(1), Duration.ofMinutes(1));
 * }</pre>
 *
 * <p>What was done is counted by the workers and stored a few times a minute, in a small table of
 * its own; nothing is counted when it is read. What an instance has counted since is lost when it
 * is killed, and counted twice where the answer of the database is lost. Events that somebody
 * cancels before they are claimed, and those that fail because their instances died, are not among
 * it. It is known for as long as the history is, and a week at most.
 *
 * <p>How much there is to do is counted by {@link #count()}, as seldom as it is dear, and read by
 * {@link #depth()}. The clock is the database's. Immutable and thread-safe.
 */
public final class EventStats {
  private static final Duration SHORTEST = Duration.ofMinutes(1);

  /** For how long it is known what was done. */
  static final Duration LONGEST = Duration.ofDays(7);

  private static final int MOST_FAILED = 1000;
  private static final int MOST_CANCELLED = 20_000;
  private static final int MOST_LOOKED_AT = 1000;

  private final EventHome home;
  private final DepthCount depthCount;

  EventStats(EventHome home) {
    this.home = home;
    this.depthCount = new DepthCount(home);
  }

  /** How much there was to do at a time. Queues without events are not among it. */
  public record Depth(Instant countedAt, List<QueueDepth> queues) {
    public Depth {
      queues = List.copyOf(queues);
    }
  }

  /**
   * What was done in the time until now, in steps, the oldest first: also those in which nothing
   * was. The first may be older than the window, and the last is not over.
   *
   * @param window a minute to a week
   * @param step whole minutes, not longer than the window
   */
  public List<StatsPoint> series(Duration window, Duration step) {
    Require.between(window, SHORTEST, LONGEST, "the window of a series");
    Require.between(step, SHORTEST, window, "the step of a series");
    Require.that(
        step.equals(step.truncatedTo(ChronoUnit.MINUTES)),
        () -> "the step of a series must be whole minutes, was " + step);
    return home.call(
        () -> "reading what was done",
        connection -> {
          Instant now = home.stats().now(connection);
          Instant first = floor(now.minus(window), step);
          return filled(first, now, step, home.stats().since(connection, first));
        });
  }

  private static List<StatsPoint> filled(
      Instant first, Instant now, Duration step, List<StatsPoint> known) {
    Map<Instant, StatsPoint> steps = new TreeMap<>();
    for (Instant at = first; !at.isAfter(now); at = at.plus(step)) {
      steps.put(at, StatsPoint.none(at));
    }
    for (StatsPoint point : known) {
      steps.computeIfPresent(floor(point.at(), step), (at, sum) -> sum.plus(point));
    }
    return new ArrayList<>(steps.values());
  }

  private static Instant floor(Instant time, Duration step) {
    long seconds = time.getEpochSecond();
    return Instant.ofEpochSecond(seconds - Math.floorMod(seconds, step.toSeconds()));
  }

  /**
   * The events that failed last within the time until now, the newest first, without what they
   * carry.
   *
   * @param most 1 to 1000
   */
  public List<FailedEvent> failed(Duration window, int most) {
    Require.between(window, SHORTEST, LONGEST, "the window of what failed");
    Require.between(most, 1, MOST_FAILED, "how many that failed");
    return home.call(
        () -> "reading what failed",
        connection -> {
          Instant from = home.stats().now(connection).minus(window);
          List<FailedEvent> all = new ArrayList<>();
          for (int shard = 0; shard < home.shards(); shard++) {
            all.addAll(home.stats().failed(connection, shard, from, most));
          }
          all.sort(Comparator.comparing(FailedEvent::endedAt).reversed());
          return List.copyOf(all.subList(0, Math.min(most, all.size())));
        });
  }

  /**
   * How many events were cancelled within the time until now, before or while they were processed,
   * as far as the history keeps them; more than {@value #MOST_CANCELLED} are not counted.
   */
  public long cancelled(Duration window) {
    Require.between(window, SHORTEST, LONGEST, "the window of what was cancelled");
    return home.call(
        () -> "counting what was cancelled",
        connection -> {
          Instant from = home.stats().now(connection).minus(window);
          long count = 0;
          for (int shard = 0; shard < home.shards() && count < MOST_CANCELLED; shard++) {
            int most = Math.toIntExact(MOST_CANCELLED - count);
            count += home.stats().cancelled(connection, shard, from, most);
          }
          return count;
        });
  }

  /**
   * A type of due events for which no live instance has a handler: they stay pending.
   *
   * @param due how many of them were seen
   */
  public record UnhandledType(String type, long due) {}

  /**
   * The types of due events of a queue for which no live instance has a handler, by name. Looks at
   * no more than a thousand due events of each shard. Empty also while it is not known what every
   * instance handles: one of an older version, or a worker that is driven by hand, does not tell.
   */
  public List<UnhandledType> unhandled(String queue) {
    Event.requireQueue(queue);
    return home.call(
        () -> "looking for events without a handler in the queue " + queue,
        connection -> {
          List<StatSql.Handled> handled = home.stats().handled(connection);
          if (handled.stream().anyMatch(StatSql.Handled::isUnknown)) {
            return List.of();
          }
          Map<String, Long> due = new TreeMap<>();
          for (int shard = 0; shard < home.shards(); shard++) {
            home.stats().dueTypes(connection, shard, queue, MOST_LOOKED_AT, due);
          }
          due.keySet().removeIf(type -> handled.stream().anyMatch(one -> one.fits(queue, type)));
          return due.entrySet().stream()
              .map(one -> new UnhandledType(one.getKey(), one.getValue()))
              .toList();
        });
  }

  /** How much there was to do when it was last counted; empty where it never was. Reads one row. */
  public Optional<Depth> depth() {
    return home.call(() -> "reading how much there is to do", home.depths()::last)
        .map(EventStats::told);
  }

  /** The instances of all workers on this database that are alive, or were a short time ago. */
  public List<InstanceRecord> instances() {
    return home.step(() -> "reading the instances", home.store()::instances);
  }

  private static Depth told(DepthSql.Counted counted) {
    return new Depth(counted.at(), QueueDepths.parse(counted.depths(), counted.at()));
  }

  /**
   * Counts how much there is to do, where it is time to and nobody else does; answers whether it
   * did. For a thread that can wait: it may take some seconds, and then gives up.
   *
   * <p>Guarantee: of all who call it at once, one counts; about every two seconds where that is
   * quick, and never more than a fiftieth of the time. It locks nothing that others need.
   */
  public boolean count() {
    return depthCount.count();
  }
}
