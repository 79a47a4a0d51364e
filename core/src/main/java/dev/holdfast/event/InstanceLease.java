package dev.holdfast.event;

import dev.holdfast.event.internal.EventStore;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * That this instance is alive: one row, renewed well before it runs out.
 *
 * <p>Its end is judged here by a monotonic clock that is read before each renewal is sent, and a
 * tenth early: so this instance stops before others take over, also when it was suspended or cannot
 * reach the database. A lease that has ended is never renewed: the next one is of a new instance.
 * Thread-safe.
 */
final class InstanceLease {
  private static final Logger LOG = LoggerFactory.getLogger(Worker.class);

  private final EventHome home;
  private final String name;
  private final Duration duration;
  private volatile Held held = new Held(0, 0);

  /** Which instance this is, and until when by {@link System#nanoTime()}; 0 is none. */
  private record Held(long instance, long untilNanos) {}

  InstanceLease(EventHome home, String name, Duration duration) {
    this.home = home;
    this.name = name;
    this.duration = duration;
  }

  /** The instance, or 0 where there is none now. */
  long instance() {
    Held now = held;
    return now.instance != 0 && now.untilNanos - System.nanoTime() > 0 ? now.instance : 0;
  }

  /** Whether this still is, or has become, an instance that is alive. */
  boolean isHeldBy(long instance) {
    return instance != 0 && instance() == instance;
  }

  /** Renews the lease, or begins a new one; answers whether the last one was lost. */
  boolean beat() {
    Held before = held;
    long asked = System.nanoTime();
    boolean alive = instance() != 0;
    EventStore store = home.store();
    boolean renewed =
        alive
            && home.step(
                () -> "renewing the lease of the instance " + before.instance,
                connection -> store.renew(connection, before.instance, duration));
    long instance =
        renewed
            ? before.instance
            : home.step(
                () -> "registering the instance " + name,
                connection -> store.register(connection, name, duration));
    boolean lost = before.instance != 0 && !renewed;
    if (lost) {
      LOG.warn(
          "the lease of the instance {} ({}) is lost; its handlers are cancelled, and it goes on as"
              + " {}",
          before.instance,
          name,
          instance);
    }
    held = new Held(instance, asked + duration.toNanos() * 9 / 10);
    return lost;
  }

  /** Ends the lease, so that others need not wait for it to run out. */
  void release() {
    Held last = held;
    held = new Held(0, 0);
    if (last.instance != 0) {
      home.step(
          () -> "ending the lease of the instance " + last.instance,
          connection -> {
            home.store().release(connection, last.instance);
            return true;
          });
    }
  }
}
