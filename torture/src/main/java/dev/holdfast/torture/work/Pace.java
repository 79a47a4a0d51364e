package dev.holdfast.torture.work;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** How fast a node makes load, and until when. Thread-safe. */
final class Pace {
  private final CountDownLatch ended = new CountDownLatch(1);

  void end() {
    ended.countDown();
  }

  boolean isOver() {
    return ended.getCount() == 0;
  }

  /** Runs a round of load again and again, with pauses of about so many milliseconds. */
  void loop(String name, long millis, Round round) {
    Thread thread = new Thread(() -> run(millis, round), name);
    thread.setDaemon(true);
    thread.start();
  }

  /** One piece of load. */
  interface Round {
    void run() throws Exception;
  }

  @SuppressWarnings("CatchingUnchecked") // a fault must not end the load
  private void run(long millis, Round round) {
    try {
      while (!ended.await(
          ThreadLocalRandom.current().nextLong(millis / 2, millis * 2), TimeUnit.MILLISECONDS)) {
        try {
          round.run();
        } catch (InterruptedException e) {
          throw e;
        } catch (Exception e) {
          System.out.println(Thread.currentThread().getName() + " failed: " + e);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
