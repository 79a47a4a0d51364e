package dev.holdfast.event;

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

/**
 * A worker without threads: each call handles one due event in the calling thread. For tests, and
 * for programs that do what is due and end.
 *
 * <pre>{@code
 * ManualWorker worker = holdfast.worker().handle(BIRTHDAY, handler).buildManual();
 * while (worker.handleNext().isPresent()) {
 *   // until nothing is due
 * }
 * }</pre>
 *
 * <p>Guarantee: claims, versions, retries, outcomes and transactions are those of a {@link Worker};
 * any number of both may run on one database. What became of an event is stored when the call
 * returns. Within a queue events are handled in the order of priority and due time, also those that
 * a handler has just scheduled; queues take turns, in the order of their names. It has a lease from
 * the first event on until nothing is due.
 *
 * <p>Not guaranteed: nobody watches over the handlers, so their time limit and {@link
 * Events#requestCancellation} do not interrupt them. The lease is renewed between events only; it
 * is as long as the longest time limit of a handler, if that is longer than the one that was set,
 * and at most an hour. A handler that takes longer may find its event in the hands of another
 * worker, and its result is refused then.
 *
 * <p>Uses up to two connections at a time. For one thread at a time; a handler must not call it.
 */
public final class ManualWorker {
  /**
   * The result of one call.
   *
   * @param event the event afterwards: {@code COMPLETED}, {@code FAILED} or {@code CANCELLED}, or
   *     {@code PENDING} again with the time at which it is due next; still {@code PROCESSING} only
   *     if another worker has claimed it meanwhile
   * @param failure what the handler has thrown; empty if it returned or was not called
   */
  public record Result(EventRecord event, Optional<Throwable> failure) {
    /** A summary for the message of a test. */
    @Override
    public String toString() {
      return event.type()
          + (event.key() == null ? " " + event.id() : " '" + event.key() + "'")
          + " attempt "
          + event.attempts()
          + ": "
          + event.status()
          + (event.status() == EventStatus.PENDING ? ", due " + event.dueAt() : "")
          + (event.error() == null ? "" : ", " + event.error());
    }
  }

  private static final Duration MAX_LEASE = Duration.ofHours(1);
  private static final int LEASES_PER_CLEANING = 100;

  private final EventBackend home;
  private final InstanceLease lease;
  private final WorkerCounters stats;
  private final BatchCompleter completer;
  private final HandlerInvoker execution;
  private final InstanceRecovery recovery;
  private final LastFailure thrown = new LastFailure();
  private final InFlightEvents hands;
  private final Queue<EventClaimer> turns = new ArrayDeque<>();
  private final Queue<InFlightEvents.Held> claimed = new ArrayDeque<>();
  private final AtomicBoolean busy = new AtomicBoolean();
  private Pauses pauses = Pauses.NONE;
  private Limits limits = Limits.NONE;
  private long leases;

  ManualWorker(EventBackend given, WorkerOptions unwatched) {
    WorkerOptions settings = thrown.watching(unwatched);
    EventBackend home = given.within(settings.networkTimeout());
    this.home = home;
    this.hands = new InFlightEvents(home.shards());
    this.lease = new InstanceLease(home, settings.name(), leaseOf(settings));
    this.stats = new WorkerCounters(home);
    this.completer =
        new BatchCompleter(
            home, finished -> hands.out(finished.event()), new HealthIssues(), stats);
    this.execution = new HandlerInvoker(home, settings, lease, completer);
    this.recovery = new InstanceRecovery(home);
    for (String queue : new TreeSet<>(settings.queues().keySet())) {
      turns.add(new EventClaimer(queue, home, settings, lease, hands, () -> pauses, () -> limits));
    }
  }

  private static Duration leaseOf(WorkerOptions settings) {
    Duration longest = settings.lease();
    for (HandlerSpec<?> spec : settings.handlers().values()) {
      longest = spec.timeout().compareTo(longest) > 0 ? spec.timeout() : longest;
    }
    return longest.compareTo(MAX_LEASE) > 0 ? MAX_LEASE : longest;
  }

  /**
   * Claims the next due event and handles it; also ends one whose deadline has passed.
   *
   * @return what became of it; empty where nothing is due that this worker has a handler for
   * @throws dev.holdfast.transaction.DatabaseException where a statement of the engine fails; the
   *     next call goes on. What a handler throws is not thrown, but answered
   */
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

  /**
   * How long it is until the next event in the queues of this worker is due that is not due yet, of
   * any type, by the clock of the database.
   */
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
    thrown.forget();
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
    if (thrown.last() instanceof InterruptedException) {
      // nobody of ours interrupts the caller, so it was meant for more than this handler
      Thread.currentThread().interrupt();
    }
    return new Result(now, Optional.ofNullable(thrown.last()));
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
