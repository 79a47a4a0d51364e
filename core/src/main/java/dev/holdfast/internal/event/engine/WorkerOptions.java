package dev.holdfast.internal.event.engine;

import dev.holdfast.event.EventHandler;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * All options of a worker, checked.
 *
 * @param everyQueue how many at a time of each queue that is not named; 0 if it ignores those
 */
record WorkerOptions(
    String name,
    Map<String, EventHandler<?>> handlers,
    Map<String, Integer> queues,
    int everyQueue,
    Duration lease,
    Duration poll,
    int maxCrashes,
    Duration keepHistory) {
  private static final Duration MIN_NETWORK_TIMEOUT = Duration.ofSeconds(2);
  private static final Duration MIN_HEARTBEAT_TIMEOUT = Duration.ofSeconds(1);

  /** How long its statements wait for a response of the server; those that take long have more. */
  Duration networkTimeout() {
    return lease.compareTo(MIN_NETWORK_TIMEOUT) < 0 ? MIN_NETWORK_TIMEOUT : lease;
  }

  /** How long a heartbeat waits: so that another can succeed before the lease expires. */
  Duration heartbeatTimeout() {
    Duration third = lease.dividedBy(3);
    return third.compareTo(MIN_HEARTBEAT_TIMEOUT) < 0 ? MIN_HEARTBEAT_TIMEOUT : third;
  }

  /** How many events the largest batch of a handler takes. */
  int maxBatchSize() {
    return handlers.values().stream().mapToInt(EventHandler::maxBatchSize).max().orElse(1);
  }

  /** How many events of a type one call of its handler takes. */
  int most(String type) {
    EventHandler<?> spec = handlers.get(type);
    return spec == null ? 1 : spec.maxBatchSize();
  }

  /** How many of its handlers are async. */
  long asynchronous() {
    return handlers.values().stream()
        .filter(spec -> spec.body() instanceof EventHandler.Body.Asynchronous)
        .count();
  }

  List<String> types() {
    return List.copyOf(handlers.keySet());
  }
}
