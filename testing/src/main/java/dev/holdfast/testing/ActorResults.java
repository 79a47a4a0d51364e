package dev.holdfast.testing;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What became of the actors of one {@link ConcurrentActors#run run}: the results of those that
 * returned and the failures of those that threw, each in the order of the actors. Immutable.
 */
public final class ActorResults<T extends @Nullable Object> {

  private final List<T> results;
  private final List<Throwable> failures;

  ActorResults(List<? extends T> results, List<Throwable> failures) {
    this.results = Collections.unmodifiableList(new ArrayList<>(results));
    this.failures = List.copyOf(failures);
  }

  /** What the actors that did not fail returned. */
  public List<T> results() {
    return results;
  }

  /** What the actors that failed threw. */
  public List<Throwable> failures() {
    return failures;
  }

  /**
   * What all the actors returned.
   *
   * @throws AssertionError if any of them failed, with every failure as a suppressed exception
   */
  public List<T> resultsOrThrow() {
    if (failures.isEmpty()) {
      return results;
    }
    AssertionError error =
        new AssertionError(
            "%d of %d actors failed, the first with: %s"
                .formatted(failures.size(), results.size() + failures.size(), failures.get(0)));
    failures.forEach(error::addSuppressed);
    throw error;
  }

  @Override
  public String toString() {
    return "Outcomes[results=" + results + ", failures=" + failures + "]";
  }
}
