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

  /** Returns whether it worked before, so that it is to be logged. */
  boolean failed(HealthIssue issue, Throwable failure) {
    return failed(issue, isUnknown(failure) ? text(failure) : FailureText.of(failure));
  }

  /** Returns whether it worked before, so that it is to be logged. */
  boolean failed(HealthIssue issue, String error) {
    boolean[] isNew = new boolean[1];
    now.compute(
        issue,
        (same, before) -> {
          isNew[0] = before == null;
          return new Last(error, before == null ? System.nanoTime() : before.sinceNanos());
        });
    return isNew[0];
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
  void over(HealthIssue issue) {
    if (!now.isEmpty()) {
      now.remove(issue);
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
