package dev.holdfast.testing;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A start gate for things that must happen at the same time: each actor gets a thread of its own,
 * all are let go at once, and the run ends when the last of them has.
 *
 * <p>A run never hangs. When its time limit, by default {@link #DEFAULT_LIMIT}, is over it fails
 * and says where each actor that has not ended stands.
 */
public final class ConcurrentActors {

  /** How long a run without a limit of its own may take: one minute. */
  public static final Duration DEFAULT_LIMIT = Duration.ofMinutes(1);

  private ConcurrentActors() {}

  /** What one of several equal actors does. */
  @FunctionalInterface
  public interface Actor<T extends @Nullable Object> {

    /** Acts as the actor of this index, counted from 0. */
    T act(int index) throws Exception;
  }

  /** Runs equal actors; see {@link #run(Duration, List)}. */
  public static <T extends @Nullable Object> ActorResults<T> run(int count, Actor<T> actor) {
    return run(DEFAULT_LIMIT, count, actor);
  }

  /** Runs equal actors; see {@link #run(Duration, List)}. */
  public static <T extends @Nullable Object> ActorResults<T> run(
      Duration limit, int count, Actor<T> actor) {
    return run(
        limit,
        IntStream.range(0, count).<Callable<T>>mapToObj(index -> () -> actor.act(index)).toList());
  }

  /** Runs actors of different kinds; see {@link #run(Duration, List)}. */
  public static <T extends @Nullable Object> ActorResults<T> run(
      List<? extends Callable<T>> actors) {
    return run(DEFAULT_LIMIT, actors);
  }

  /**
   * Lets all the actors go at once and waits until each has returned or thrown.
   *
   * @throws AssertionError if an actor has not ended within the limit, with the stacks of those
   *     that have not in its message and the failures of the others suppressed; the actors that are
   *     stuck are interrupted, and do not keep the JVM alive
   */
  public static <T extends @Nullable Object> ActorResults<T> run(
      Duration limit, List<? extends Callable<T>> actors) {
    CountDownLatch ready = new CountDownLatch(actors.size());
    CountDownLatch gate = new CountDownLatch(1);
    List<ActorThread<T>> threads =
        IntStream.range(0, actors.size())
            .mapToObj(index -> new ActorThread<T>(index, actors.get(index), ready, gate))
            .toList();
    threads.forEach(Thread::start);
    try {
      ready.await();
      gate.countDown();
      await(threads, limit);
    } catch (InterruptedException e) {
      threads.forEach(Thread::interrupt);
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while waiting for " + actors.size() + " actors", e);
    }
    return ActorThread.outcomes(threads);
  }

  private static <T extends @Nullable Object> void await(
      List<ActorThread<T>> threads, Duration limit) throws InterruptedException {
    long deadline = System.nanoTime() + limit.toNanos();
    for (ActorThread<T> thread : threads) {
      if (!thread.awaitEnd(deadline)) {
        throw stuck(threads, limit);
      }
    }
  }

  private static <T extends @Nullable Object> AssertionError stuck(
      List<ActorThread<T>> threads, Duration limit) {
    List<ActorThread<T>> stuck = threads.stream().filter(thread -> !thread.ended()).toList();
    StringBuilder message = new StringBuilder();
    message.append(
        "%d of %d actors have not ended within %s".formatted(stuck.size(), threads.size(), limit));
    stuck.forEach(thread -> message.append(System.lineSeparator()).append(thread.describe()));
    stuck.forEach(Thread::interrupt);
    AssertionError error = new AssertionError(message.toString());
    ActorThread.outcomes(threads).failures().forEach(error::addSuppressed);
    return error;
  }
}
