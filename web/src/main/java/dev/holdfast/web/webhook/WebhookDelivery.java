package dev.holdfast.web.webhook;

import dev.holdfast.Holdfast;
import dev.holdfast.event.EventContext;
import dev.holdfast.event.EventHandler;
import dev.holdfast.event.Outcome;
import dev.holdfast.event.RetryPolicy;
import dev.holdfast.event.Worker;
import dev.holdfast.spring.HoldfastProperties;
import dev.holdfast.spring.HoldfastWorkerCustomizer;
import dev.holdfast.webhook.Admission;
import dev.holdfast.webhook.Attempt;
import dev.holdfast.webhook.Circuits;
import dev.holdfast.webhook.Delivery;
import dev.holdfast.webhook.InvalidCallException;
import dev.holdfast.webhook.WebhookCall;
import dev.holdfast.webhook.WebhookSender;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * Delivers webhooks: the handler of all events that are HTTP calls.
 *
 * <ol>
 *   <li>The stored call is read; one that may not be made fails at once.
 *   <li>It asks for a place (see {@link Slots}), for which it may wait in a line, and whether its
 *       target is well (see {@link Circuits}). If not, the event is snoozed: no attempt is counted,
 *       nothing is rejected.
 *   <li>It is made, once, signed with all secrets. What follows is decided by {@link Aftermath}.
 * </ol>
 *
 * <p>Guaranteed: at least once, until the target has answered 2xx or the attempts are used up; the
 * same {@code webhook-id} on each attempt, whichever instance makes it. Not guaranteed: only once,
 * so receivers must know an id again. Waits without threads. Thread-safe.
 */
public final class WebhookDelivery implements HoldfastWorkerCustomizer, AutoCloseable {
  /** How much longer than the call its handler may take, to end by itself. */
  private static final Duration GRACE = Duration.ofSeconds(30);

  /** The attempts are counted by what each event says. */
  private static final int NO_LIMIT = 1_000_000;

  private static final int THREADS = 2;

  /** Of the memory: a body is there several times, and less is under way than may be in hands. */
  private static final long SHARE_OF_BODIES = 16;

  private final DeliverySettings settings;
  private final SigningSecrets secrets;
  private final AttemptWriter writer;
  private final String idPrefix;
  private final ExecutorService threads;
  private final WebhookSender sender;
  private final Circuits circuits;
  private final Slots slots;
  private final DeliveryCounts counts = new DeliveryCounts();

  WebhookDelivery(
      DeliverySettings settings, SigningSecrets secrets, AttemptWriter writer, String mark) {
    this.settings = settings;
    this.secrets = secrets;
    this.writer = writer;
    this.idPrefix = "evt_" + mark + "_";
    this.threads =
        Executors.newFixedThreadPool(
            THREADS,
            work -> {
              Thread thread = new Thread(work, "holdfast-webhook-ends");
              thread.setDaemon(true);
              return thread;
            });
    this.sender = WebhookSender.open(settings.sender().executor(threads));
    this.circuits = new Circuits(settings.circuits());
    this.slots =
        new Slots(
            settings.concurrency(),
            settings.circuits().concurrent(),
            Math.min(settings.bodyBytes(), Runtime.getRuntime().maxMemory() / SHARE_OF_BODIES),
            threads);
  }

  /** Opens it, with a writer of its own for the attempts. */
  public static WebhookDelivery open(
      Holdfast holdfast,
      HoldfastProperties properties,
      DeliverySettings settings,
      SigningSecrets secrets) {
    WebhookTables tables = WebhookTables.of(holdfast, properties.schema().name());
    String name = properties.instanceName();
    AttemptStore store = new AttemptStore(tables, name == null ? Worker.defaultName() : name);
    String mark = DatabaseMark.of(tables);
    AttemptWriter writer =
        new AttemptWriter(store, properties.shards(), properties.worker().retention());
    return new WebhookDelivery(settings, secrets, writer.start(), mark);
  }

  /** Makes it handle webhooks, on the queues of the settings. */
  @Override
  public void customize(Worker.Builder worker) {
    // those in lines are in work, too
    int inWork = (int) (settings.concurrency() * (1 + Slots.LINES_OF_UNKNOWN));
    Map<String, Integer> queues = new HashMap<>();
    for (String queue : settings.queues()) {
      if (queue.equals(DeliverySettings.EVERY_QUEUE)) {
        worker.allQueues(inWork);
      } else {
        queues.put(queue, inWork);
      }
    }
    if (!queues.isEmpty()) {
      worker.queues(queues);
    }
    worker.handle(
        EventHandler.async(WebhookTask.TYPE, this::deliver)
            .timeout(settings.maxTimeout().plus(GRACE))
            // a call of a target cannot harm this process
            .unlimitedCrashes()
            .retry(RetryPolicy.standard().attempts(NO_LIMIT)));
  }

  /** How many attempts came to this outcome since the start. */
  public long attempts(AttemptOutcome outcome) {
    return counts.attempts(outcome);
  }

  /** How often an event was snoozed since the start, because its call could not be made yet. */
  public long delays() {
    return counts.delays();
  }

  /** How many calls are under way. */
  public int underWay() {
    return slots.underWay();
  }

  /** How many targets are left alone because they have failed. */
  public int openCircuits() {
    return circuits.open();
  }

  /** How many attempts were made and could not be written down. */
  public long attemptsLeftOut() {
    return writer.leftOut();
  }

  private CompletionStage<Outcome> deliver(WebhookTask task, EventContext context) {
    WebhookCall call;
    try {
      call = WebhookCalls.of(task);
    } catch (InvalidCallException refused) {
      return refused(String.valueOf(refused.getMessage()));
    } catch (IllegalArgumentException | NullPointerException malformed) {
      // its text may be a part of the call, and so of a secret
      return refused("the stored call is not complete, or its body is not base64");
    }
    CompletableFuture<Outcome> result = new CompletableFuture<>();
    boolean comes =
        slots.take(
            call.target(),
            WebhookCalls.size(task),
            slot -> begin(new Wanted(task, context, call, result), slot));
    return comes ? result : CompletableFuture.completedFuture(snooze(call, Duration.ZERO));
  }

  /** A call that waits for its turn, and what its event waits for. */
  private record Wanted(
      WebhookTask task,
      EventContext context,
      WebhookCall call,
      CompletableFuture<Outcome> result) {}

  /**
   * @param slot null where its turn does not come, and it has to be asked for again
   */
  private void begin(Wanted wanted, Slots.@Nullable Slot slot) {
    if (slot == null) {
      wanted.result.complete(snooze(wanted.call, Duration.ZERO));
      return;
    }
    try {
      // it may have been cancelled in the line
      Admission admission = wanted.result.isDone() ? null : circuits.admit(wanted.call.target());
      if (admission instanceof Admission.Go go) {
        send(new Underway(wanted.task, wanted.context, slot, go.permit()), wanted);
        return;
      }
      slot.giveBack(false);
      if (admission instanceof Admission.Wait wait) {
        wanted.result.complete(snooze(wanted.call, wait.delay()));
      }
    } catch (RuntimeException | Error unexpected) {
      slot.giveBack(false);
      wanted.result.completeExceptionally(unexpected);
    }
  }

  private CompletionStage<Outcome> refused(String why) {
    counts.attempt(AttemptOutcome.FAILED);
    return CompletableFuture.completedFuture(Outcome.fail(why));
  }

  private Outcome snooze(WebhookCall call, Duration least) {
    counts.delayed();
    return Outcome.snooze(slots.waiting(call.target(), least));
  }

  private void send(Underway underway, Wanted wanted) {
    EventContext context = underway.context();
    CompletableFuture<Attempt> sending;
    try {
      sending =
          sender.send(
              wanted.call,
              new Delivery(
                  idPrefix + context.id(), context.attempt(), context.version(), secrets.signer()));
    } catch (RuntimeException | Error unexpected) {
      underway.giveBack();
      throw unexpected;
    }
    CompletableFuture<Outcome> result = wanted.result;
    var unused =
        sending.whenComplete(
            (attempt, cancelled) -> {
              try {
                result.complete(ended(underway, attempt));
              } catch (RuntimeException | Error unexpected) {
                result.completeExceptionally(unexpected);
              }
            });
    dropWhenCancelled(sending, result);
  }

  /** The worker cancels the result: the call is dropped, and its place free for others. */
  private static void dropWhenCancelled(
      CompletableFuture<Attempt> sending, CompletableFuture<Outcome> result) {
    var unused =
        result.whenComplete(
            (outcome, failure) -> {
              if (result.isCancelled()) {
                sending.cancel(true);
              }
            });
  }

  private Outcome ended(Underway underway, @Nullable Attempt attempt) {
    Aftermath aftermath = underway.ended(attempt);
    counts.attempt(aftermath.attempt().outcome());
    writer.add(aftermath.attempt());
    return aftermath.outcome();
  }

  /** Ends what is under way, to be tried again; the worker must have been stopped before. */
  @Override
  public void close() {
    sender.close();
    threads.shutdown();
    writer.close();
  }
}
