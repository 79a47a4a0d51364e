package dev.holdfast.internal.event.engine;

import dev.holdfast.event.EventContext;
import dev.holdfast.event.EventHandler;
import dev.holdfast.event.EventId;
import dev.holdfast.event.Outcome;
import dev.holdfast.internal.event.store.ClaimedEvent;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** One event while its handler runs. Thread-safe. */
final class HandlerExecution implements EventContext {
  /** Why a handler is to stop; the first reason counts. */
  enum Stop {
    CANCEL_REQUESTED,
    TIMEOUT,
    WORKER_STOPS,
    LEASE_LOST
  }

  final ClaimedEvent event;
  final EventHandler<?> handler;
  final long instance;
  final long startedNanos;

  /** The first of its batch: what happens to the thread happens with this one. */
  final HandlerExecution leader;

  private final InstanceLease lease;
  private final Thread thread;
  private @Nullable CompletionStage<?> stage;
  private @Nullable Stop stop;
  private @Nullable Stop stopAll;
  private boolean ended;

  /** What a batch handler has decided of this event; from the end of its handler on it is final. */
  private @Nullable Outcome decided;

  private boolean outcomeIsFinal;

  HandlerExecution(
      ClaimedEvent event, EventHandler<?> handler, long instance, InstanceLease lease) {
    this(event, handler, instance, lease, null);
  }

  HandlerExecution(
      ClaimedEvent event,
      EventHandler<?> handler,
      long instance,
      InstanceLease lease,
      @Nullable HandlerExecution leader) {
    this.event = event;
    this.handler = handler;
    this.instance = instance;
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

  private void cancel() {
    CompletionStage<?> toCancel;
    synchronized (this) {
      if (ended || stop != null || stopAll != null) {
        return;
      }
      stop = Stop.CANCEL_REQUESTED;
      toCancel = handler.maxBatchSize() == 1 ? interrupt() : null;
    }
    cancel(toCancel);
  }

  private void stopAll(Stop reason) {
    CompletionStage<?> toCancel;
    synchronized (this) {
      boolean stopping = stopAll != null || (stop != null && handler.maxBatchSize() == 1);
      if (ended || stopping) {
        return;
      }
      stopAll = reason;
      toCancel = interrupt();
    }
    cancel(toCancel);
  }

  /** Interrupts its thread, or returns what is to be cancelled instead, without the lock. */
  private @Nullable CompletionStage<?> interrupt() {
    if (stage == null) {
      thread.interrupt();
    }
    return stage;
  }

  private static void cancel(@Nullable CompletionStage<?> stage) {
    try {
      if (stage != null) {
        stage.toCompletableFuture().cancel(true);
      }
    } catch (UnsupportedOperationException e) {
      // it cannot be cancelled, and is abandoned if it does not end
    }
  }

  /** From now on this is cancelled instead of an interrupt of the thread. */
  void runsAs(CompletionStage<?> stage) {
    boolean stopped;
    synchronized (this) {
      this.stage = stage;
      stopped = stop != null || stopAll != null;
    }
    if (stopped) {
      cancel(stage);
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
   * Marks the outcome of the event as decided, and returns whether this call did. From then on the
   * thread is not interrupted.
   */
  synchronized boolean decide() {
    boolean first = !ended;
    ended = true;
    return first;
  }

  /** Decides what happens to this event of a batch, whatever happens to the batch. */
  synchronized void outcome(Outcome outcome) {
    if (outcomeIsFinal) {
      throw new IllegalStateException(
          "the handler of the event " + id() + " has ended: its outcome came too late");
    }
    decided = outcome;
  }

  /** What was decided by {@link #outcome}, or null. Later decisions are rejected. */
  synchronized @Nullable Outcome finalOutcome() {
    outcomeIsFinal = true;
    return decided;
  }

  /** What the handler runs in. */
  synchronized String body() {
    return stage == null ? "its thread " + thread.getName() : "its stage";
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
    return lease.isHeldBy(instance);
  }
}
