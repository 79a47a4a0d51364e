package dev.holdfast.event;

import dev.holdfast.BackgroundService;
import dev.holdfast.internal.Require;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The service that claims due events and calls their handlers. It also fires due schedules and
 * deletes expired idempotency records.
 *
 * <pre>{@code
 * Worker worker = holdfast.worker()
 *     .handle(BIRTHDAY, (birthday, context) -> mailer.send(birthday))
 *     .handle(EventHandler.transactional(INVOICE, (invoice, tx, context) -> ledger.post(tx, invoice)))
 *     .start();
 * }</pre>
 *
 * <p>Guarantee: however many workers run, one of them at a time works on an event; every write says
 * which version of the event it changes, so a worker that has lost an event, because it was
 * suspended or cut off, changes nothing. When a worker dies, others take over its events within
 * about the time of its lease and a renewal (15 s and 3 s by default). Events of types that no
 * worker handles stay pending. Not guaranteed: that a handler runs only once; see {@link
 * EventHandler}.
 *
 * <p>{@link #stop} claims no more events, returns those that are not started, and waits for running
 * handlers. Handlers that have not ended within its timeout are cancelled, and their events
 * returned. The lease is renewed until the last handler has ended. It returns five seconds after
 * the timeout at the latest, also if the database does not respond; what could not be stored by
 * then is recovered by others when the lease has expired. It returns false if a handler was
 * cancelled, because of the timeout or because the lease was lost in the meantime.
 *
 * <p>The health is {@code DOWN} without the lease: then this instance handles nothing, and others
 * take over. The health of the schedule runner and the idempotency cleaner is a part of it.
 *
 * <p>Uses connections of its own: one for each queue and up to eight more, of which it keeps two,
 * and one for each handler that runs in a transaction or completes immediately. All its threads are
 * daemons: they do not keep the JVM alive. Stop it before the data source is closed. Thread-safe.
 */
public interface Worker extends BackgroundService {

  /** How many events this worker has claimed and not ended, started or not. */
  int inFlight();

  /** The default name of an instance: its host and the number of its process. */
  static String defaultName() {
    return InstanceName.ofThisProcess();
  }

  /** Builds a {@link Worker}. Not thread-safe. */
  final class Builder {
    private static final Map<String, Integer> DEFAULT_QUEUES = Map.of("default", 16);

    private final EventBackend home;
    private final @Nullable Supplier<BackgroundService> scheduling;
    private final @Nullable Supplier<BackgroundService> cleanup;
    private final Map<String, HandlerSpec<?>> handlers = new LinkedHashMap<>();
    private final Map<String, Integer> queues = new LinkedHashMap<>();
    private boolean withDefaultQueue = true;
    private int allQueues;
    private String instanceName = InstanceName.ofThisProcess();
    private Duration leaseDuration = Duration.ofSeconds(15);
    private Duration pollInterval = Duration.ofSeconds(1);
    private int maxCrashes = 3;
    private Duration retention = Duration.ofDays(7);
    private Duration shutdownTimeout = Duration.ofSeconds(30);
    private boolean schedules = true;
    private boolean cleans = true;

    /**
     * @param scheduling makes what fires schedules; null if there is none
     * @param cleanup makes what deletes expired records; null if there is none
     */
    Builder(
        EventBackend home,
        @Nullable Supplier<BackgroundService> scheduling,
        @Nullable Supplier<BackgroundService> cleanup) {
      this.home = home;
      this.scheduling = scheduling;
      this.cleanup = cleanup;
    }

    /** Handles events of this type with code that completes them by returning. */
    public <P> Builder handle(EventType<P> type, EventHandler.Simple<P> body) {
      return handle(EventHandler.of(type, body));
    }

    /** Handles the events of a type; each type has one handler. */
    public Builder handle(EventHandler<?> handler) {
      HandlerSpec<?> spec = Require.notNull(handler, "handler").spec();
      String type = spec.type().name();
      Require.that(
          !handlers.containsKey(type),
          () -> "each type must have one handler, '" + type + "' was given two");
      handlers.put(type, spec);
      return this;
    }

    /**
     * Works on exactly these queues, each with as many handlers at a time; by default on the queue
     * {@code default} with 16. Replaces what was set before.
     *
     * @param concurrency the concurrency of each queue by its name, from 1 to 10,000
     */
    public Builder queues(Map<String, Integer> concurrency) {
      Require.notNull(concurrency, "concurrency");
      Require.that(!concurrency.isEmpty(), "queues must not be empty");
      Map<String, Integer> checked = new LinkedHashMap<>();
      concurrency.forEach(
          (queue, handlers) -> checked.put(requireQueue(queue), requireConcurrency(handlers)));
      queues.clear();
      queues.putAll(checked);
      withDefaultQueue = false;
      return this;
    }

    /**
     * Works on one more queue, or changes the concurrency of a queue. The queue {@code default}
     * stays in the list; {@link #queues} sets a list without it.
     */
    public Builder queue(String queue, int concurrency) {
      queues.put(requireQueue(queue), requireConcurrency(concurrency));
      return this;
    }

    /**
     * Works on every queue that has due events, as they come and go, up to 100 queues at once, with
     * as many handlers at a time in each; queues that {@link #queue} or {@link #queues} name have
     * their own concurrency. A queue without due events is left after four times the lease
     * duration. On a database without notifications a new queue is found after the {@link
     * #pollInterval}.
     */
    public Builder allQueues(int concurrency) {
      allQueues = requireConcurrency(concurrency);
      return this;
    }

    private static String requireQueue(@Nullable String queue) {
      String name = Require.notNull(queue, "queue");
      Event.requireQueue(name);
      return name;
    }

    private static int requireConcurrency(@Nullable Integer concurrency) {
      return Require.between(Require.notNull(concurrency, "concurrency"), 1, 10_000, "concurrency");
    }

    /** Names this instance in lists and logs; by default after its host and process. */
    public Builder instanceName(String name) {
      Require.notBlank(name, "name");
      Require.between(name.length(), 1, 200, "the length of the name");
      this.instanceName = name;
      return this;
    }

    /**
     * Others take over the events of this instance when it has not renewed its lease for this time;
     * 15 s by default, from 500 ms to 1 h. It is renewed five times as often. Long pauses of the
     * JVM and a failover of the database should fit into it.
     */
    public Builder leaseDuration(Duration duration) {
      this.leaseDuration =
          Require.between(duration, Duration.ofMillis(500), Duration.ofHours(1), "leaseDuration");
      return this;
    }

    /**
     * How often it looks for due events without a notification; 1 s by default, from 10 ms to 1 h.
     */
    public Builder pollInterval(Duration interval) {
      this.pollInterval =
          Require.between(interval, Duration.ofMillis(10), Duration.ofHours(1), "pollInterval");
      return this;
    }

    /**
     * How many instances may crash in a row while they handle an event before it fails; 3 by
     * default, from 1 to 1000, and {@link EventHandler#maxCrashes} for a single type. An attempt
     * that has an outcome, such as a retry or a snooze, resets the count, and events that were
     * claimed but not started do not fail. An instance that has merely lost its lease, by an outage
     * of the database or a pause, takes the crash back when it returns.
     */
    public Builder maxCrashes(int max) {
      this.maxCrashes = Require.between(max, 1, 1000, "maxCrashes");
      return this;
    }

    /**
     * How long ended events are kept, and their keys with them; 7 days by default, from 1 minute to
     * 10 years. If workers differ, the shortest retention counts.
     *
     * <p>Guarantee: none is deleted earlier. Not guaranteed: when it is; usually within minutes, on
     * PostgreSQL when the whole day in which it ended, by UTC, is to be deleted.
     */
    public Builder retention(Duration retention) {
      this.retention =
          Require.between(retention, Duration.ofMinutes(1), Duration.ofDays(3653), "retention");
      return this;
    }

    /**
     * How long {@link Worker#close} waits for running handlers; 30 s by default, from 0 to 7 days.
     */
    public Builder shutdownTimeout(Duration timeout) {
      this.shutdownTimeout =
          Require.between(timeout, Duration.ZERO, DefaultWorker.MAX_TIMEOUT, "timeout");
      return this;
    }

    /** Whether it fires due schedules; by default it does. */
    public Builder scheduling(boolean enabled) {
      this.schedules = enabled;
      return this;
    }

    /** Whether it deletes expired idempotency records; by default it does. */
    public Builder cleanup(boolean enabled) {
      this.cleans = enabled;
      return this;
    }

    /** Builds it; {@link Worker#start} starts it. */
    public Worker build() {
      WorkerEngine.requireConnections(home);
      return new DefaultWorker(
          home,
          settings(),
          shutdownTimeout,
          schedules && scheduling != null ? scheduling.get() : null,
          cleans && cleanup != null ? cleanup.get() : null);
    }

    /** Builds and starts it. */
    public Worker start() {
      Worker worker = build();
      worker.start();
      return worker;
    }

    /**
     * Builds a worker without threads, which handles one event at a time when it is called. It
     * fires no schedules and deletes no records, and ignores the concurrency of queues and the
     * {@link #pollInterval}.
     */
    public ManualWorker buildManual() {
      Require.that(allQueues == 0, "a manual worker must have named queues, had allQueues(…)");
      return new ManualWorker(home, settings());
    }

    private WorkerOptions settings() {
      Require.that(!handlers.isEmpty(), "a worker must have a handler, had none");
      // without the codec, each of its events would fail permanently
      handlers.values().forEach(spec -> spec.type().codec(home.codecs()));
      Map<String, Integer> all = new LinkedHashMap<>();
      if (withDefaultQueue && allQueues == 0) {
        all.putAll(DEFAULT_QUEUES);
      }
      all.putAll(queues);
      return new WorkerOptions(
          instanceName,
          Map.copyOf(handlers),
          Map.copyOf(all),
          allQueues,
          leaseDuration,
          pollInterval,
          maxCrashes,
          retention);
    }
  }
}
