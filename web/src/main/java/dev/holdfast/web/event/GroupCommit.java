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
 * Lets requests that come at the same time be worked on together.
 *
 * <ol>
 *   <li>The first goes at once, on its own thread: whoever is alone waits for nobody.
 *   <li>Those that come meanwhile wait in a queue, which is bounded.
 *   <li>When the work is done, the first of the queue leads the next group: all that wait, up to a
 *       limit. Nobody leads twice, so nobody works for others for long.
 * </ol>
 *
 * <p>Has no threads of its own. Thread-safe.
 */
final class GroupCommit<Q, A> {
  private final Function<List<Q>, List<Answer<A>>> work;
  private final int maxWaiters;
  private final int maxBatch;
  private final Duration patience;

  /** Guards what follows, and who leads. */
  private final Object lock = new Object();

  private final Deque<Waiter<Q, A>> waiting = new ArrayDeque<>();
  private boolean busy;

  /**
   * @param work answers as many as it was asked, in the same order
   * @param patience how long one waits for its turn, and for its answer
   */
  GroupCommit(
      int maxWaiters, int maxBatch, Duration patience, Function<List<Q>, List<Answer<A>>> work) {
    this.maxWaiters = maxWaiters;
    this.maxBatch = maxBatch;
    this.patience = patience;
    this.work = work;
  }

  /** What became of one: a value, or why there is none. */
  record Answer<A>(@Nullable A value, @Nullable RuntimeException failure) {
    static <A> Answer<A> of(A value) {
      return new Answer<>(value, null);
    }

    static <A> Answer<A> failed(RuntimeException failure) {
      return new Answer<>(null, failure);
    }
  }

  /** Nobody has begun to work on it. */
  static final class NotBegunException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    NotBegunException(String message) {
      super(message, null, false, false);
    }
  }

  /** It was begun, and what became of it is not known. */
  static final class InDoubtException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    InDoubtException() {
      super("the answer did not come in time", null, false, false);
    }
  }

  private static final class Waiter<Q, A> {
    final Q question;

    /** Open when it has its answer or is to lead. */
    final CountDownLatch turn = new CountDownLatch(1);

    boolean leads;
    volatile @Nullable Answer<A> answer;

    Waiter(Q question) {
      this.question = question;
    }
  }

  /**
   * The answer to a question.
   *
   * @throws NotBegunException where too many wait, or it was not begun in time
   * @throws InDoubtException where it was begun and not answered in time
   */
  A ask(Q question) {
    Waiter<Q, A> me = new Waiter<>(question);
    boolean leads;
    synchronized (lock) {
      if (waiting.size() >= maxWaiters) {
        throw new NotBegunException("there are " + maxWaiters + " requests before this one");
      }
      waiting.add(me);
      leads = !busy;
      busy = true;
    }
    if (leads || isToLead(me)) {
      lead();
    }
    Answer<A> answer = me.answer;
    if (answer == null) {
      throw new InDoubtException();
    }
    if (answer.failure != null) {
      throw answer.failure;
    }
    return Objects.requireNonNull(answer.value);
  }

  /** How many wait for their turn. */
  int waiting() {
    synchronized (lock) {
      return waiting.size();
    }
  }

  /** Waits for the turn of one that does not lead yet. */
  private boolean isToLead(Waiter<Q, A> me) {
    try {
      me.turn.await(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    synchronized (lock) {
      if (!me.leads && me.answer == null && waiting.remove(me)) {
        throw new NotBegunException("the requests before this one took too long");
      }
      return me.leads;
    }
  }

  /** Works on all that wait, of whom the leader is the first. */
  private void lead() {
    List<Waiter<Q, A>> group = new ArrayList<>();
    synchronized (lock) {
      while (!waiting.isEmpty() && group.size() < maxBatch) {
        group.add(waiting.remove());
      }
    }
    List<Answer<A>> answers = List.of();
    RuntimeException failure = new InDoubtException();
    try {
      answers = work.apply(group.stream().map(waiter -> waiter.question).toList());
    } catch (RuntimeException e) {
      failure = e;
    } finally {
      passOn();
      for (int i = 0; i < group.size(); i++) {
        Waiter<Q, A> one = group.get(i);
        one.answer = i < answers.size() ? answers.get(i) : Answer.failed(failure);
        one.turn.countDown();
      }
    }
  }

  private void passOn() {
    synchronized (lock) {
      Waiter<Q, A> next = waiting.peek();
      busy = next != null;
      if (next != null) {
        next.leads = true;
        next.turn.countDown();
      }
    }
  }
}
