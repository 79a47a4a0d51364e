package dev.holdfast.idempotency.http;

import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.ResponseInfo;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * One of the times that a request is sent. Once the head of its answer is there, it is decided
 * whether it is sent again after it: then nobody else sees the answer, otherwise it is the one that
 * is given.
 */
final class Attempt<T> implements BodyHandler<T> {
  private static final Set<Integer> LATER = Set.of(425, 429, 502, 503, 504);
  private static final int IN_PROGRESS = 409;
  private static final String RETRY_AFTER = "Retry-After";

  private final BodyHandler<T> handler;
  private final boolean numberIsLast;
  private final long end;

  /** Before the next attempt, in nanoseconds. */
  private volatile long pause;

  private volatile boolean thrownAway;

  /**
   * One of several.
   *
   * @param numberIsLast whether there may be no more of them
   * @param end of all of them, as of {@code System.nanoTime()}
   * @param longest the longest pause after it, unless the answer asks for another one
   */
  Attempt(BodyHandler<T> handler, boolean numberIsLast, long end, Duration longest) {
    this.handler = handler;
    this.numberIsLast = numberIsLast;
    this.end = end;
    long nanos = longest.toNanos();
    this.pause = ThreadLocalRandom.current().nextLong(nanos / 2, nanos + 1);
  }

  @Override
  public BodySubscriber<T> apply(ResponseInfo head) {
    if (asksToRepeat(head)) {
      pause =
          Math.max(pause, head.headers().firstValue(RETRY_AFTER).map(Attempt::seconds).orElse(0L));
      thrownAway = !isLast();
    }
    return thrownAway ? new ThrownAway<>() : handler.apply(head);
  }

  private static boolean asksToRepeat(ResponseInfo head) {
    return LATER.contains(head.statusCode())
        || (head.statusCode() == IN_PROGRESS && head.headers().firstValue(RETRY_AFTER).isPresent());
  }

  /** Zero where it is a date, or nothing at all: clocks are not compared. */
  private static long seconds(String text) {
    String digits = text.strip();
    if (digits.isEmpty()
        || digits.length() > 9
        || !digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
      return 0;
    }
    return TimeUnit.SECONDS.toNanos(Long.parseLong(digits));
  }

  /** Whether there was an answer, which nobody has seen: another attempt follows. */
  boolean isThrownAway() {
    return thrownAway;
  }

  /** Whether there may be no other one after it, or no time for it. */
  boolean isLast() {
    return numberIsLast || end - System.nanoTime() <= pause;
  }

  /** Waits for the next one. */
  void rest() throws InterruptedException {
    TimeUnit.NANOSECONDS.sleep(Math.min(pause, end - System.nanoTime()));
  }
}
