package dev.holdfast.spring;

import dev.holdfast.Holdfast;
import dev.holdfast.event.Worker;
import dev.holdfast.schedule.ScheduleRunner;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * The worker of an application, from its start to its stop, and what fires its schedules.
 *
 * <p>It is the last to be started and the first to be stopped: when the web server begins to drain,
 * nothing is claimed any more and every handler has come to its end, or was cancelled. Thread-safe.
 */
public final class HoldfastWorker implements SmartLifecycle {
  private static final Logger LOG = LoggerFactory.getLogger(HoldfastWorker.class);

  private final Holdfast holdfast;
  private final HoldfastProperties properties;
  private final List<HoldfastWorkerCustomizer> customizers;
  private volatile @Nullable Running running;

  private record Running(Worker worker, ScheduleRunner schedules) {}

  HoldfastWorker(
      Holdfast holdfast,
      HoldfastProperties properties,
      List<HoldfastWorkerCustomizer> customizers) {
    this.holdfast = holdfast;
    this.properties = properties;
    this.customizers = List.copyOf(customizers);
  }

  /** The worker, where one runs now. */
  public Optional<Worker> worker() {
    return Optional.ofNullable(running).map(Running::worker);
  }

  /** What fires the schedules, where it runs now. */
  public Optional<ScheduleRunner> schedules() {
    return Optional.ofNullable(running).map(Running::schedules);
  }

  /** Whether nobody has given it handlers, so that it is never started. */
  boolean hasNothingToDo() {
    return customizers.isEmpty();
  }

  @Override
  public synchronized void start() {
    if (running != null || hasNothingToDo()) {
      return;
    }
    Worker.Builder builder = holdfast.worker().keepHistory(properties.worker().keepHistory());
    String name = properties.instanceName();
    if (name != null) {
      builder.name(name);
    }
    customizers.forEach(customizer -> customizer.customize(builder));
    running = new Running(builder.start(), holdfast.schedules().start());
  }

  @Override
  public synchronized void stop() {
    Running stopping = running;
    if (stopping == null) {
      return;
    }
    running = null;
    stopping.schedules.close();
    if (!stopping.worker.stop(properties.worker().stopWithin())) {
      LOG.warn(
          "handlers that had not ended within {} were cancelled, and their events given back",
          properties.worker().stopWithin());
    }
  }

  @Override
  public boolean isRunning() {
    return running != null;
  }

  /** Above that of the web server, which begins to drain at {@code DEFAULT_PHASE - 1024}. */
  @Override
  public int getPhase() {
    return DEFAULT_PHASE;
  }
}
