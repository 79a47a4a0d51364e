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

  /** The first of its batch: what happens to the thread happens with this one. */
  final Running leader;

  private final InstanceLease lease;
  private final Thread thread;
  private @Nullable Stop stop;
  private @Nullable Stop stopAll;
  private boolean ended;

  Running(Claimed event, HandlerSpec<?> spec, long owner, InstanceLease lease) {
    this(event, spec, owner, lease, null);
  }

  Running(
      Claimed event,
      HandlerSpec<?> spec,
      long owner,
      InstanceLease lease,
      @Nullable Running leader) {
    this.event = event;
    this.spec = spec;
    this.owner = owner;
    this.lease = lease;
    this.thread = Thread.currentThread();
    this.startedNanos = System.nanoTime();
    this.leader = leader == null ? this : leader;
  }

  /**
   * Asks the handler to stop, by the flag and an interrupt; one of a batch that is to be cancelled
   * by the flag only, for the sake of the others. All other reasons are for the whole batch.
   */
  void stop(Stop reason) {
    if (reason != Stop.CANCEL_REQUESTED) {
      leader.stopAll(reason);
    } else {
      cancel();
    }
  }

  private synchronized void cancel() {
    if (!ended && stop == null && stopAll == null) {
      stop = Stop.CANCEL_REQUESTED;
      if (spec.most() == 1) {
        thread.interrupt();
      }
    }
  }

  private synchronized void stopAll(Stop reason) {
    boolean stopping = stopAll != null || (stop != null && spec.most() == 1);
    if (!ended && !stopping) {
      stopAll = reason;
      thread.interrupt();
    }
  }

  @Nullable Stop stopReason() {
    Stop own = ownStop();
    return own == null ? leader.stopOfAll() : own;
  }

  private synchronized @Nullable Stop ownStop() {
    return stop;
  }

  private synchronized @Nullable Stop stopOfAll() {
    return stopAll;
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
