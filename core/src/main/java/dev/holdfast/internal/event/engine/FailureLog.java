package dev.holdfast.internal.event.engine;

import dev.holdfast.event.EventId;
import dev.holdfast.event.Worker;
import dev.holdfast.internal.Excerpt;
import dev.holdfast.internal.event.store.ClaimedEvent;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs events that have failed and are not retried: the first of a queue soon, then one line a
 * minute for each queue, however many there are. Thread-safe.
 */
final class FailureLog {
  private static final Logger LOG = LoggerFactory.getLogger(Worker.class);
  private static final long PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final int MAX_ERROR_LENGTH = 200;

  private final Map<String, Failures> byQueue = new HashMap<>();

  private static final class Failures {
    private long count;
    private String last = "";
    private @Nullable Long loggedNanos;
  }

  synchronized void add(ClaimedEvent event, @Nullable String error) {
    Failures failures = byQueue.computeIfAbsent(event.queue(), ignored -> new Failures());
    failures.count++;
    failures.last =
        "%s of the type %s: %s"
            .formatted(
                new EventId(event.shard(), event.id()),
                event.type(),
                error == null ? "no error is known" : Excerpt.of(error, MAX_ERROR_LENGTH));
  }

  /** Logs the queues for which it is time. */
  synchronized void log() {
    byQueue.forEach(
        (queue, failures) -> {
          Long logged = failures.loggedNanos;
          long now = System.nanoTime();
          if (failures.count > 0 && (logged == null || now - logged >= PAUSE_NANOS)) {
            LOG.warn(
                "event-failed: {} event{} of queue '{}' failed permanently; no further retries, the"
                    + " last was {}",
                failures.count,
                failures.count == 1 ? "" : "s",
                queue,
                failures.last);
            failures.count = 0;
            failures.loggedNanos = now;
          }
        });
  }
}
