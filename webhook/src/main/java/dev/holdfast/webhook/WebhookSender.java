package dev.holdfast.webhook;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes HTTP calls, each once.
 *
 * <p><b>Guarantees:</b>
 *
 * <ul>
 *   <li>An attempt ends within the timeout of its call, from the start to the last byte of the
 *       response, however the target behaves.
 *   <li>It connects only to an address that the guard has just allowed.
 *   <li>It does not follow redirects, store cookies, decode content or send a request twice.
 *   <li>Only an excerpt of the response is kept.
 *   <li>A call in flight occupies no thread, so slow targets do not delay others.
 * </ul>
 *
 * <p><b>Does not guarantee</b> that a failed attempt had no effect.
 *
 * <p>All results of a target are in the {@link Attempt}; the future never completes exceptionally.
 * {@link #close()} ends the calls in flight with a retry. Thread-safe.
 */
public final class WebhookSender implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(WebhookSender.class);
  private static final int LOOKUP_THREADS = 128;

  private final SenderOptions options;
  private final ConnectionPool connections;
  private final HostLookups lookups;
  private final ScheduledThreadPoolExecutor timer;
  private final Set<CallExecution> inFlight = ConcurrentHashMap.newKeySet();

  private WebhookSender(SenderOptions options) {
    this.options = options;
    this.connections = new ConnectionPool(options);
    this.lookups = new HostLookups(options.resolver(), LOOKUP_THREADS);
    this.timer =
        new ScheduledThreadPoolExecutor(
            1,
            work -> {
              Thread thread = new Thread(work, "holdfast-webhook-timer");
              thread.setDaemon(true);
              return thread;
            });
    timer.setRemoveOnCancelPolicy(true);
    long interval = Math.max(50, options.idleTimeout().toMillis() / 4);
    var unused =
        timer.scheduleWithFixedDelay(this::closeIdle, interval, interval, TimeUnit.MILLISECONDS);
  }

  public static WebhookSender open(SenderOptions options) {
    return new WebhookSender(options);
  }

  /**
   * Makes the call once.
   *
   * @return completed by the executor of the options; if it is cancelled, the connection is closed,
   *     and the target may or may not have received the call
   */
  public CompletableFuture<Attempt> send(WebhookCall call, Delivery delivery) {
    CallExecution execution = new CallExecution(call, delivery, options, connections);
    inFlight.add(execution);
    CompletableFuture<Attempt> result = new CompletableFuture<>();
    try {
      ScheduledFuture<?> timeout =
          timer.schedule(execution::timeOut, call.timeout().toNanos(), TimeUnit.NANOSECONDS);
      execution.whenEnded(
          attempt -> {
            timeout.cancel(false);
            complete(attempt, execution, result);
          });
      execution.start(lookups);
    } catch (RejectedExecutionException closed) {
      execution.whenEnded(attempt -> complete(attempt, execution, result));
      execution.retry("the sender was closed");
    }
    var unused =
        result.whenComplete(
            (attempt, cancelled) -> {
              if (cancelled != null) {
                execution.retry("the call was cancelled");
              }
            });
    return result;
  }

  private void complete(
      Attempt attempt, CallExecution execution, CompletableFuture<Attempt> result) {
    inFlight.remove(execution);
    try {
      options.executor().execute(() -> result.complete(attempt));
    } catch (RejectedExecutionException closed) {
      result.complete(attempt);
    }
  }

  private void closeIdle() {
    try {
      connections.closeIdle();
    } catch (RuntimeException failure) {
      // an exception would cancel the task of the timer
      LOG.warn(
          "webhook-connections-failed: could not close idle connections; retrying with the next"
              + " cleanup",
          failure);
    }
  }

  int connectionCount() {
    return connections.count();
  }

  /** Ends all attempts in flight with a retry, and closes all connections. */
  @Override
  public void close() {
    timer.shutdownNow();
    lookups.close();
    inFlight.forEach(execution -> execution.retry("the sender was closed"));
    connections.close();
  }
}
