package dev.holdfast.web.event;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Processes concurrent requests in groups.
 *
 * <ol>
 *   <li>A request without concurrent ones is processed immediately, on its own thread.
 *   <li>Requests that arrive while a group is processed wait in a bounded queue.
 *   <li>When the group is done, the first request of the queue processes the next group: all queue
 *       requests up to a limit. A request processes one group only.
 * </ol>
 *
 * <p>Uses the threads of its callers. Thread-safe.
 */
final class GroupCommit<Q, A> {
  private final Function<List<Q>, List<Result<A>>> work;
  private final int maxWaiters;
  private final int maxBatch;
  private final Duration waitTimeout;

  /** Guards the fields below, and the leader flag of waiters. */
  private final Object lock = new Object();

  private final Deque<Waiter<Q, A>> queue = new ArrayDeque<>();
  private boolean busy;

  /**
   * @param work returns one result per request, in the same order
   * @param waitTimeout how long a request waits for its group, and for its result
   */
  GroupCommit(
      int maxWaiters, int maxBatch, Duration waitTimeout, Function<List<Q>, List<Result<A>>> work) {
    this.maxWaiters = maxWaiters;
    this.maxBatch = maxBatch;
    this.waitTimeout = waitTimeout;
    this.work = work;
  }

  /** The result of a request: a value or a failure. */
  record Result<A>(@Nullable A value, @Nullable RuntimeException failure) {
    static <A> Result<A> of(A value) {
      return new Result<>(value, null);
    }

    static <A> Result<A> failed(RuntimeException failure) {
      return new Result<>(null, failure);
    }
  }

  /** The request was not started. */
  static final class NotStartedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    NotStartedException(String message) {
      super(message, null, false, false);
    }
  }

  /** The request was started, and its result is unknown. */
  static final class UnknownResultException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UnknownResultException() {
      super("no result in time", null, false, false);
    }
  }

  private static final class Waiter<Q, A> {
    final Q request;

    /** Opened when the request has a result or leads the next group. */
    final CountDownLatch ready = new CountDownLatch(1);

    boolean leads;
    volatile @Nullable Result<A> result;

    Waiter(Q request) {
      this.request = request;
    }
  }

  /**
   * Processes a request and returns its result.
   *
   * @throws NotStartedException if the queue is full, or the request was not started in time
   * @throws UnknownResultException if it was started and has no result in time
   */
  A call(Q request) {
    Waiter<Q, A> me = new Waiter<>(request);
    boolean leads;
    synchronized (lock) {
      if (queue.size() >= maxWaiters) {
        throw new NotStartedException(maxWaiters + " requests are waiting");
      }
      queue.add(me);
      leads = !busy;
      busy = true;
    }
    if (leads || awaitLead(me)) {
      lead();
    }
    Result<A> result = me.result;
    if (result == null) {
      throw new UnknownResultException();
    }
    if (result.failure != null) {
      throw result.failure;
    }
    return Objects.requireNonNull(result.value);
  }

  /** Number of waiting requests. */
  int queueSize() {
    synchronized (lock) {
      return queue.size();
    }
  }

  /** Waits for the result, or until the request leads the next group. */
  private boolean awaitLead(Waiter<Q, A> me) {
    try {
      me.ready.await(waitTimeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    synchronized (lock) {
      if (!me.leads && me.result == null && queue.remove(me)) {
        throw new NotStartedException("the requests before this one took too long");
      }
      return me.leads;
    }
  }

  /** Processes the waiting requests, of which the leader is the first. */
  private void lead() {
    List<Waiter<Q, A>> group = new ArrayList<>();
    synchronized (lock) {
      while (!queue.isEmpty() && group.size() < maxBatch) {
        group.add(queue.remove());
      }
    }
    List<Result<A>> results = List.of();
    RuntimeException failure = new UnknownResultException();
    try {
      results = work.apply(group.stream().map(waiter -> waiter.request).toList());
    } catch (RuntimeException e) {
      failure = e;
    } finally {
      startNext();
      for (int i = 0; i < group.size(); i++) {
        Waiter<Q, A> one = group.get(i);
        one.result = i < results.size() ? results.get(i) : Result.failed(failure);
        one.ready.countDown();
      }
    }
  }

  private void startNext() {
    synchronized (lock) {
      Waiter<Q, A> next = queue.peek();
      busy = next != null;
      if (next != null) {
        next.leads = true;
        next.ready.countDown();
      }
    }
  }
}
