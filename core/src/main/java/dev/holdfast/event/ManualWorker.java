package dev.holdfast.event;

import java.time.Duration;
import java.util.Optional;

/**
 * A worker without threads: each call handles one due event in the calling thread. For tests, and
 * for programs that do what is due and end.
 *
 * <pre>{@code
 * ManualWorker worker = holdfast.worker().handle(BIRTHDAY, handler).buildManual();
 * while (worker.handleNext().isPresent()) {
 *   // until nothing is due
 * }
 * }</pre>
 *
 * <p>Guarantee: claims, versions, retries, outcomes and transactions are those of a {@link Worker};
 * any number of both may run on one database. What became of an event is stored when the call
 * returns. Within a queue events are handled in the order of priority and due time, also those that
 * a handler has just scheduled; queues take turns, in the order of their names. It has a lease from
 * the first event on until nothing is due.
 *
 * <p>Not guaranteed: the handlers are not watched, so their timeout and {@link
 * Events#requestCancellation} do not interrupt them. The lease is renewed between events only; it
 * is as long as the longest timeout of a handler, if that is longer than the one that was set, and
 * at most an hour. A handler that takes longer may find its event claimed by another worker, and
 * its outcome is rejected then.
 *
 * <p>Uses up to two connections at a time. For one thread at a time; a handler must not call it.
 */
public interface ManualWorker {
  /**
   * The result of one call.
   *
   * @param event the event afterwards: {@code COMPLETED}, {@code FAILED} or {@code CANCELLED}, or
   *     {@code PENDING} again with the time at which it is due next; still {@code PROCESSING} only
   *     if another worker has claimed it in the meantime
   * @param failure what the handler has thrown; empty if it returned or was not called
   */
  record Result(EventRecord event, Optional<Throwable> failure) {
    /** A summary for the message of a test. */
    @Override
    public String toString() {
      return event.type()
          + (event.key() == null ? " " + event.id() : " '" + event.key() + "'")
          + " attempt "
          + event.attempts()
          + ": "
          + event.status()
          + (event.status() == EventStatus.PENDING ? ", due " + event.dueAt() : "")
          + (event.error() == null ? "" : ", " + event.error());
    }
  }

  /**
   * Claims the next due event and handles it; also ends one whose deadline has passed.
   *
   * @return the result; empty if nothing is due that this worker has a handler for
   * @throws dev.holdfast.transaction.DatabaseException if a statement of the engine fails; the next
   *     call goes on. What a handler throws is not thrown, but returned
   */
  Optional<Result> handleNext();

  /**
   * How long it is until the next event in the queues of this worker is due that is not due yet, of
   * any type, by the clock of the database.
   */
  Optional<Duration> timeUntilNextDue();
}
