package dev.holdfast.spring;

import dev.holdfast.Holdfast;
import dev.holdfast.InvalidArgumentException;
import dev.holdfast.event.Worker;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * The worker of an application, from its start to its stop.
 *
 * <p>It is the last to be started and the first to be stopped: when the web server begins to drain,
 * nothing is claimed any more and every handler has come to its end, or was cancelled. Thread-safe.
 */
public final class HoldfastWorker implements SmartLifecycle {
  private static final Logger LOG = LoggerFactory.getLogger(HoldfastWorker.class);

  private final Holdfast holdfast;
  private final HoldfastProperties properties;
  private final List<HoldfastWorkerCustomizer> customizers;
  private volatile @Nullable Worker running;

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
    return Optional.ofNullable(running);
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
    try {
      running = builder.start();
    } catch (InvalidArgumentException e) {
      throw new WorkerStartException(e);
    }
  }

  @Override
  public synchronized void stop() {
    Worker stopping = running;
    if (stopping == null) {
      return;
    }
    running = null;
    if (!stopping.stop(properties.worker().stopWithin())) {
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
