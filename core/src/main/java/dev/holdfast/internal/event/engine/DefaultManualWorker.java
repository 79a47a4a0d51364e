package dev.holdfast.internal.event.engine;

import dev.holdfast.event.EventHandler;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventRecord;
import dev.holdfast.event.ManualWorker;
import dev.holdfast.internal.Require;
import dev.holdfast.internal.event.store.ClaimedEvent;
import dev.holdfast.internal.event.store.StoredQueueControls;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** The implementation of {@link ManualWorker}. */
final class DefaultManualWorker implements ManualWorker {
  private static final Duration MAX_LEASE = Duration.ofHours(1);
  private static final int LEASES_PER_CLEANING = 100;
  private final EventBackend home;
  private final InstanceLease lease;
  private final WorkerCounters stats;
  private final BatchCompleter completer;
  private final HandlerInvoker execution;
  private final InstanceRecovery recovery;

  /** What the last handler has thrown; an async one may do so in another thread. */
  private volatile @Nullable Throwable thrown;

  private final InFlightEvents hands;
  private final Queue<EventClaimer> turns = new ArrayDeque<>();
  private final Queue<InFlightEvents.Held> claimed = new ArrayDeque<>();
  private final AtomicBoolean busy = new AtomicBoolean();
  private Pauses pauses = Pauses.NONE;
  private Limits limits = Limits.NONE;
  private long leases;

  DefaultManualWorker(EventBackend given, WorkerOptions settings) {
    EventBackend home = given.within(settings.networkTimeout());
    this.home = home;
    this.hands = new InFlightEvents(home.shards());
    this.lease = new InstanceLease(home, settings.name(), leaseOf(settings));
    this.stats = new WorkerCounters(home);
    this.completer =
        new BatchCompleter(
            home, finished -> hands.out(finished.event()), new HealthIssues(), stats);
    this.execution =
        new HandlerInvoker(home, settings, lease, completer, failure -> thrown = failure);
    this.recovery = new InstanceRecovery(home);
    for (String queue : new TreeSet<>(settings.queues().keySet())) {
      turns.add(new EventClaimer(queue, home, settings, lease, hands, () -> pauses, () -> limits));
    }
  }

  private static Duration leaseOf(WorkerOptions settings) {
    Duration longest = settings.lease();
    for (EventHandler<?> spec : settings.handlers().values()) {
      longest = spec.timeout().compareTo(longest) > 0 ? spec.timeout() : longest;
    }
    return longest.compareTo(MAX_LEASE) > 0 ? MAX_LEASE : longest;
  }

  @Override
  public Optional<Result> handleNext() {
    Require.that(
        busy.compareAndSet(false, true),
        "a manual worker must be called by one thread at a time, and not by a handler");
    try {
      // what could not be stored the last time
      completer.flush();
      lease.beat();
      StoredQueueControls orders =
          home.step(() -> "reading the orders", home.store()::standingOrders);
      pauses = Pauses.of(orders.paused());
      limits = Limits.of(orders.limits());
      InFlightEvents.@Nullable Held next = claimOne();
      if (next == null && recovery.recover()) {
        next = claimOne();
      }
      if (next == null) {
        rest();
        return Optional.empty();
      }
      return Optional.of(handle(next));
    } finally {
      busy.set(false);
    }
  }

  @Override
  public Optional<Duration> timeUntilNextDue() {
    Duration never = Duration.ofSeconds(Long.MAX_VALUE);
    Duration next = never;
    for (EventClaimer claimer : turns) {
      next = claimer.untilNextDue(next);
    }
    return next.equals(never) ? Optional.empty() : Optional.of(next);
  }

  private InFlightEvents.@Nullable Held claimOne() {
    for (int i = 0; i < turns.size() && claimed.isEmpty(); i++) {
      EventClaimer claimer = turns.remove();
      turns.add(claimer);
      // a handler may have scheduled something that comes before what was claimed last
      claimer.goToStart();
      claimer.claim(1, 1);
      claimed.addAll(hands.notBegun());
    }
    return claimed.poll();
  }

  private void beginAndWait(InFlightEvents.Held next) {
    CompletableFuture<Boolean> ended = new CompletableFuture<>();
    execution.begin(next.event(), next.owner(), failure -> ended.complete(true));
    ended.join();
  }

  private Result handle(InFlightEvents.Held next) {
    ClaimedEvent event = next.event();
    thrown = null;
    if (execution.isAsynchronous(event.type())) {
      beginAndWait(next);
    } else {
      execution.handle(List.of(event), next.owner());
    }
    completer.flush();
    EventId id = new EventId(event.shard(), event.id());
    EventRecord now =
        home.call(
                () -> "reading the event " + id,
                connection -> home.store().find(connection, event.shard(), event.id()))
            .orElseThrow(
                () -> new IllegalStateException("the event " + id + " was deleted meanwhile"));
    if (thrown instanceof InterruptedException) {
      // nobody of ours interrupts the caller, so it was meant for more than this handler
      Thread.currentThread().interrupt();
    }
    return new Result(now, Optional.ofNullable(thrown));
  }

  /** Without a lease: there is no heart to renew it until the next call. */
  private void rest() {
    stats.store(lease.instance());
    lease.release();
    if (leases++ % LEASES_PER_CLEANING == 0) {
      recovery.forgetInstances();
    }
  }
}
