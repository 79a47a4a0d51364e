package dev.holdfast.transaction;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Time that passes only where somebody waits, and remembers who did. */
final class FakeTime implements Retrying.Waiter {
  private long now = Long.MAX_VALUE - 5; // a nanoTime may overflow between two readings
  private final long start = now;
  final List<Duration> pauses = new ArrayList<>();

  @Override
  public long nanoTime() {
    return now;
  }

  @Override
  public void pause(Duration duration) throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    pauses.add(duration);
    pass(duration);
  }

  void pass(Duration duration) {
    now += duration.toNanos();
  }

  Duration elapsed() {
    return Duration.ofNanos(now - start);
  }
}
