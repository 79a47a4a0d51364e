package dev.holdfast.internal.event.engine;

import dev.holdfast.Health;
import dev.holdfast.internal.event.FailureText;
import dev.holdfast.transaction.CommitUnknownException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;

/** What a worker tried last without success. Thread-safe. */
final class HealthIssues {
  private record Last(String error, long sinceNanos) {}

  private final Map<HealthIssue, Last> now =
      new ConcurrentSkipListMap<>(
          Comparator.comparing(HealthIssue::what).thenComparing(HealthIssue::code));

  /** Answers whether it worked before, so that there is news. */
  boolean failed(HealthIssue trouble, Throwable failure) {
    return failed(trouble, isUnknown(failure) ? text(failure) : FailureText.of(failure));
  }

  /** Answers whether it worked before, so that there is news. */
  boolean failed(HealthIssue trouble, String error) {
    boolean[] news = new boolean[1];
    now.compute(
        trouble,
        (same, before) -> {
          news[0] = before == null;
          return new Last(error, before == null ? System.nanoTime() : before.sinceNanos());
        });
    return news[0];
  }

  /**
   * A failure of the engine as it is logged. If the response to a commit was lost, the engine
   * itself finds out whether it took effect; the exception's advice is for those who commit
   * themselves.
   */
  static String text(Throwable failure) {
    return isUnknown(failure)
        ? "the answer of the database was lost; the worker finds out by itself what became of it: "
            + failure.getCause()
        : failure.toString();
  }

  private static boolean isUnknown(Throwable failure) {
    return failure instanceof CommitUnknownException;
  }

  /** It works, or does so again. */
  void over(HealthIssue trouble) {
    if (!now.isEmpty()) {
      now.remove(trouble);
    }
  }

  List<Health.Issue> now() {
    long time = System.nanoTime();
    return now.entrySet().stream()
        .map(
            one ->
                new Health.Issue(
                    one.getKey().code(),
                    one.getKey().what() + ": " + one.getValue().error(),
                    Duration.ofNanos(Math.max(0, time - one.getValue().sinceNanos()))))
        .toList();
  }
}
