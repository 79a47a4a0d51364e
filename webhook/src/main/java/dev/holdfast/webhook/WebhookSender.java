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
 * Makes HTTP calls, each once, and says what happened.
 *
 * <p>Guaranteed: an attempt ends within the timeout of its call, counted from the beginning to the
 * last byte of the answer, however the target behaves; it connects only to an address that the
 * guard has just allowed; redirects are not followed, cookies not kept, content not decoded, and
 * nothing is sent twice by itself; no more of an answer is kept than the excerpt. Calls wait
 * without a thread, so slow targets do not hold up others. Not guaranteed: that an attempt without
 * a success has had no effect.
 *
 * <p>Whatever a target does is told by the {@link Attempt}; the future is never completed
 * exceptionally. Thread-safe. {@link #close()} ends what is under way, to be tried again.
 */
public final class WebhookSender implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(WebhookSender.class);
  private static final int LOOKUP_THREADS = 128;

  private final SenderSettings settings;
  private final Connections connections;
  private final Lookups lookups;
  private final ScheduledThreadPoolExecutor timer;
  private final Set<Sending> underWay = ConcurrentHashMap.newKeySet();

  private WebhookSender(SenderSettings settings) {
    this.settings = settings;
    this.connections = new Connections(settings);
    this.lookups = new Lookups(settings.resolver(), LOOKUP_THREADS);
    this.timer =
        new ScheduledThreadPoolExecutor(
            1,
            work -> {
              Thread thread = new Thread(work, "holdfast-webhook-timer");
              thread.setDaemon(true);
              return thread;
            });
    timer.setRemoveOnCancelPolicy(true);
    long pause = Math.max(50, settings.idle().toMillis() / 4);
    var unused = timer.scheduleWithFixedDelay(this::closeIdle, pause, pause, TimeUnit.MILLISECONDS);
  }

  public static WebhookSender open(SenderSettings settings) {
    return new WebhookSender(settings);
  }

  /**
   * Makes the call once.
   *
   * @return completed with what happened, by the executor of the settings; whoever cancels it drops
   *     the connection, and the target may have got the call or not
   */
  public CompletableFuture<Attempt> send(WebhookCall call, Delivery delivery) {
    Sending sending = new Sending(call, delivery, settings, connections);
    underWay.add(sending);
    CompletableFuture<Attempt> told = new CompletableFuture<>();
    try {
      ScheduledFuture<?> limit =
          timer.schedule(sending::expire, call.timeout().toNanos(), TimeUnit.NANOSECONDS);
      sending.whenEnded(
          attempt -> {
            limit.cancel(false);
            tell(attempt, sending, told);
          });
      sending.begin(lookups);
    } catch (RejectedExecutionException closed) {
      sending.whenEnded(attempt -> tell(attempt, sending, told));
      sending.retry("the sender was closed");
    }
    var unused =
        told.whenComplete(
            (attempt, cancelled) -> {
              if (cancelled != null) {
                sending.retry("the call was cancelled");
              }
            });
    return told;
  }

  private void tell(Attempt attempt, Sending sending, CompletableFuture<Attempt> told) {
    underWay.remove(sending);
    try {
      settings.executor().execute(() -> told.complete(attempt));
    } catch (RejectedExecutionException closed) {
      told.complete(attempt);
    }
  }

  private void closeIdle() {
    try {
      connections.closeIdle();
    } catch (RuntimeException failure) {
      // an exception would end the timer's task for good
      LOG.warn(
          "webhook-connections-failed: could not close idle connections; retrying with the next"
              + " cleanup",
          failure);
    }
  }

  int connectionCount() {
    return connections.count();
  }

  /** Ends all attempts under way with a retry, and closes all connections. */
  @Override
  public void close() {
    timer.shutdownNow();
    lookups.close();
    underWay.forEach(sending -> sending.retry("the sender was closed"));
    connections.close();
  }
}
