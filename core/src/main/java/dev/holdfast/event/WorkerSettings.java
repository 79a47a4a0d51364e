package dev.holdfast.event;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Everything that a worker was told, complete and checked. */
record WorkerSettings(
    String name,
    Map<String, HandlerSpec<?>> handlers,
    Map<String, Integer> queues,
    Duration lease,
    Duration poll,
    int mostCrashes,
    Duration keepHistory) {

  List<String> types() {
    return List.copyOf(handlers.keySet());
  }
}
