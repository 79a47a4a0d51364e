package dev.holdfast.internal.event.engine;

import dev.holdfast.BackgroundService;
import dev.holdfast.event.EventHandler;
import dev.holdfast.event.EventType;
import dev.holdfast.event.ManualWorker;
import dev.holdfast.event.Worker;
import dev.holdfast.internal.Require;
import dev.holdfast.internal.event.EventArguments;
import dev.holdfast.internal.event.InstanceName;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Checks the options of a worker. */
final class DefaultWorkerBuilder implements Worker.Builder {
  private static final Map<String, Integer> DEFAULT_QUEUES = Map.of("default", 16);
  private final EventBackend home;
  private final Supplier<BackgroundService> scheduling;
  private final Supplier<BackgroundService> cleanup;
  private final Map<String, EventHandler<?>> handlers = new LinkedHashMap<>();
  private final Map<String, Integer> queues = new LinkedHashMap<>();
  private boolean withDefaultQueue = true;
  private int allQueues;
  private String instanceName = InstanceName.ofThisProcess();
  private Duration leaseDuration = Duration.ofSeconds(15);
  private Duration pollInterval = Duration.ofSeconds(1);
  private int maxCrashes = 3;
  private Duration retention = Duration.ofDays(7);
  private Duration shutdownTimeout = Duration.ofSeconds(30);
  private boolean schedules = true;
  private boolean cleans = true;

  /**
   * @param scheduling makes the service that fires schedules
   * @param cleanup makes the service that deletes expired records
   */
  DefaultWorkerBuilder(
      EventBackend home,
      Supplier<BackgroundService> scheduling,
      Supplier<BackgroundService> cleanup) {
    this.home = home;
    this.scheduling = scheduling;
    this.cleanup = cleanup;
  }

  @Override
  public <P> Worker.Builder handle(EventType<P> type, EventHandler.Simple<P> body) {
    return handle(EventHandler.of(type, body));
  }

  @Override
  public Worker.Builder handle(EventHandler<?> handler) {
    String type = Require.notNull(handler, "handler").type().name();
    Require.that(
        !handlers.containsKey(type),
        () -> "each type must have one handler, '" + type + "' was given two");
    handlers.put(type, handler);
    return this;
  }

  @Override
  public Worker.Builder queues(Map<String, Integer> concurrency) {
    Require.notNull(concurrency, "concurrency");
    Require.that(!concurrency.isEmpty(), "queues must not be empty");
    Map<String, Integer> checked = new LinkedHashMap<>();
    concurrency.forEach(
        (queue, handlers) -> checked.put(requireQueue(queue), requireConcurrency(handlers)));
    queues.clear();
    queues.putAll(checked);
    withDefaultQueue = false;
    return this;
  }

  @Override
  public Worker.Builder queue(String queue, int concurrency) {
    queues.put(requireQueue(queue), requireConcurrency(concurrency));
    return this;
  }

  @Override
  public Worker.Builder allQueues(int concurrency) {
    allQueues = requireConcurrency(concurrency);
    return this;
  }

  private static String requireQueue(@Nullable String queue) {
    String name = Require.notNull(queue, "queue");
    return EventArguments.requireQueue(name);
  }

  private static int requireConcurrency(@Nullable Integer concurrency) {
    return Require.between(Require.notNull(concurrency, "concurrency"), 1, 10_000, "concurrency");
  }

  @Override
  public Worker.Builder instanceName(String name) {
    Require.notBlank(name, "name");
    Require.between(name.length(), 1, 200, "the length of the name");
    this.instanceName = name;
    return this;
  }

  @Override
  public Worker.Builder leaseDuration(Duration duration) {
    this.leaseDuration =
        Require.between(duration, Duration.ofMillis(500), Duration.ofHours(1), "leaseDuration");
    return this;
  }

  @Override
  public Worker.Builder pollInterval(Duration interval) {
    this.pollInterval =
        Require.between(interval, Duration.ofMillis(10), Duration.ofHours(1), "pollInterval");
    return this;
  }

  @Override
  public Worker.Builder maxCrashes(int max) {
    this.maxCrashes = Require.between(max, 1, 1000, "maxCrashes");
    return this;
  }

  @Override
  public Worker.Builder retention(Duration retention) {
    this.retention =
        Require.between(retention, Duration.ofMinutes(1), Duration.ofDays(3653), "retention");
    return this;
  }

  @Override
  public Worker.Builder shutdownTimeout(Duration timeout) {
    this.shutdownTimeout =
        Require.between(timeout, Duration.ZERO, DefaultWorker.MAX_TIMEOUT, "timeout");
    return this;
  }

  @Override
  public Worker.Builder scheduling(boolean enabled) {
    this.schedules = enabled;
    return this;
  }

  @Override
  public Worker.Builder cleanup(boolean enabled) {
    this.cleans = enabled;
    return this;
  }

  @Override
  public Worker build() {
    WorkerEngine.requireConnections(home);
    WorkerOptions options = settings();
    List<BackgroundService> attached = new ArrayList<>();
    if (schedules) {
      attached.add(scheduling.get());
    }
    if (cleans) {
      attached.add(cleanup.get());
    }
    return new DefaultWorker(home, options, shutdownTimeout, attached);
  }

  @Override
  public Worker start() {
    Worker worker = build();
    worker.start();
    return worker;
  }

  @Override
  public ManualWorker buildManual() {
    Require.that(allQueues == 0, "a manual worker must have named queues, had allQueues(…)");
    return new DefaultManualWorker(home, settings());
  }

  private WorkerOptions settings() {
    Require.that(!handlers.isEmpty(), "a worker must have a handler, had none");
    Map<String, Integer> all = new LinkedHashMap<>();
    if (withDefaultQueue && allQueues == 0) {
      all.putAll(DEFAULT_QUEUES);
    }
    all.putAll(queues);
    return new WorkerOptions(
        instanceName,
        Map.copyOf(handlers),
        Map.copyOf(all),
        allQueues,
        leaseDuration,
        pollInterval,
        maxCrashes,
        retention);
  }
}
