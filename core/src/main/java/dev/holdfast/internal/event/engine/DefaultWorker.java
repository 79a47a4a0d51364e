package dev.holdfast.internal.event.engine;

import dev.holdfast.BackgroundService;
import dev.holdfast.Health;
import dev.holdfast.event.Worker;
import dev.holdfast.internal.Require;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A worker: an engine for each start, and the services that run along with it. Thread-safe. */
final class DefaultWorker implements Worker {
  static final Duration MAX_TIMEOUT = Duration.ofDays(7);

  private static final Logger LOG = LoggerFactory.getLogger(Worker.class);
  private final EventBackend home;
  private final WorkerOptions settings;
  private final Duration shutdownTimeout;
  private final List<BackgroundService> attached;
  private volatile @Nullable WorkerEngine engine;
  private boolean closed;

  DefaultWorker(
      EventBackend home,
      WorkerOptions settings,
      Duration shutdownTimeout,
      List<BackgroundService> attached) {
    this.home = home;
    this.settings = settings;
    this.shutdownTimeout = shutdownTimeout;
    this.attached = List.copyOf(attached);
  }

  @Override
  public String name() {
    return "worker";
  }

  @Override
  public synchronized void start() {
    if (closed) {
      throw new IllegalStateException("the worker is closed and cannot be started again");
    }
    if (engine == null) {
      WorkerEngine.requireConnections(home);
      WorkerEngine started = new WorkerEngine(home, settings);
      started.start();
      engine = started;
      attached.forEach(BackgroundService::start);
    }
  }

  @Override
  public synchronized boolean stop(Duration timeout) {
    Require.between(timeout, Duration.ZERO, MAX_TIMEOUT, "timeout");
    WorkerEngine stopping = engine;
    if (stopping == null) {
      return true;
    }
    long end = System.nanoTime() + timeout.toNanos() + WorkerEngine.GRACE_NANOS;
    // at the same time as the handlers: none of them may take the time of another
    List<Thread> others =
        attached.stream().map(service -> stopInBackground(service, timeout)).toList();
    boolean complete = stopping.stop(timeout);
    others.forEach(other -> WorkerEngine.join(other, end));
    engine = null;
    return complete;
  }

  private static Thread stopInBackground(BackgroundService service, Duration timeout) {
    Thread thread =
        WorkerThreads.platform("holdfast-stop-" + service.name())
            .newThread(
                () -> {
                  try {
                    if (!service.stop(timeout)) {
                      LOG.debug("{} did not stop within {}", service.name(), timeout);
                    }
                  } catch (RuntimeException | Error e) {
                    LOG.warn(
                        "service-stop-failed: stopping the {} failed; the worker stops without it",
                        service.name(),
                        e);
                  }
                });
    thread.start();
    return thread;
  }

  @Override
  public boolean isRunning() {
    return engine != null;
  }

  @Override
  public int inFlight() {
    WorkerEngine now = engine;
    return now == null ? 0 : now.inFlight();
  }

  @Override
  public Health health() {
    WorkerEngine now = engine;
    if (now == null) {
      return Health.stopped();
    }
    Health own = now.health();
    List<Health> others = attached.stream().map(DefaultWorker::health).toList();
    List<Health.Issue> issues =
        Stream.concat(Stream.of(own), others.stream())
            .flatMap(health -> health.issues().stream())
            .toList();
    Map<String, String> details = new LinkedHashMap<>(own.details());
    others.forEach(health -> details.putAll(health.details()));
    return own.status() == Health.Status.UP
        ? Health.running(issues, details)
        : new Health(own.status(), issues, details);
  }

  /** Without it events are handled all the same, so it is never worse than an issue. */
  private static Health health(BackgroundService service) {
    Health health = service.health();
    Map<String, String> details = new LinkedHashMap<>();
    details.put(service.name(), health.status().name().toLowerCase(Locale.ROOT));
    health.details().forEach((name, value) -> details.put(service.name() + "." + name, value));
    List<Health.Issue> issues = new ArrayList<>(health.issues());
    if (health.status() == Health.Status.STOPPED) {
      issues.add(
          new Health.Issue(
              "service-stopped",
              "the " + service.name() + " does not run although its worker does",
              Duration.ZERO));
    }
    return new Health(health.status(), issues, details);
  }

  @Override
  public synchronized void close() {
    closed = true;
    boolean unused = stop(shutdownTimeout);
    attached.forEach(BackgroundService::close);
  }

  @Override
  public String toString() {
    return "Worker[" + settings.name() + "]";
  }
}
