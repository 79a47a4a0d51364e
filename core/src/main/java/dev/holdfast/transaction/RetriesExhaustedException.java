package dev.holdfast.transaction;

import dev.holdfast.HoldfastException;
import java.time.Duration;
import java.util.List;

/**
 * Every attempt of retried work failed. Nothing of it has taken effect.
 *
 * <p>The cause is the last failure; {@link #failures()} has all of them, in order.
 */
public final class RetriesExhaustedException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  /** Why there is no further attempt. */
  public enum Reason {
    ATTEMPTS("no attempt is left"),
    DEADLINE("the next attempt would start after the deadline"),
    INTERRUPTED("the thread was interrupted");

    private final String text;

    Reason(String text) {
      this.text = text;
    }
  }

  private final String name;
  private final Reason reason;
  private final Duration elapsed;
  private final Throwable[] failures;

  RetriesExhaustedException(
      String name, Reason reason, Duration elapsed, List<Throwable> failures) {
    super(
        "retries-exhausted",
        "'%s' failed after %d attempts in %d ms: %s. The last failure was: %s"
            .formatted(
                name,
                failures.size(),
                elapsed.toMillis(),
                reason.text,
                failures.get(failures.size() - 1).getMessage()),
        failures.get(failures.size() - 1));
    this.name = name;
    this.reason = reason;
    this.elapsed = elapsed;
    this.failures = failures.toArray(new Throwable[0]);
    failures.subList(0, failures.size() - 1).forEach(this::addSuppressed);
  }

  /** The name of the retried work. */
  public String name() {
    return name;
  }

  public Reason reason() {
    return reason;
  }

  public int attempts() {
    return failures.length;
  }

  public Duration elapsed() {
    return elapsed;
  }

  /** Why each attempt failed, first to last. */
  public List<Throwable> failures() {
    return List.of(failures);
  }
}
