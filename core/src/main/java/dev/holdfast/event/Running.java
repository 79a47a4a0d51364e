package dev.holdfast.event;

import dev.holdfast.event.internal.Claimed;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One event while its handler runs. Thread-safe. */
final class Running implements EventContext {
  /** Why a handler is to stop; the first reason counts. */
  enum Stop {
    CANCEL_REQUESTED,
    TIMEOUT,
    WORKER_STOPS,
    LEASE_LOST
  }

  final Claimed event;
  final HandlerSpec<?> spec;
  final long owner;
  final long startedNanos;

  private final InstanceLease lease;
  private final Thread thread;
  private @Nullable Stop stop;
  private boolean ended;

  Running(Claimed event, HandlerSpec<?> spec, long owner, InstanceLease lease) {
    this.event = event;
    this.spec = spec;
    this.owner = owner;
    this.lease = lease;
    this.thread = Thread.currentThread();
    this.startedNanos = System.nanoTime();
  }

  /** Asks the handler to stop, by the flag and an interrupt. */
  synchronized void stop(Stop reason) {
    if (!ended && stop == null) {
      stop = reason;
      thread.interrupt();
    }
  }

  synchronized @Nullable Stop stopReason() {
    return stop;
  }

  /**
   * Says that what becomes of the event is decided, and whether by this call. From then on nobody
   * interrupts the thread.
   */
  synchronized boolean decide() {
    boolean first = !ended;
    ended = true;
    return first;
  }

  Thread thread() {
    return thread;
  }

  @Override
  public EventId id() {
    return new EventId(event.shard(), event.id());
  }

  @Override
  public int version() {
    return event.version();
  }

  @Override
  public int attempt() {
    return event.attempts();
  }

  @Override
  public String type() {
    return event.type();
  }

  @Override
  public Instant dueAt() {
    return event.dueAt();
  }

  @Override
  public Optional<String> key() {
    return Optional.ofNullable(event.key());
  }

  @Override
  public List<String> tags() {
    return event.tags() == null ? List.of() : List.of(event.tags().trim().split(" "));
  }

  @Override
  public boolean isCancelled() {
    return stopReason() != null || !isOwned();
  }

  @Override
  public boolean isOwned() {
    return lease.isHeldBy(owner);
  }
}
