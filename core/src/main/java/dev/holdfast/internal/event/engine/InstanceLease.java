package dev.holdfast.internal.event.engine;

import dev.holdfast.event.Worker;
import dev.holdfast.internal.event.store.EventStore;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lease of this instance: one row, renewed well before it expires.
 *
 * <p>Its end is judged here by a monotonic clock that is read when each renewal is sent, and a
 * tenth early: so this instance stops before others take over, also when it was suspended or cannot
 * reach the database. A lease that has ended is never renewed: the next one is of a new instance.
 * Thread-safe.
 */
final class InstanceLease {
  private static final Logger LOG = LoggerFactory.getLogger(Worker.class);

  /** If the gaps do not end, for how many leases in all it recovers nothing. */
  private static final int MAX_DELAYS = 4;

  private final EventBackend home;

  /** In a transaction that locks the row of the former instance, which must not last. */
  private final EventBackend registering;

  private final String name;
  private final Duration duration;
  private volatile Held held = new Held(0, 0);
  private volatile long pausedSinceNanos = System.nanoTime();
  private volatile long steadyFromNanos = System.nanoTime();
  private volatile long sentNanos = System.nanoTime();
  private volatile long answeredNanos = System.nanoTime();

  /** Only for the thread of the heartbeat. */
  private boolean missedFirst;

  /** Which instance this is, and until when by {@link System#nanoTime()}; 0 is none. */
  private record Held(long instance, long untilNanos) {}

  InstanceLease(EventBackend home, String name, Duration duration) {
    this.home = home;
    this.registering = home.with(home.transactions().idleTimeout(duration));
    this.name = name;
    this.duration = duration;
  }

  /** The instance, or 0 if there is none now. */
  long instance() {
    Held now = held;
    return now.instance != 0 && now.untilNanos - System.nanoTime() > 0 ? now.instance : 0;
  }

  /** Whether this still is, or has become, an instance that is alive. */
  boolean isHeldBy(long instance) {
    return instance != 0 && instance() == instance;
  }

  /**
   * Whether this instance may recover the events of others. During a gap in its own heartbeats it
   * may not, nor for the time of one lease after it, or after a first heartbeat that failed: what
   * has stopped its own, such as an outage of the database, may have stopped those of the others,
   * too, and they must get the chance to come back and store the results that they have. If there
   * is one gap after the other, as with a database that is always slow, it may after some leases
   * all the same.
   */
  boolean isSteady() {
    long now = System.nanoTime();
    return instance() != 0
        && (now - steadyFromNanos >= 0 || now - pausedSinceNanos > MAX_DELAYS * duration.toNanos())
        && !isGap(answeredNanos, now);
  }

  private boolean isGap(long from, long to) {
    return to - from > duration.toNanos() / 2;
  }

  /** How long ago the last heartbeat that succeeded was sent; at first, since this was made. */
  Duration sinceLastHeartbeat() {
    return Duration.ofNanos(System.nanoTime() - sentNanos);
  }

  /** Renews the lease, or registers a new instance; returns whether the last lease was lost. */
  boolean renew() {
    Held before = held;
    EventStore store = home.store();
    // when the statement is sent: before that it may have to wait for a connection
    long[] sent = new long[1];
    boolean renewed =
        instance() != 0
            && home.statement(
                () -> "renewing the lease of the instance " + before.instance,
                connection -> {
                  sent[0] = System.nanoTime();
                  return store.renew(connection, before.instance, duration);
                });
    long instance =
        renewed
            ? before.instance
            : registering.step(
                () -> "registering the instance " + name,
                connection -> {
                  if (before.instance != 0) {
                    store.release(connection, before.instance);
                  }
                  sent[0] = System.nanoTime();
                  return store.register(connection, name, duration);
                });
    boolean lost = before.instance != 0 && !renewed;
    if (lost) {
      LOG.warn(
          "worker-lease-lost: instance {} ({}) lost its lease; handlers cancelled, continuing as"
              + " instance {}",
          before.instance,
          name,
          instance);
    }
    if (missedFirst || isGap(sentNanos, sent[0])) {
      long now = System.nanoTime();
      if (now - steadyFromNanos >= 0) {
        pausedSinceNanos = now;
      }
      steadyFromNanos = now + duration.toNanos();
    }
    missedFirst = false;
    sentNanos = sent[0];
    answeredNanos = System.nanoTime();
    held = new Held(instance, sent[0] + duration.toNanos() * 9 / 10);
    return lost;
  }

  /** A heartbeat, or what has to be done before the first one, has failed. */
  void missed() {
    missedFirst = missedFirst || held.instance == 0;
  }

  /** Releases the lease, so that others need not wait until it expires. */
  void release() {
    Held last = held;
    held = new Held(0, 0);
    if (last.instance != 0) {
      home.statement(
          () -> "ending the lease of the instance " + last.instance,
          connection -> {
            home.store().release(connection, last.instance);
            return true;
          });
    }
  }
}
