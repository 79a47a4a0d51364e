package dev.holdfast.webhook;

import dev.holdfast.Holdfast;
import dev.holdfast.InvalidArgumentException;
import dev.holdfast.event.EventContext;
import dev.holdfast.event.EventHandler;
import dev.holdfast.event.Outcome;
import dev.holdfast.event.RetryPolicy;
import dev.holdfast.event.Worker;
import dev.holdfast.internal.Require;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Delivers webhooks: the handler of all events of the type {@link WebhookCall#TYPE}.
 *
 * <ol>
 *   <li>The stored call is read. A call that is not allowed fails at once.
 *   <li>{@link TargetGate} admits the call, now or after it waited in the queue of its target. If
 *       the call is deferred, its event is snoozed: no attempt is counted.
 *   <li>{@link WebhookSender} makes the call once, signed with all secrets.
 *   <li>2xx completes the event. 410, an address that the guard refuses and a call outside the
 *       limits fail it. Everything else, including redirects, is retried until no attempts are
 *       left.
 * </ol>
 *
 * <p><b>Guarantees:</b> at-least-once delivery, until the target responds with 2xx or no attempts
 * are left; the same {@code webhook-id} on every attempt, on whichever instance.
 *
 * <p><b>Does not guarantee</b> exactly-once delivery: receivers must detect duplicate ids.
 *
 * <p><b>Threads:</b> thread-safe. A waiting call occupies no thread.
 */
public final class WebhookDelivery implements AutoCloseable {
  /** How much longer than the call its handler may take, to end by itself. */
  private static final Duration GRACE = Duration.ofSeconds(30);

  /** Each event has its own limit. */
  private static final int UNLIMITED_ATTEMPTS = 1_000_000;

  private static final int THREADS = 2;

  /** Part of the heap for bodies in flight: each body exists several times. */
  private static final long HEAP_PER_BODY_BYTES = 16;

  private final DeliveryOptions options;
  private final SigningSecrets secrets;
  private final AttemptLog attemptLog;
  private final String idPrefix;
  private final ExecutorService threads;
  private final WebhookSender sender;
  private final TargetGate gate;
  private final Map<AttemptOutcome, LongAdder> attempts = new EnumMap<>(AttemptOutcome.class);
  private final LongAdder deferred = new LongAdder();

  private WebhookDelivery(Builder builder, SigningSecrets secrets) {
    WebhookTables tables = WebhookTables.of(builder.holdfast, builder.schema);
    this.options = builder.options;
    this.secrets = secrets;
    this.idPrefix = "evt_" + DatabaseId.of(tables) + "_";
    this.attemptLog =
        new AttemptLog(
            new Attempts(tables), builder.instanceName, builder.shards, builder.retention);
    for (AttemptOutcome outcome : AttemptOutcome.values()) {
      attempts.put(outcome, new LongAdder());
    }
    this.threads =
        Executors.newFixedThreadPool(
            THREADS,
            work -> {
              Thread thread = new Thread(work, "holdfast-webhook-completions");
              thread.setDaemon(true);
              return thread;
            });
    this.sender = WebhookSender.open(options.sender().executor(threads));
    this.gate =
        new TargetGate(
            options.concurrency(),
            Math.min(options.bodyBytes(), Runtime.getRuntime().maxMemory() / HEAP_PER_BODY_BYTES),
            options.targets(),
            threads);
    attemptLog.start();
  }

  /** Builds a delivery for the events of this Holdfast. */
  public static Builder builder(Holdfast holdfast) {
    return new Builder(Require.notNull(holdfast, "holdfast"));
  }

  /**
   * Options of a delivery. Schema, instance name, shards and retention must be those of {@link
   * Holdfast} and its worker. Not thread-safe.
   */
  public static final class Builder {
    private final Holdfast holdfast;
    private DeliveryOptions options = DeliveryOptions.ofDefaults();
    private @Nullable String schema;
    private String instanceName = Worker.defaultName();
    private int shards = 1;
    private Duration retention = Duration.ofDays(7);

    private Builder(Holdfast holdfast) {
      this.holdfast = holdfast;
    }

    public Builder options(DeliveryOptions options) {
      this.options = Require.notNull(options, "options");
      return this;
    }

    /** The schema of Holdfast's tables; null for the current one of the connection. */
    public Builder schema(@Nullable String name) {
      this.schema = name;
      return this;
    }

    /** The instance name in the log of attempts; null for a default. */
    public Builder instanceName(@Nullable String name) {
      this.instanceName = name == null ? Worker.defaultName() : name;
      return this;
    }

    public Builder shards(int count) {
      this.shards = count;
      return this;
    }

    /** How long attempts are kept, at least; 7 days by default. */
    public Builder retention(Duration time) {
      this.retention = Require.notNull(time, "retention");
      return this;
    }

    /** Starts the delivery, which signs with these secrets. Close the delivery before them. */
    public WebhookDelivery open(SigningSecrets secrets) {
      return new WebhookDelivery(this, Require.notNull(secrets, "secrets"));
    }
  }

  /** Adds the handler of webhooks and the queues of the options to this worker. */
  public void register(Worker.Builder worker) {
    // waiting calls are events in flight, too
    int inFlight = (int) (options.concurrency() * (1 + TargetGate.UNKNOWN_QUEUE_SHARE));
    Map<String, Integer> queues = new HashMap<>();
    for (String queue : options.queues()) {
      if (queue.equals(DeliveryOptions.ALL_QUEUES)) {
        worker.allQueues(inFlight);
      } else {
        queues.put(queue, inFlight);
      }
    }
    if (!queues.isEmpty()) {
      worker.queues(queues);
    }
    worker.handle(
        EventHandler.async(WebhookCall.TYPE, this::deliver)
            .timeout(options.maxTimeout().plus(GRACE))
            // a call cannot harm this process
            .unlimitedCrashes()
            .retry(RetryPolicy.standard().attempts(UNLIMITED_ATTEMPTS)));
  }

  /** Number of attempts with this outcome since the start. */
  public long attempts(AttemptOutcome outcome) {
    return counter(outcome).sum();
  }

  /**
   * How often a call was deferred since the start, because its target or this instance was busy.
   */
  public long deferred() {
    return deferred.sum();
  }

  /** Number of calls in flight. */
  public int inFlight() {
    return gate.inFlight();
  }

  /** Number of targets that are not called because they failed. */
  public int openCircuits() {
    return gate.openCircuits();
  }

  /** Number of attempts that could not be logged. */
  public long droppedAttempts() {
    return attemptLog.dropped();
  }

  /** One delivery of an event, and the outcome that the worker waits for. */
  private final class PendingCall implements TargetGate.Listener {
    final WebhookCall call;
    final EventContext context;
    final CompletableFuture<Outcome> outcome = new CompletableFuture<>();

    PendingCall(WebhookCall call, EventContext context) {
      this.call = call;
      this.context = context;
    }

    @Override
    public void onAdmitted(TargetGate.Permit permit) {
      if (outcome.isDone()) {
        // cancelled while it was queued
        permit.close();
        return;
      }
      try {
        send(this, permit);
      } catch (RuntimeException | Error unexpected) {
        permit.close();
        outcome.completeExceptionally(unexpected);
      }
    }

    @Override
    public void onDeferred(Duration delay) {
      deferred.increment();
      outcome.complete(Outcome.snooze(delay));
    }
  }

  private CompletionStage<Outcome> deliver(WebhookCall call, EventContext context) {
    Target target;
    try {
      call.requireValid();
      target = call.target();
    } catch (InvalidArgumentException notAllowed) {
      return fail(String.valueOf(notAllowed.getMessage()));
    } catch (IllegalArgumentException | NullPointerException malformed) {
      // the message may contain a part of the call, and so of a secret
      return fail("the stored call is incomplete, or its body is not base64");
    }
    PendingCall pending = new PendingCall(call, context);
    gate.enter(target, call.bodySize(), pending);
    return pending.outcome;
  }

  private CompletionStage<Outcome> fail(String reason) {
    counter(AttemptOutcome.FAILED).increment();
    return CompletableFuture.completedFuture(Outcome.fail(reason));
  }

  private void send(PendingCall pending, TargetGate.Permit permit) {
    EventContext context = pending.context;
    long startedNanos = System.nanoTime();
    CompletableFuture<Attempt> sending =
        sender.send(
            pending.call,
            new Delivery(
                idPrefix + context.id(), context.attempt(), context.version(), secrets.signer()));
    var unused =
        sending.whenComplete(
            (attempt, cancelled) -> {
              try {
                pending.outcome.complete(
                    attempt == null
                        ? cancelled(pending, permit, startedNanos)
                        : completed(pending, permit, startedNanos, attempt));
              } catch (RuntimeException | Error unexpected) {
                pending.outcome.completeExceptionally(unexpected);
              }
            });
    cancelWith(pending.outcome, sending);
  }

  /** If the worker cancels the outcome, the connection is closed and the permit released. */
  private static void cancelWith(
      CompletableFuture<Outcome> outcome, CompletableFuture<Attempt> sending) {
    var unused =
        outcome.whenComplete(
            (value, failure) -> {
              if (outcome.isCancelled()) {
                sending.cancel(true);
              }
            });
  }

  private Outcome completed(
      PendingCall pending, TargetGate.Permit permit, long startedNanos, Attempt attempt) {
    permit.complete(attempt);
    if (attempt.succeeded()) {
      log(pending, startedNanos, attempt, AttemptOutcome.COMPLETED);
      return Outcome.complete();
    }
    String error = attempt.error().orElse("it failed");
    WebhookCall.Retry retry =
        pending.call.retry() == null ? WebhookCall.Retry.DEFAULT : pending.call.retry();
    int number = pending.context.attempt();
    if (attempt.result() instanceof Attempt.Result.Retry again && !retry.isLast(number)) {
      log(pending, startedNanos, attempt, AttemptOutcome.RETRY);
      double random = ThreadLocalRandom.current().nextDouble();
      return Outcome.retryAfter(retry.delay(number, again.retryAfter(), random), error);
    }
    log(pending, startedNanos, attempt, AttemptOutcome.FAILED);
    return Outcome.fail(error);
  }

  private void log(
      PendingCall pending, long startedNanos, Attempt attempt, AttemptOutcome outcome) {
    log(
        new AttemptLog.Entry(
            pending.context.id(),
            pending.context.version(),
            pending.context.attempt(),
            startedNanos,
            attempt.duration(),
            attempt.status(),
            outcome,
            attempt.error(),
            attempt.excerpt(),
            attempt.address()));
  }

  /** The worker ignores this outcome: it has cancelled the handler. */
  private Outcome cancelled(PendingCall pending, TargetGate.Permit permit, long startedNanos) {
    permit.close();
    log(
        new AttemptLog.Entry(
            pending.context.id(),
            pending.context.version(),
            pending.context.attempt(),
            startedNanos,
            Duration.ofNanos(System.nanoTime() - startedNanos),
            OptionalInt.empty(),
            AttemptOutcome.CANCELLED,
            Optional.of("cancelled in flight; the target may have received the call"),
            "",
            Optional.empty()));
    return Outcome.snooze(Duration.ofSeconds(1));
  }

  private void log(AttemptLog.Entry attempt) {
    counter(attempt.outcome()).increment();
    attemptLog.add(attempt);
  }

  private LongAdder counter(AttemptOutcome outcome) {
    return Require.notNull(attempts.get(outcome), "counter");
  }

  /** Cancels calls in flight, which are retried. Stop the worker before. */
  @Override
  public void close() {
    sender.close();
    threads.shutdown();
    attemptLog.close();
  }
}
