package dev.holdfast.client;

import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.ResponseInfo;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * One attempt to send a request. The head of the response decides whether it is retried: then the
 * body is discarded, otherwise the handler of the caller reads it.
 */
final class HttpAttempt<T> implements BodyHandler<T> {
  private static final Set<Integer> RETRYABLE = Set.of(425, 429, 502, 503, 504);
  private static final int IN_PROGRESS = 409;
  private static final String RETRY_AFTER = "Retry-After";

  private final BodyHandler<T> handler;
  private final boolean numberIsLast;
  private final long end;

  /** Before the next attempt, in nanoseconds. */
  private volatile long pause;

  private volatile boolean discarded;

  /**
   * Creates an attempt.
   *
   * @param numberIsLast whether the maximum number of attempts is reached
   * @param end of all attempts, as of {@code System.nanoTime()}
   * @param maxPause the longest pause after it, unless {@code Retry-After} demands a longer one
   */
  HttpAttempt(BodyHandler<T> handler, boolean numberIsLast, long end, Duration maxPause) {
    this.handler = handler;
    this.numberIsLast = numberIsLast;
    this.end = end;
    long nanos = maxPause.toNanos();
    this.pause = ThreadLocalRandom.current().nextLong(nanos / 2, nanos + 1);
  }

  @Override
  public BodySubscriber<T> apply(ResponseInfo head) {
    if (isRetryable(head)) {
      pause =
          Math.max(
              pause, head.headers().firstValue(RETRY_AFTER).map(HttpAttempt::seconds).orElse(0L));
      discarded = !isLast();
    }
    return discarded ? new DiscardingBodySubscriber<>() : handler.apply(head);
  }

  private static boolean isRetryable(ResponseInfo head) {
    return RETRYABLE.contains(head.statusCode())
        || (head.statusCode() == IN_PROGRESS && head.headers().firstValue(RETRY_AFTER).isPresent());
  }

  /** Zero if it is a date: clocks are not compared. */
  private static long seconds(String text) {
    String digits = text.strip();
    if (digits.isEmpty()
        || digits.length() > 9
        || !digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
      return 0;
    }
    return TimeUnit.SECONDS.toNanos(Long.parseLong(digits));
  }

  /** Whether the response was discarded, and another attempt follows. */
  boolean isDiscarded() {
    return discarded;
  }

  /** Whether no further attempt is allowed, or no time is left for one. */
  boolean isLast() {
    return numberIsLast || end - System.nanoTime() <= pause;
  }

  /** Waits until the next attempt. */
  void pause() throws InterruptedException {
    TimeUnit.NANOSECONDS.sleep(Math.min(pause, end - System.nanoTime()));
  }
}
