package dev.holdfast.internal.job;

import dev.holdfast.LeaseLostException;
import dev.holdfast.internal.lease.engine.DefaultLease;
import dev.holdfast.job.Job;
import dev.holdfast.lease.Lease;
import java.time.Duration;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Interrupts the thread of a run that loses its lease, but only while it runs the action, and
 * explains the loss: one line in the log per loss. Thread-safe.
 */
final class JobInterrupter {
  /** The code of the exception of a lost run. */
  static final String LEASE_LOST = "job-lease-lost";

  private static final Logger LOG = LoggerFactory.getLogger(Job.class);

  private final JobSettings settings;
  private final Lease lease;
  private final Thread thread = Thread.currentThread();
  private final long deadline;
  private volatile boolean started;
  private boolean sent;
  private boolean ended;
  private @Nullable String logged;

  /**
   * @param lease just acquired by this thread
   */
  JobInterrupter(JobSettings settings, Lease lease) {
    this.settings = settings;
    this.lease = lease;
    this.deadline = System.nanoTime() + lease.remaining().toNanos();
  }

  void watch() {
    if (lease instanceof DefaultLease logging) {
      logging.logLossAtDebug();
    }
    lease.onLost(
        loss -> {
          if (interrupt()) {
            log();
          }
        });
  }

  /** The action starts now. */
  void start() {
    lease.ensureValid(Duration.ZERO);
    started = true;
  }

  /** Returns whether this object has interrupted the thread. */
  private synchronized boolean interrupt() {
    if (!ended) {
      sent = true;
      thread.interrupt();
    }
    return sent;
  }

  private synchronized boolean isSent() {
    return sent;
  }

  /**
   * Ends the action, on the thread itself, and clears its interrupt status.
   *
   * @return whether other code has interrupted the thread
   */
  synchronized boolean endAction() {
    ended = true;
    return Thread.interrupted() && !sent;
  }

  /** Whether the action failed only because it was interrupted for the loss. */
  boolean explains(Throwable failure) {
    if (failure instanceof LeaseLostException lost) {
      return lost.subject().equals("lease " + lease.key())
          && lost.token().equals(OptionalLong.of(lease.token()));
    }
    boolean interrupted = false;
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      interrupted |= cause instanceof InterruptedException;
    }
    return interrupted && isSent();
  }

  /** The error in the record of the run. */
  String error(@Nullable Throwable failure) {
    return failure == null || explains(failure) ? log() : log() + "; it threw " + failure;
  }

  LeaseLostException exception(@Nullable Throwable failure) {
    Throwable cause = failure != null && explains(failure) ? failure : null;
    return new LeaseLostException(
        LEASE_LOST,
        "job " + settings.key(),
        OptionalLong.of(lease.token()),
        log() + ". Its work may have overlapped with the next run; guard its writes with Fence.",
        cause);
  }

  /** Explains the loss; logs it the first time. */
  private synchronized String log() {
    String known = logged;
    if (known == null) {
      known = why();
      logged = known;
      LOG.warn("job-lease-lost: {} (token {}); it runs again when it is due", known, lease.token());
    }
    return known;
  }

  private String why() {
    String ended =
        "job " + settings.key() + (isSent() ? " was interrupted: " : " lost its lease: ");
    if (deadline - System.nanoTime() > 0) {
      return ended + "an operator released it by force, or the record of the job was changed";
    }
    return started
        ? ended + "it ran longer than its maxDuration of " + settings.maxDuration()
        : ended + "its maxDuration of " + settings.maxDuration() + " was over before it started";
  }
}
