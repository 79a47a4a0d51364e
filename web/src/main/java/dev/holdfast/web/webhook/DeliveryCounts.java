package dev.holdfast.web.webhook;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** What the delivery has done since it was started. Thread-safe. */
final class DeliveryCounts {
  private final Map<AttemptOutcome, LongAdder> attempts = new EnumMap<>(AttemptOutcome.class);
  private final LongAdder delayed = new LongAdder();

  DeliveryCounts() {
    for (AttemptOutcome outcome : AttemptOutcome.values()) {
      attempts.put(outcome, new LongAdder());
    }
  }

  void attempt(AttemptOutcome outcome) {
    of(outcome).increment();
  }

  long attempts(AttemptOutcome outcome) {
    return of(outcome).sum();
  }

  void delayed() {
    delayed.increment();
  }

  long delays() {
    return delayed.sum();
  }

  private LongAdder of(AttemptOutcome outcome) {
    LongAdder found = attempts.get(outcome);
    if (found == null) {
      throw new IllegalStateException(
          "every outcome must have a counter, " + outcome + " has none");
    }
    return found;
  }
}
