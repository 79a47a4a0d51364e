package dev.holdfast.event;

import dev.holdfast.event.internal.Claimed;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides whether the handler of a claimed event is to be called. It may have waited in hands until
 * its deadline passed, and instances that died may have used up its attempts. Thread-safe.
 */
final class Beginning {
  private static final Logger LOG = LoggerFactory.getLogger(Worker.class);

  private final EventHome home;
  private final int mostCrashes;
  private final Completer completer;

  Beginning(EventHome home, int mostCrashes, Completer completer) {
    this.home = home;
    this.mostCrashes = mostCrashes;
    this.completer = completer;
  }

  /**
   * Whether its handler is to be called; where it is not, the completer knows what becomes of it.
   */
  boolean of(Claimed event, HandlerSpec<?> spec) {
    if (event.useless()) {
      completer.add(Finished.end(event, EventStatus.CANCELLED, "its deadline has passed"));
      return false;
    }
    int most = spec.options().retries().mostAttempts();
    if (event.attempts() > most) {
      String reason =
          "its attempts are used up: there are "
              + most
              + ", and in at least one of them its instance died or its policy allowed more";
      LOG.warn("the event {} ({}) has failed for good: {}", id(event), event.type(), reason);
      completer.add(Finished.end(event, EventStatus.FAILED, reason));
      return false;
    }
    return isOrdinary(event) || note(event);
  }

  /** Where a crash would not let it fail, nobody needs to know whether it was begun. */
  private boolean isOrdinary(Claimed event) {
    return event.crashes() == 0 && mostCrashes > 1;
  }

  private boolean note(Claimed event) {
    try {
      boolean ours =
          home.step(
              () -> "beginning the event " + id(event),
              connection ->
                  home.store().begin(connection, event.shard(), event.id(), event.version()));
      if (!ours) {
        LOG.warn(
            "the event {} at version {} is not begun: it is not in the hands of this instance any"
                + " more",
            id(event),
            event.version());
        completer.forgotten(event);
      }
      return ours;
    } catch (RuntimeException e) {
      LOG.warn("the event {} could not be begun and is given back: {}", id(event), e.toString());
      completer.add(Finished.giveBack(event));
      return false;
    }
  }

  private static EventId id(Claimed event) {
    return new EventId(event.shard(), event.id());
  }
}
