package dev.holdfast.internal.event.engine;

import dev.holdfast.event.EventHandler;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventStatus;
import dev.holdfast.event.Worker;
import dev.holdfast.internal.event.store.ClaimedEvent;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides whether the handler of a claimed event is to be called. It may have waited in hands until
 * its deadline passed, and instances that died may have used up its attempts. Thread-safe.
 */
final class Beginning {
  private static final Logger LOG = LoggerFactory.getLogger(Worker.class);

  private final EventBackend home;
  private final int maxCrashes;
  private final BatchCompleter completer;

  Beginning(EventBackend home, int maxCrashes, BatchCompleter completer) {
    this.home = home;
    this.maxCrashes = maxCrashes;
    this.completer = completer;
  }

  /**
   * Whether its handler is to be called; where it is not, the completer knows what becomes of it.
   */
  boolean of(ClaimedEvent event, EventHandler<?> spec) {
    if (event.useless()) {
      completer.add(Completion.end(event, EventStatus.CANCELLED, "its deadline has passed"));
      return false;
    }
    int most = spec.retryPolicy().maxAttempts();
    if (event.attempts() > most) {
      String reason =
          "its attempts are used up: there are "
              + most
              + ", and in at least one of them its instance died or its policy allowed more";
      LOG.warn(
          "event-failed: event {} ({}) failed permanently: {}", id(event), event.type(), reason);
      completer.add(Completion.end(event, EventStatus.FAILED, reason));
      return false;
    }
    if (!spec.hasCrashLimit()) {
      return true;
    }
    int limit = spec.maxCrashes().orElse(maxCrashes);
    return event.crashes() >= limit ? mayGoOnAfterCrashes(event, limit) : begin(event, limit);
  }

  /** Where a crash would not let it fail, it is not noted that it was begun. */
  private boolean begin(ClaimedEvent event, int limit) {
    return (event.crashes() == 0 && limit > 1) || note(event);
  }

  /**
   * The first crash of an event is counted whether it was begun or not, unless that is noted of
   * each event; with a limit of one crash it is.
   */
  private boolean mayGoOnAfterCrashes(ClaimedEvent event, int limit) {
    try {
      if (limit == 1
          && !home.step(
              () -> "looking whether the event " + id(event) + " was begun before its crash",
              c -> home.store().crashedAfterBegin(c, event.shard(), event.id(), event.version()))) {
        return note(event);
      }
    } catch (RuntimeException e) {
      LOG.warn(
          "event-start-failed: could not start event {}; requeued: {}",
          id(event),
          HealthIssues.text(e));
      completer.add(Completion.giveBack(event));
      return false;
    }
    String reason =
        event.crashes() + " of " + limit + " crashes: the instance stopped while handling it";
    LOG.warn("event-failed: event {} ({}) failed permanently: {}", id(event), event.type(), reason);
    completer.add(Completion.end(event, EventStatus.FAILED, reason));
    return false;
  }

  private boolean note(ClaimedEvent event) {
    try {
      boolean ours =
          home.step(
              () -> "beginning the event " + id(event),
              connection ->
                  home.store().begin(connection, event.shard(), event.id(), event.version()));
      if (!ours) {
        LOG.warn(
            "event-lease-lost: event {} (version {}) not started; another instance owns it now",
            id(event),
            event.version());
        completer.lost(event);
      }
      return ours;
    } catch (RuntimeException e) {
      LOG.warn(
          "event-start-failed: could not start event {}; requeued: {}",
          id(event),
          HealthIssues.text(e));
      completer.add(Completion.giveBack(event));
      return false;
    }
  }

  private static EventId id(ClaimedEvent event) {
    return new EventId(event.shard(), event.id());
  }
}
