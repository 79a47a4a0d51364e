package dev.holdfast.bench;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Threads that all do the same for a time. */
public final class Hands implements AutoCloseable {
  /** What each of them does again and again. */
  @FunctionalInterface
  public interface Deed {
    /** Answers how much of what is counted was done. */
    int by(int hand) throws Exception;
  }

  private final int count;
  private final ExecutorService threads;

  public Hands(int count) {
    this.count = count;
    this.threads = Executors.newFixedThreadPool(count);
  }

  /** How much per second was done by all together. */
  public double perSecond(Duration time, Deed deed) throws Exception {
    long begin = System.nanoTime();
    long end = begin + time.toNanos();
    List<Callable<Integer>> works = new ArrayList<>();
    for (int hand = 0; hand < count; hand++) {
      int number = hand;
      works.add(() -> work(number, deed, end));
    }
    int done = 0;
    for (Future<Integer> work : threads.invokeAll(works)) {
      done += work.get();
    }
    return done * 1e9 / (System.nanoTime() - begin);
  }

  private static int work(int hand, Deed deed, long end) throws Exception {
    int done = 0;
    do {
      done += deed.by(hand);
    } while (System.nanoTime() < end);
    return done;
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
