package dev.holdfast.internal.event.engine;

import dev.holdfast.event.EventStats;
import dev.holdfast.event.InstanceRecord;
import dev.holdfast.internal.Require;
import dev.holdfast.internal.event.EventArguments;
import dev.holdfast.internal.event.store.QueueDepthFormat;
import dev.holdfast.internal.event.store.QueueDepthStatements;
import dev.holdfast.internal.event.store.StatsStatements;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** {@link EventStats} on the tables of Holdfast. */
final class DefaultEventStats implements EventStats {
  private static final Duration MIN = Duration.ofMinutes(1);

  /** For how long it is known what was done. */
  static final Duration MAX = Duration.ofDays(7);

  private static final int MAX_FAILED = 1000;
  private static final int MAX_CANCELLED = 20_000;
  private static final int MAX_EXAMINED = 1000;
  private final EventBackend home;
  private final QueueDepthSampler depthCount;

  DefaultEventStats(EventBackend home) {
    this.home = home;
    this.depthCount = new QueueDepthSampler(home);
  }

  @Override
  public List<Point> timeSeries(Duration window, Duration resolution) {
    Require.between(window, MIN, MAX, "the window of a time series");
    Require.between(resolution, MIN, window, "the resolution of a time series");
    Require.that(
        resolution.equals(resolution.truncatedTo(ChronoUnit.MINUTES)),
        () -> "the resolution of a time series must be whole minutes, was " + resolution);
    return home.call(
        () -> "reading what was done",
        connection -> {
          Instant now = home.stats().now(connection);
          Instant first = floor(now.minus(window), resolution);
          return filled(first, now, resolution, home.stats().since(connection, first));
        });
  }

  private static List<Point> filled(Instant first, Instant now, Duration step, List<Point> known) {
    Map<Instant, Point> steps = new TreeMap<>();
    for (Instant at = first; !at.isAfter(now); at = at.plus(step)) {
      steps.put(at, Point.empty(at));
    }
    for (Point point : known) {
      steps.computeIfPresent(floor(point.at(), step), (at, sum) -> sum.plus(point));
    }
    return new ArrayList<>(steps.values());
  }

  private static Instant floor(Instant time, Duration step) {
    long seconds = time.getEpochSecond();
    return Instant.ofEpochSecond(seconds - Math.floorMod(seconds, step.toSeconds()));
  }

  @Override
  public List<Failure> recentFailures(Duration window, int limit) {
    Require.between(window, MIN, MAX, "the window of what failed");
    Require.between(limit, 1, MAX_FAILED, "how many that failed");
    return home.call(
        () -> "reading what failed",
        connection -> {
          Instant from = home.stats().now(connection).minus(window);
          List<Failure> all = new ArrayList<>();
          for (int shard = 0; shard < home.shards(); shard++) {
            all.addAll(home.stats().failed(connection, shard, from, limit));
          }
          all.sort(Comparator.comparing(Failure::endedAt).reversed());
          return List.copyOf(all.subList(0, Math.min(limit, all.size())));
        });
  }

  @Override
  public long cancelled(Duration window) {
    Require.between(window, MIN, MAX, "the window of what was cancelled");
    return home.call(
        () -> "counting what was cancelled",
        connection -> {
          Instant from = home.stats().now(connection).minus(window);
          long count = 0;
          for (int shard = 0; shard < home.shards() && count < MAX_CANCELLED; shard++) {
            int most = Math.toIntExact(MAX_CANCELLED - count);
            count += home.stats().cancelled(connection, shard, from, most);
          }
          return count;
        });
  }

  @Override
  public List<UnhandledType> unhandled(String queue) {
    EventArguments.requireQueue(queue);
    return home.call(
        () -> "looking for events without a handler in the queue " + queue,
        connection -> {
          List<StatsStatements.Handled> handled = home.stats().handled(connection);
          if (handled.stream().anyMatch(StatsStatements.Handled::isUnknown)) {
            return List.of();
          }
          Map<String, Long> due = new TreeMap<>();
          for (int shard = 0; shard < home.shards(); shard++) {
            home.stats().dueTypes(connection, shard, queue, MAX_EXAMINED, due);
          }
          due.keySet().removeIf(type -> handled.stream().anyMatch(one -> one.fits(queue, type)));
          return due.entrySet().stream()
              .map(one -> new UnhandledType(one.getKey(), one.getValue()))
              .toList();
        });
  }

  @Override
  public Optional<Depths> queueDepths() {
    return home.call(() -> "reading how much there is to do", home.depths()::last)
        .map(DefaultEventStats::told);
  }

  @Override
  public List<InstanceRecord> instances() {
    return home.step(() -> "reading the instances", home.store()::instances);
  }

  private static Depths told(QueueDepthStatements.Counted counted) {
    return new Depths(counted.at(), QueueDepthFormat.parse(counted.depths(), counted.at()));
  }

  @Override
  public void refreshQueueDepths() {
    depthCount.count();
  }
}
