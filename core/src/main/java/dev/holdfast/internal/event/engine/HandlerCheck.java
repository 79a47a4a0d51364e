package dev.holdfast.internal.event.engine;

import dev.holdfast.event.EventStats;
import dev.holdfast.event.EventStats.UnhandledType;
import dev.holdfast.event.Worker;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Announces which types a worker handles in which queues, and checks from time to time whether
 * events of its queues are due that no instance handles: those are named in the log, once, and in
 * its health. For one thread.
 */
final class HandlerCheck {
  private static final Logger LOG = LoggerFactory.getLogger(Worker.class);
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(30);
  private static final int MAX_QUEUES = 100;
  private static final String EVERY_QUEUE = "*";

  private final EventBackend home;
  private final WorkerOptions settings;
  private final HealthIssues issues;
  private final EventStats stats;
  private Set<HealthIssue> known = Set.of();
  private long announced;
  private long nextNanos = System.nanoTime();

  HandlerCheck(EventBackend home, WorkerOptions settings, HealthIssues issues) {
    this.home = home;
    this.settings = settings;
    this.issues = issues;
    this.stats = new DefaultEventStats(home);
  }

  /** Announces what this instance handles if that is new, and checks if it is time to. */
  void run(long instance) {
    if (instance == 0) {
      return;
    }
    if (instance != announced) {
      Set<String> queues = new TreeSet<>(settings.queues().keySet());
      if (settings.everyQueue() > 0) {
        queues.add(EVERY_QUEUE);
      }
      home.step(
          () -> "announcing the handlers of the instance " + instance,
          connection -> {
            home.stats().announce(connection, instance, queues, settings.types());
            return true;
          });
      announced = instance;
    }
    if (System.nanoTime() - nextNanos >= 0) {
      check();
      nextNanos = System.nanoTime() + PAUSE_NANOS;
    }
  }

  private void check() {
    Set<HealthIssue> now = new HashSet<>();
    for (String queue : queues()) {
      for (UnhandledType type : stats.unhandled(queue)) {
        HealthIssue what =
            new HealthIssue(
                "event-handler-missing",
                "handling the type " + type.type() + " in the queue " + queue);
        now.add(what);
        String why = "no instance has a handler for it (" + type.due() + " due)";
        if (issues.failed(what, why)) {
          LOG.warn(
              "event-handler-missing: no instance has a handler for type '{}' in queue '{}'; {} due"
                  + " events stay pending until one has",
              type.type(),
              queue,
              type.due());
        }
      }
    }
    known.stream().filter(before -> !now.contains(before)).forEach(issues::over);
    known = now;
  }

  private Set<String> queues() {
    Set<String> all = new TreeSet<>(settings.queues().keySet());
    for (int shard = 0; settings.everyQueue() > 0 && shard < home.shards(); shard++) {
      int of = shard;
      all.addAll(
          home.call(
              () -> "looking for queues with due events",
              connection -> home.depths().waiting(connection, of, Duration.ZERO, MAX_QUEUES)));
    }
    return all;
  }
}
