package dev.holdfast.event;

import dev.holdfast.internal.Require;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The running engine: claims due events and hands them to their handlers.
 *
 * <pre>{@code
 * Worker worker = holdfast.worker()
 *     .handle(BIRTHDAY, (birthday, context) -> mailer.send(birthday))
 *     .handleInTransaction(INVOICE, (invoice, tx, context) -> ledger.post(tx, invoice))
 *     .start();
 * }</pre>
 *
 * <p>Guarantee: however many workers run, an event is in the hands of one of them at a time; every
 * write says which version of the event it changes, so one that has lost an event, because it was
 * suspended or cut off, changes nothing. When a worker dies, others take over its events within
 * about the time of its lease and a renewal (15 s and 3 s by default). A database that goes away is
 * waited for. Events of types that no worker handles stay pending. Not guaranteed: that a handler
 * runs only once; see {@link Handler} and {@link TransactionalHandler}.
 *
 * <p>Uses connections of its own: one for each queue and up to six more, of which it keeps two, and
 * one for each handler that runs in a transaction or completes at once. All its threads are
 * daemons: they do not keep the JVM alive. Stop it before the data source is closed. Thread-safe.
 */
public final class Worker implements AutoCloseable {
  private static final Duration DEFAULT_STOP = Duration.ofSeconds(30);

  private final Engine engine;

  private Worker(Engine engine) {
    this.engine = engine;
  }

  /**
   * Stops: claims no more, gives back what is not begun, and lets handlers come to their end. Those
   * that have not within {@code limit} are cancelled, and their events given back. The lease is
   * renewed until the last has ended.
   *
   * <p>Returns five seconds after {@code limit} at the latest, also where the database does not
   * answer. What could not be stored by then is recovered by others when the lease has run out.
   *
   * @return whether every handler came to its end; false if one was cancelled, because of the limit
   *     or because the lease was lost in the meantime
   */
  public boolean stop(Duration limit) {
    Require.between(limit, Duration.ZERO, Duration.ofDays(1), "limit");
    return engine.stop(limit);
  }

  /** Stops, with 30 s for the handlers. */
  @Override
  public void close() {
    stop(DEFAULT_STOP);
  }

  /** What an instance is called that was given no name: its host and the number of its process. */
  public static String defaultName() {
    return InstanceName.ofThisProcess();
  }

  /** How many events this worker has in its hands, begun or not. */
  public int inHands() {
    return engine.inHands();
  }

  /** Whether it has its lease, so that it can work. */
  public boolean isHealthy() {
    return engine.isHealthy();
  }

  /** How it is now, and what it has trouble with; asks nobody, so it never waits. */
  public WorkerHealth health() {
    return engine.health();
  }

  /** What a worker is made of. For one thread. */
  public static final class Builder {
    private final EventHome home;
    private final Map<String, HandlerSpec<?>> handlers = new LinkedHashMap<>();
    private final Map<String, Integer> queues = new LinkedHashMap<>();
    private int everyQueue;
    private String name = InstanceName.ofThisProcess();
    private Duration lease = Duration.ofSeconds(15);
    private Duration poll = Duration.ofSeconds(1);
    private int mostCrashes = 3;
    private Duration keepHistory = Duration.ofDays(7);

    Builder(EventHome home) {
      this.home = home;
    }

    /** Handles events of this type; whoever returns is done. */
    public <P> Builder handle(EventType<P> type, Handler<P> handler) {
      return handle(type, HandlerOptions.standard(), handler);
    }

    /** Handles events of this type; whoever returns is done. */
    public <P> Builder handle(EventType<P> type, HandlerOptions options, Handler<P> handler) {
      Require.notNull(handler, "handler");
      return handleWithOutcome(
          type,
          options,
          (payload, context) -> {
            handler.handle(payload, context);
            return Outcome.done();
          });
    }

    /** Handles events of this type; the handler says what shall become of them. */
    public <P> Builder handleWithOutcome(EventType<P> type, Handler.WithOutcome<P> handler) {
      return handleWithOutcome(type, HandlerOptions.standard(), handler);
    }

    /** Handles events of this type; the handler says what shall become of them. */
    public <P> Builder handleWithOutcome(
        EventType<P> type, HandlerOptions options, Handler.WithOutcome<P> handler) {
      Require.notNull(handler, "handler");
      return add(type, options, new HandlerSpec.Single<>(handler));
    }

    /** Handles events of this type in the transaction in which they end. */
    public <P> Builder handleInTransaction(EventType<P> type, TransactionalHandler<P> handler) {
      return handleInTransaction(type, HandlerOptions.standard(), handler);
    }

    /** Handles events of this type in the transaction in which they end. */
    public <P> Builder handleInTransaction(
        EventType<P> type, HandlerOptions options, TransactionalHandler<P> handler) {
      Require.notNull(handler, "handler");
      return add(type, options, new HandlerSpec.InTransaction<>(handler));
    }

    /** Handles up to {@code most} events of this type in one call; whoever returns is done. */
    public <P> Builder handleBatch(EventType<P> type, int most, BatchHandler<P> handler) {
      return handleBatch(type, most, HandlerOptions.standard(), handler);
    }

    /** Handles up to {@code most} events of this type in one call; whoever returns is done. */
    public <P> Builder handleBatch(
        EventType<P> type, int most, HandlerOptions options, BatchHandler<P> handler) {
      Require.notNull(handler, "handler");
      return handleBatchWithOutcomes(
          type,
          most,
          options,
          items -> {
            handler.handle(items);
            return Collections.nCopies(items.size(), Outcome.done());
          });
    }

    /**
     * Handles up to {@code most} events of this type in one call; the handler says what shall
     * become of each.
     */
    public <P> Builder handleBatchWithOutcomes(
        EventType<P> type, int most, BatchHandler.WithOutcomes<P> handler) {
      return handleBatchWithOutcomes(type, most, HandlerOptions.standard(), handler);
    }

    /**
     * Handles up to {@code most} events of this type in one call, at most 1000; the handler says
     * what shall become of each. The time limit is for the call. A queue of their own is best for
     * such events: the worker claims enough for a whole batch of each of its handlers.
     */
    public <P> Builder handleBatchWithOutcomes(
        EventType<P> type, int most, HandlerOptions options, BatchHandler.WithOutcomes<P> handler) {
      Require.between(most, 1, 1000, "the most events of a batch");
      Require.notNull(handler, "handler");
      return add(type, options, new HandlerSpec.Batch<>(most, handler));
    }

    /** Handles events of this type without a thread while their stages are not complete. */
    public <P> Builder handleAsync(EventType<P> type, Handler.Asynchronous<P> handler) {
      return handleAsync(type, HandlerOptions.standard(), handler);
    }

    /**
     * Handles events of this type without a thread while their stages are not complete, as many at
     * a time as the concurrency of their queue says. Their ends are stored in batches only.
     */
    public <P> Builder handleAsync(
        EventType<P> type, HandlerOptions options, Handler.Asynchronous<P> handler) {
      Require.notNull(handler, "handler");
      Require.that(
          Require.notNull(options, "options").completion() == HandlerOptions.Completion.BATCHED,
          () -> "the completion of an asynchronous handler must be BATCHED, of '" + type + "'");
      return add(type, options, new HandlerSpec.Async<>(handler));
    }

    private <P> Builder add(EventType<P> type, HandlerOptions options, HandlerSpec.Body<P> body) {
      String name = Require.notNull(type, "type").name();
      Require.that(
          !handlers.containsKey(name),
          () -> "each type must have one handler, '" + name + "' was given two");
      handlers.put(name, new HandlerSpec<>(type, Require.notNull(options, "options"), body));
      return this;
    }

    /**
     * Works on this queue with as many handlers at a time; by default on the queue {@code default}
     * with 16.
     */
    public Builder queue(String queue, int concurrency) {
      Event.requireQueue(queue);
      queues.put(queue, Require.between(concurrency, 1, 10_000, "concurrency"));
      return this;
    }

    /**
     * Works on every queue in which something waits, as they come and go, up to a hundred of them
     * at once, with as many handlers at a time in each; those that {@link #queue} names have their
     * own number. A queue in which nothing waits any more is left after four times the lease. On a
     * database that announces nothing a new queue is found at the next {@link #poll}.
     */
    public Builder everyQueue(int concurrency) {
      everyQueue = Require.between(concurrency, 1, 10_000, "concurrency");
      return this;
    }

    /** What this instance is called in lists and logs; by default by its host and process. */
    public Builder name(String name) {
      Require.notBlank(name, "name");
      Require.between(name.length(), 1, 200, "the length of the name");
      this.name = name;
      return this;
    }

    /**
     * After this time without a sign of life others take over; 15 s by default. It is renewed five
     * times as often. Long pauses of the JVM and the database's failover should fit into it.
     */
    public Builder lease(Duration lease) {
      this.lease = Require.between(lease, Duration.ofMillis(500), Duration.ofHours(1), "lease");
      return this;
    }

    /** How often to look for due events where nobody says that there are; 1 s by default. */
    public Builder poll(Duration poll) {
      this.poll = Require.between(poll, Duration.ofMillis(10), Duration.ofHours(1), "poll");
      return this;
    }

    /**
     * How many instances may crash one after the other while they handle an event before it fails;
     * 3 by default, and {@link HandlerOptions#mostCrashes} for a single type. An attempt that comes
     * to an outcome, such as a retry or a snooze, begins the count anew, and events that only
     * waited in the hands of an instance do not fail. An instance that has merely lost its lease,
     * by an outage of the database or a pause, takes the crash back when it returns.
     */
    public Builder mostCrashes(int most) {
      this.mostCrashes = Require.between(most, 1, 1000, "mostCrashes");
      return this;
    }

    /**
     * How long ended events are kept, and their keys with them; 7 days by default, from a minute to
     * ten years. Of workers that say different things, the shortest counts.
     *
     * <p>Guarantee: none is forgotten earlier. Not guaranteed: when it is; usually within minutes,
     * on PostgreSQL when the whole day in which it ended, by UTC, is to be forgotten.
     */
    public Builder keepHistory(Duration time) {
      this.keepHistory =
          Require.between(time, Duration.ofMinutes(1), Duration.ofDays(3653), "keepHistory");
      return this;
    }

    /** Starts it. */
    public Worker start() {
      Engine engine = new Engine(home, settings());
      engine.start();
      return new Worker(engine);
    }

    /**
     * A worker that starts nothing and handles one event at a time, when it is told to. The
     * concurrency of queues and {@link #poll} do not matter to it.
     */
    public HandWorker byHand() {
      Require.that(everyQueue == 0, "a worker by hand must be told its queues, had everyQueue");
      return new HandWorker(home, settings());
    }

    private WorkerSettings settings() {
      Require.that(!handlers.isEmpty(), "a worker must handle something, had no handler");
      return new WorkerSettings(
          name,
          Map.copyOf(handlers),
          queues.isEmpty() && everyQueue == 0 ? Map.of("default", 16) : Map.copyOf(queues),
          everyQueue,
          lease,
          poll,
          mostCrashes,
          keepHistory);
    }
  }
}
