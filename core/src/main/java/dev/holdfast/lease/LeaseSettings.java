package dev.holdfast.lease;

import java.time.Duration;

/** How leases are acquired and kept, beyond what each call says. */
record LeaseSettings(
    boolean renewing,
    boolean fair,
    boolean reentrant,
    boolean insideTransactions,
    Duration patience) {
  static final LeaseSettings STANDARD =
      new LeaseSettings(false, false, false, false, Duration.ofSeconds(30));

  LeaseSettings withRenewing(boolean value) {
    return new LeaseSettings(value, fair, reentrant, insideTransactions, patience);
  }

  LeaseSettings withFair() {
    return new LeaseSettings(renewing, true, reentrant, insideTransactions, patience);
  }

  LeaseSettings withReentrant() {
    return new LeaseSettings(renewing, fair, true, insideTransactions, patience);
  }

  LeaseSettings withInsideTransactions() {
    return new LeaseSettings(renewing, fair, reentrant, true, patience);
  }

  LeaseSettings withPatience(Duration value) {
    return new LeaseSettings(renewing, fair, reentrant, insideTransactions, value);
  }
}
