package dev.holdfast.spring;

import dev.holdfast.BackgroundService;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Starts and stops all {@link BackgroundService} beans of an application.
 *
 * <p>They are the last to be started and the first to be stopped: when the web server begins to
 * drain, nothing is claimed or fired any more, and every handler has ended or was cancelled. They
 * stop at the same time, so each has the whole timeout. Thread-safe.
 */
final class HoldfastLifecycle implements SmartLifecycle {
  private static final Logger LOG = LoggerFactory.getLogger(HoldfastLifecycle.class);

  private final List<BackgroundService> services;
  private final Duration timeout;

  HoldfastLifecycle(Map<String, BackgroundService> services, Duration timeout) {
    this.services = List.copyOf(services.values());
    this.timeout = timeout;
  }

  @Override
  public synchronized void start() {
    services.forEach(BackgroundService::start);
  }

  @Override
  public synchronized void stop() {
    List<Thread> stopping = new ArrayList<>();
    for (BackgroundService service : services) {
      Thread thread = new Thread(() -> stop(service), "holdfast-stop-" + service.name());
      thread.setDaemon(true);
      thread.start();
      stopping.add(thread);
    }
    try {
      for (Thread thread : stopping) {
        // each keeps its own limit
        thread.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void stop(BackgroundService service) {
    try {
      if (!service.stop(timeout)) {
        LOG.warn(
            "service-stop-timeout: the {} did not stop within {}; its current work was interrupted"
                + " or continues in the background",
            service.name(),
            timeout);
      }
    } catch (RuntimeException | Error e) {
      LOG.error(
          "service-stop-failed: stopping the {} failed; shutdown continues", service.name(), e);
    }
  }

  @Override
  public boolean isRunning() {
    return services.stream().anyMatch(BackgroundService::isRunning);
  }

  /** Above that of the web server, which begins to drain at {@code DEFAULT_PHASE - 1024}. */
  @Override
  public int getPhase() {
    return DEFAULT_PHASE;
  }
}
