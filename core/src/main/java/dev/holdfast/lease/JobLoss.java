package dev.holdfast.lease;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Interrupts a run of a job that loses its lease, and tells why in words about the job: one line in
 * the log for each loss. Thread-safe.
 */
final class JobLoss {
  private static final Logger LOG = LoggerFactory.getLogger(ExclusiveJob.class);

  private final JobSettings settings;
  private final DefaultLease lease;
  private final Interruption interruption;
  private volatile boolean begun;
  private @Nullable String logged;

  JobLoss(JobSettings settings, DefaultLease lease, Interruption interruption) {
    this.settings = settings;
    this.lease = lease;
    this.interruption = interruption;
  }

  void watch() {
    lease.loseQuietly();
    lease.onLost(
        loss -> {
          interruption.interrupt();
          if (interruption.isSent()) {
            log();
          }
        });
  }

  /** The action begins now. */
  void begin() {
    lease.ensureValid(Duration.ZERO);
    begun = true;
  }

  /** Whether the thread was interrupted by somebody else. */
  boolean endInterruption() {
    return interruption.end();
  }

  /** Whether the action failed only because it was interrupted for the loss. */
  boolean explains(Throwable failure) {
    if (failure instanceof LeaseLostException lost) {
      return lost.token() == lease.token() && lost.key().equals(lease.key());
    }
    boolean interrupted = false;
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      interrupted |= cause instanceof InterruptedException;
    }
    return interrupted && interruption.isSent();
  }

  /** What the record of the run says. */
  String record(@Nullable Throwable failure) {
    return failure == null || explains(failure) ? log() : log() + "; it threw " + failure;
  }

  LeaseLostException told(@Nullable Throwable failure) {
    Throwable cause = failure != null && explains(failure) ? failure : null;
    return LeaseLostException.ofJob(
        lease,
        log() + "; its work may have met that of the next run: guard the writes by Fence",
        cause);
  }

  /** Why it was lost, which is in the log from now on. */
  private synchronized String log() {
    String known = logged;
    if (known == null) {
      known = why();
      logged = known;
      LOG.warn("{} (token {})", known, lease.token());
    }
    return known;
  }

  private String why() {
    String ended =
        "job "
            + settings.key()
            + (interruption.isSent() ? " was interrupted: " : " has lost its lease: ");
    if (lease.deadline() - System.nanoTime() > 0) {
      return ended + "it was taken away by force, or its record was changed";
    }
    return begun
        ? ended + "it ran longer than its atMost of " + settings.atMost()
        : ended + "its atMost of " + settings.atMost() + " was over before its action began";
  }
}
