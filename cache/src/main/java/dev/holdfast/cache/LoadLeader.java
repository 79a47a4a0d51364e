package dev.holdfast.cache;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Completes a {@link Load}:
 *
 * <ol>
 *   <li>It reads the value from the store.
 *   <li>If there is none, it requests the lease of the name. The holder reads again, and loads.
 *   <li>Other processes wait for a notification of the name or for the end of the lease, and start
 *       again with 1.
 *   <li>If the store does not respond in time, it loads without the store.
 * </ol>
 */
final class LoadLeader<K, V> {
  private final CacheCoordinator<V> sharing;
  private final Loads<K, V> loads;
  private final LoadsInFlight<K, V> flights;
  private final StoreHealth health;
  private final CacheCounters counters;
  private final CacheSettings settings;
  private final LongSupplier clock;

  LoadLeader(
      CacheCoordinator<V> sharing,
      Loads<K, V> loads,
      LoadsInFlight<K, V> flights,
      StoreHealth health,
      CacheCounters counters,
      CacheSettings settings,
      LongSupplier clock) {
    this.sharing = sharing;
    this.loads = loads;
    this.flights = flights;
    this.health = health;
    this.counters = counters;
    this.settings = settings;
    this.clock = clock;
  }

  void fly(Load<K, V> flight) {
    boolean own = flights.isLedHere(flight.name);
    LoadDecision<V> turn = ask(() -> sharing.begin(flight.name, flight.replaces));
    if (turn instanceof LoadDecision.Found<V> found) {
      counters.sharedHits.increment();
      flights.land(flight, new LoadOutcome.Ended<>(found.copy()), found.copy());
    } else if (turn instanceof LoadDecision.Lead<V> lead) {
      lead(flight, lead);
    } else if (turn instanceof LoadDecision.Follow<V> follow) {
      follow(flight, follow, own);
    } else {
      loads.alone(flight);
    }
  }

  private void lead(Load<K, V> flight, LoadDecision.Lead<V> lead) {
    if (lead.old() == null) {
      // the one that was waited for has put nothing in its place
      flight.forgetOld();
    }
    see(flight, lead.old());
    loads.lead(flight, lead);
  }

  /**
   * @param own whether it may be an earlier load of this process that is waited for
   */
  private void follow(Load<K, V> flight, LoadDecision.Follow<V> first, boolean own) {
    long begun = System.nanoTime();
    boolean waitsForUs = own || flights.isLedHere(flight.name);
    LoadDecision<V> turn = first;
    while (turn instanceof LoadDecision.Follow<V> follow) {
      see(flight, follow.old());
      long left = flight.waitedForNanos();
      if (left <= 0) {
        flights.land(flight, new LoadOutcome.GaveUp<>(), null);
        return;
      }
      try {
        flight.awaitNews(Math.min(left, follow.pauseNanos()));
      } catch (InterruptedException e) {
        // an executor of the user that shuts down
        Thread.currentThread().interrupt();
        flights.land(flight, new LoadOutcome.GaveUp<>(), null);
        return;
      }
      long waited = System.nanoTime() - begun;
      boolean ledHere = flights.isLedHere(flight.name);
      turn = ask(() -> sharing.follow(flight.name, flight.replaces, waited));
      if (turn instanceof LoadDecision.Follow<V>) {
        waitsForUs = ledHere || flights.isLedHere(flight.name);
      }
    }
    if (turn instanceof LoadDecision.Found<V> found) {
      counters.coalescedRemotely.increment();
      flights.land(flight, new LoadOutcome.Ended<>(found.copy()), found.copy());
    } else if (turn instanceof LoadDecision.Lead<V> lead) {
      if (!waitsForUs) {
        counters.takeovers.increment();
      }
      lead(flight, lead);
    } else {
      loads.alone(flight);
    }
  }

  /** What is not fresh may still be good enough for those who wait. */
  private void see(Load<K, V> flight, @Nullable LocalEntry<V> old) {
    if (old != null && old.error == null) {
      long now = clock.getAsLong();
      if (old.isServable(now)) {
        // by this flight
        old.claimRefresh(now);
        flights.serve(flight, old);
      } else {
        flight.remember(old);
      }
    }
  }

  /** Null where the store does not answer in time, or is known not to. */
  @Nullable LoadDecision<V> ask(Supplier<LoadDecision<V>> question) {
    if (!health.mayAsk()) {
      return null;
    }
    CompletableFuture<LoadDecision<V>> answer = new CompletableFuture<>();
    CacheThreads.POOL.execute(() -> answer(question, answer));
    try {
      LoadDecision<V> turn = within(answer, settings.storePatience());
      health.answered();
      return turn;
    } catch (ExecutionException e) {
      health.failed(e.getCause() == null ? e : e.getCause());
    } catch (TimeoutException e) {
      health.failed(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      answer.cancel(false);
    }
    return null;
  }

  private void answer(
      Supplier<LoadDecision<V>> question, CompletableFuture<LoadDecision<V>> answer) {
    try {
      LoadDecision<V> turn = question.get();
      if (!answer.complete(turn) && turn instanceof LoadDecision.Lead<V> lead) {
        // nobody waits for it any more, and nobody else shall wait for us
        CacheCoordinator.release(lead.lease());
      }
    } catch (RuntimeException | Error e) {
      answer.completeExceptionally(e);
    }
  }

  private static <T> T within(CompletableFuture<T> answer, Duration patience)
      throws ExecutionException, InterruptedException, TimeoutException {
    try {
      return answer.get(patience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      if (answer.cancel(false)) {
        throw new TimeoutException("it has not answered within " + patience);
      }
      return answer.get();
    }
  }
}
