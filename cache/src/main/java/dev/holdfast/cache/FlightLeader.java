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
 * Brings a {@link Load} to its end:
 *
 * <ol>
 *   <li>It looks for the value in the store.
 *   <li>Where there is none, it asks for the lease of the name. Who gets it looks again, and loads.
 *   <li>Who does not get it follows: it waits for news of the name, or for the end of the lease,
 *       and begins with 1 again.
 *   <li>Where the store does not answer in time, it loads without it.
 * </ol>
 */
final class FlightLeader<K, V> {
  private final Sharing<V> sharing;
  private final Loads<K, V> loads;
  private final LoadsInFlight<K, V> flights;
  private final StoreHealth health;
  private final Counters counters;
  private final CacheSettings settings;
  private final LongSupplier clock;

  FlightLeader(
      Sharing<V> sharing,
      Loads<K, V> loads,
      LoadsInFlight<K, V> flights,
      StoreHealth health,
      Counters counters,
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
    LoadTurn<V> turn = ask(() -> sharing.begin(flight.name, flight.replaces));
    if (turn instanceof LoadTurn.Found<V> found) {
      counters.sharedHits.increment();
      flights.land(flight, new Outcome.Ended<>(found.copy()), found.copy());
    } else if (turn instanceof LoadTurn.Lead<V> lead) {
      lead(flight, lead);
    } else if (turn instanceof LoadTurn.Follow<V> follow) {
      follow(flight, follow, own);
    } else {
      loads.alone(flight);
    }
  }

  private void lead(Load<K, V> flight, LoadTurn.Lead<V> lead) {
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
  private void follow(Load<K, V> flight, LoadTurn.Follow<V> first, boolean own) {
    long begun = System.nanoTime();
    boolean waitsForUs = own || flights.isLedHere(flight.name);
    LoadTurn<V> turn = first;
    while (turn instanceof LoadTurn.Follow<V> follow) {
      see(flight, follow.old());
      long left = flight.waitedForNanos();
      if (left <= 0) {
        flights.land(flight, new Outcome.GaveUp<>(), null);
        return;
      }
      try {
        flight.awaitNews(Math.min(left, follow.pauseNanos()));
      } catch (InterruptedException e) {
        // an executor of the user that shuts down
        Thread.currentThread().interrupt();
        flights.land(flight, new Outcome.GaveUp<>(), null);
        return;
      }
      long waited = System.nanoTime() - begun;
      boolean ledHere = flights.isLedHere(flight.name);
      turn = ask(() -> sharing.follow(flight.name, flight.replaces, waited));
      if (turn instanceof LoadTurn.Follow<V>) {
        waitsForUs = ledHere || flights.isLedHere(flight.name);
      }
    }
    if (turn instanceof LoadTurn.Found<V> found) {
      counters.coalescedRemotely.increment();
      flights.land(flight, new Outcome.Ended<>(found.copy()), found.copy());
    } else if (turn instanceof LoadTurn.Lead<V> lead) {
      if (!waitsForUs) {
        counters.takeovers.increment();
      }
      lead(flight, lead);
    } else {
      loads.alone(flight);
    }
  }

  /** What is not fresh may still be good enough for those who wait. */
  private void see(Load<K, V> flight, @Nullable Copy<V> old) {
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
  @Nullable LoadTurn<V> ask(Supplier<LoadTurn<V>> question) {
    if (!health.mayAsk()) {
      return null;
    }
    CompletableFuture<LoadTurn<V>> answer = new CompletableFuture<>();
    CacheThreads.POOL.execute(() -> answer(question, answer));
    try {
      LoadTurn<V> turn = within(answer, settings.storePatience());
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

  private void answer(Supplier<LoadTurn<V>> question, CompletableFuture<LoadTurn<V>> answer) {
    try {
      LoadTurn<V> turn = question.get();
      if (!answer.complete(turn) && turn instanceof LoadTurn.Lead<V> lead) {
        // nobody waits for it any more, and nobody else shall wait for us
        Sharing.release(lead.lease());
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
