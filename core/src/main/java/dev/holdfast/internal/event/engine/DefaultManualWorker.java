package dev.holdfast.internal.event.engine;

import dev.holdfast.event.EventHandler;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventRecord;
import dev.holdfast.event.ManualWorker;
import dev.holdfast.internal.Require;
import dev.holdfast.internal.event.store.ClaimedEvent;
import dev.holdfast.internal.event.store.QueueControls;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A {@link ManualWorker}: the parts of a worker, called one after the other in the calling thread.
 */
final class DefaultManualWorker implements ManualWorker {
  private static final Duration MAX_LEASE = Duration.ofHours(1);
  private static final int LEASES_PER_CLEANING = 100;
  private final EventBackend home;
  private final InstanceLease lease;
  private final WorkerCounters stats;
  private final BatchCompleter completer;
  private final HandlerInvoker invoker;
  private final InstanceRecovery recovery;

  /** What the last handler has thrown; an async one may do so in another thread. */
  private volatile @Nullable Throwable thrown;

  private final InFlightEvents inFlight;
  private final Queue<EventClaimer> turns = new ArrayDeque<>();
  private final Queue<InFlightEvents.Held> claimed = new ArrayDeque<>();
  private final AtomicBoolean busy = new AtomicBoolean();
  private QueueControls controls = QueueControls.NONE;
  private long leases;

  DefaultManualWorker(EventBackend given, WorkerOptions settings) {
    EventBackend home = given.within(settings.networkTimeout());
    this.home = home;
    this.inFlight = new InFlightEvents(home.shards());
    this.lease = new InstanceLease(home, settings.name(), leaseOf(settings));
    this.stats = new WorkerCounters(home);
    this.completer =
        new BatchCompleter(
            home, completion -> inFlight.remove(completion.event()), new HealthIssues(), stats);
    this.invoker =
        new HandlerInvoker(home, settings, lease, completer, failure -> thrown = failure);
    this.recovery = new InstanceRecovery(home);
    for (String queue : new TreeSet<>(settings.queues().keySet())) {
      turns.add(new EventClaimer(queue, home, settings, lease, inFlight, () -> controls));
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
      lease.renew();
      controls = home.step(() -> "reading pauses and limits", home.store()::queueControls);
      InFlightEvents.@Nullable Held next = claimOne();
      if (next == null && recovery.recover()) {
        next = claimOne();
      }
      if (next == null) {
        releaseLease();
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
      claimed.addAll(inFlight.takeWaiting());
    }
    return claimed.poll();
  }

  private void startAndWait(InFlightEvents.Held next) {
    CompletableFuture<Boolean> ended = new CompletableFuture<>();
    invoker.start(next.event(), next.instance(), failure -> ended.complete(true));
    ended.join();
  }

  private Result handle(InFlightEvents.Held next) {
    ClaimedEvent event = next.event();
    thrown = null;
    if (invoker.isAsync(event.type())) {
      startAndWait(next);
    } else {
      invoker.handle(List.of(event), next.instance());
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
      // the engine does not interrupt the caller, so it was meant for more than this handler
      Thread.currentThread().interrupt();
    }
    return new Result(now, Optional.ofNullable(thrown));
  }

  /** Releases the lease: there is no heartbeat to renew it until the next call. */
  private void releaseLease() {
    stats.store(lease.instance());
    lease.release();
    if (leases++ % LEASES_PER_CLEANING == 0) {
      recovery.deleteExpiredInstances();
    }
  }
}
