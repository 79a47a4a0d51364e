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
 * Resolves host names on its own threads, with one lookup per name at a time: a name whose servers
 * do not respond occupies one thread, regardless of how many calls wait for it.
 */
final class HostLookups implements AutoCloseable {
  private static final int IDLE_SECONDS = 10;

  private final NameResolver resolver;
  private final ThreadPoolExecutor threads;
  private final ConcurrentMap<String, CompletableFuture<List<InetAddress>>> inFlight =
      new ConcurrentHashMap<>();

  HostLookups(NameResolver resolver, int maxThreads) {
    this.resolver = resolver;
    AtomicInteger number = new AtomicInteger();
    this.threads =
        new ThreadPoolExecutor(
            1,
            maxThreads,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new IdleFirst(),
            work -> {
              Thread thread =
                  new Thread(work, "holdfast-webhook-lookup-" + number.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            },
            HostLookups::queueIfAllAreBusy);
    threads.allowCoreThreadTimeOut(true);
  }

  CompletableFuture<List<InetAddress>> resolve(String name) {
    CompletableFuture<List<InetAddress>> result = new CompletableFuture<>();
    CompletableFuture<List<InetAddress>> before = inFlight.putIfAbsent(name, result);
    if (before != null) {
      return before;
    }
    try {
      threads.execute(() -> resolve(name, result));
    } catch (RejectedExecutionException closed) {
      inFlight.remove(name, result);
      result.completeExceptionally(closed);
    }
    return result;
  }

  private void resolve(String name, CompletableFuture<List<InetAddress>> result) {
    List<InetAddress> addresses;
    try {
      addresses = List.copyOf(resolver.resolve(name));
    } catch (Exception | LinkageError failure) {
      inFlight.remove(name, result);
      result.completeExceptionally(failure);
      return;
    }
    inFlight.remove(name, result);
    result.complete(addresses);
  }

  private static void queueIfAllAreBusy(Runnable work, ThreadPoolExecutor threads) {
    if (threads.isShutdown()) {
      throw new RejectedExecutionException("closed");
    }
    threads.getQueue().add(work);
  }

  /** The failure itself if a future has wrapped it. */
  static Throwable unwrapped(Throwable failure) {
    Throwable cause = failure.getCause();
    return failure instanceof CompletionException && cause != null ? cause : failure;
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }

  /** Gives work to an idle thread, otherwise to a new one, and queues it only if all are busy. */
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
