package dev.holdfast.event;

import dev.holdfast.BackgroundService;
import dev.holdfast.internal.event.InstanceName;
import java.time.Duration;
import java.util.Map;

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
  interface Builder {
    /** Handles events of this type with code that completes them by returning. */
    <P> Builder handle(EventType<P> type, EventHandler.Simple<P> body);

    /** Handles the events of a type; each type has one handler. */
    Builder handle(EventHandler<?> handler);

    /**
     * Works on exactly these queues, each with as many handlers at a time; by default on the queue
     * {@code default} with 16. Replaces what was set before.
     *
     * @param concurrency the concurrency of each queue by its name, from 1 to 10,000
     */
    Builder queues(Map<String, Integer> concurrency);

    /**
     * Works on one more queue, or changes the concurrency of a queue. The queue {@code default}
     * stays in the list; {@link #queues} sets a list without it.
     */
    Builder queue(String queue, int concurrency);

    /**
     * Works on every queue that has due events, as they come and go, up to 100 queues at once, with
     * as many handlers at a time in each; queues that {@link #queue} or {@link #queues} name have
     * their own concurrency. A queue without due events is left after four times the lease
     * duration. On a database without notifications a new queue is found after the {@link
     * #pollInterval}.
     */
    Builder allQueues(int concurrency);

    /** Names this instance in lists and logs; by default after its host and process. */
    Builder instanceName(String name);

    /**
     * Others take over the events of this instance when it has not renewed its lease for this time;
     * 15 s by default, from 500 ms to 1 h. It is renewed five times as often. Long pauses of the
     * JVM and a failover of the database should fit into it.
     */
    Builder leaseDuration(Duration duration);

    /**
     * How often it looks for due events without a notification; 1 s by default, from 10 ms to 1 h.
     */
    Builder pollInterval(Duration interval);

    /**
     * How many instances may crash in a row while they handle an event before it fails; 3 by
     * default, from 1 to 1000, and {@link EventHandler#maxCrashes} for a single type. An attempt
     * that has an outcome, such as a retry or a snooze, resets the count, and events that were
     * claimed but not started do not fail. An instance that has merely lost its lease, by an outage
     * of the database or a pause, takes the crash back when it returns.
     */
    Builder maxCrashes(int max);

    /**
     * How long ended events are kept, and their keys with them; 7 days by default, from 1 minute to
     * 10 years. If workers differ, the shortest retention counts.
     *
     * <p>Guarantee: none is deleted earlier. Not guaranteed: when it is; usually within minutes, on
     * PostgreSQL when the whole day in which it ended, by UTC, is to be deleted.
     */
    Builder retention(Duration retention);

    /**
     * How long {@link Worker#close} waits for running handlers; 30 s by default, from 0 to 7 days.
     */
    Builder shutdownTimeout(Duration timeout);

    /** Whether it fires due schedules; by default it does. */
    Builder scheduling(boolean enabled);

    /** Whether it deletes expired idempotency records; by default it does. */
    Builder cleanup(boolean enabled);

    /** Builds it; {@link Worker#start} starts it. */
    Worker build();

    /** Builds and starts it. */
    Worker start();

    /**
     * Builds a worker without threads, which handles one event at a time when it is called. It
     * fires no schedules and deletes no records, and ignores the concurrency of queues and the
     * {@link #pollInterval}.
     */
    ManualWorker buildManual();
  }
}
