package dev.holdfast.webhook;

import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Resolves names on threads of its own, one look-up per name at a time: a name whose servers do not
 * answer takes one thread, however many calls wait for it.
 */
final class Lookups implements AutoCloseable {
  private static final int IDLE_SECONDS = 10;

  private final NameResolver resolver;
  private final ThreadPoolExecutor threads;
  private final ConcurrentMap<String, CompletableFuture<List<InetAddress>>> underWay =
      new ConcurrentHashMap<>();

  Lookups(NameResolver resolver, int most) {
    this.resolver = resolver;
    AtomicInteger number = new AtomicInteger();
    this.threads =
        new ThreadPoolExecutor(
            1,
            most,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new IdleFirst(),
            work -> {
              Thread thread =
                  new Thread(work, "holdfast-webhook-lookup-" + number.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            },
            Lookups::queueWhereAllAreBusy);
    threads.allowCoreThreadTimeOut(true);
  }

  CompletableFuture<List<InetAddress>> resolve(String name) {
    CompletableFuture<List<InetAddress>> ours = new CompletableFuture<>();
    CompletableFuture<List<InetAddress>> before = underWay.putIfAbsent(name, ours);
    if (before != null) {
      return before;
    }
    try {
      threads.execute(() -> resolve(name, ours));
    } catch (RejectedExecutionException closed) {
      underWay.remove(name, ours);
      ours.completeExceptionally(closed);
    }
    return ours;
  }

  private void resolve(String name, CompletableFuture<List<InetAddress>> result) {
    List<InetAddress> addresses;
    try {
      addresses = List.copyOf(resolver.resolve(name));
    } catch (Exception | LinkageError failure) {
      underWay.remove(name, result);
      result.completeExceptionally(failure);
      return;
    }
    underWay.remove(name, result);
    result.complete(addresses);
  }

  private static void queueWhereAllAreBusy(Runnable work, ThreadPoolExecutor threads) {
    if (threads.isShutdown()) {
      throw new RejectedExecutionException("closed");
    }
    threads.getQueue().add(work);
  }

  /** The failure itself, where a future has wrapped it. */
  static Throwable unwrapped(Throwable failure) {
    Throwable cause = failure.getCause();
    return failure instanceof CompletionException && cause != null ? cause : failure;
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }

  /**
   * Work goes to an idle thread, else to a new one, and waits only where all are there and busy.
   */
  private static final class IdleFirst extends LinkedTransferQueue<Runnable> {
    private static final long serialVersionUID = 1L;

    @Override
    public boolean offer(Runnable work) {
      return tryTransfer(work);
    }

    @Override
    public boolean add(Runnable work) {
      put(work);
      return true;
    }
  }
}
