package dev.holdfast.internal.job;

import dev.holdfast.HoldfastException;
import dev.holdfast.LeaseLostException;
import dev.holdfast.internal.Require;
import dev.holdfast.job.Job;
import dev.holdfast.job.JobContext;
import dev.holdfast.job.JobRecord;
import dev.holdfast.job.JobRunResult;
import dev.holdfast.lease.Lease;
import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.LeaseRecord;
import dev.holdfast.lease.Leases;
import dev.holdfast.lease.StaleTokenException;
import dev.holdfast.transaction.TransactionStateException;
import dev.holdfast.transaction.Transactions;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A job over its row in the table of jobs and its lease. */
final class DefaultJob implements Job {
  private static final Logger LOG = LoggerFactory.getLogger(Job.class);

  private final JobStore store;
  private final Leases leases;
  private final JobSettings settings;
  private final LeaseKey key;

  DefaultJob(JobStore store, Leases leases, JobSettings settings) {
    this.store = store;
    this.leases = leases;
    this.settings = settings;
    this.key = settings.key();
  }

  @Override
  public String name() {
    return key.name();
  }

  JobSettings settings() {
    return settings;
  }

  @Override
  public <X extends Exception> JobRunResult run(Action<X> action) throws X {
    return run(action, Duration.ZERO);
  }

  /**
   * @param interval how long ago the last run must have started, if that is longer than the minimum
   *     interval of the job
   */
  <X extends Exception> JobRunResult run(Action<X> action, Duration interval) throws X {
    Require.notNull(action, "action");
    if (Transactions.isOpenOnThisThread()) {
      throw new TransactionStateException(
          TransactionStateException.Reason.ACTIVE,
          "Cannot run the job "
              + key
              + ": a transaction is open on this thread. It may not see what the last run wrote,"
              + " and the next run may not see what it writes. Call run outside of the transaction,"
              + " and open one in the action.");
    }
    Optional<JobStore.Row> last = store.find(key);
    Duration wait = last.map(row -> row.untilNextRun(interval)).orElse(Duration.ZERO);
    if (!wait.isZero()) {
      return notYet(last.get().record(), wait);
    }
    Optional<Lease> lease = leases.tryAcquire(settings.lease());
    if (lease.isEmpty()) {
      return alreadyRunning();
    }
    JobRunResult rejected = start(lease.get(), interval);
    return rejected == null ? execute(lease.get(), action) : rejected;
  }

  /** The time until a run may start at this interval; zero if it may start now. */
  Duration untilNextRun(Duration interval) {
    return store.find(key).map(row -> row.untilNextRun(interval)).orElse(Duration.ZERO);
  }

  private static JobRunResult notYet(JobRecord last, Duration wait) {
    return last.status() == JobRecord.Status.RUNNING
        ? new JobRunResult.AlreadyRunning(Optional.of(last.instanceName()), last.startedAt())
        : new JobRunResult.TooSoon(wait);
  }

  /** The holder of the lease may not have written its start yet, or may have just ended. */
  private JobRunResult alreadyRunning() {
    Optional<LeaseRecord.Holder> holder =
        leases.find(settings.lease().key()).stream()
            .flatMap(lease -> lease.holders().stream())
            .findFirst();
    Optional<JobStore.Row> last = store.find(key);
    Optional<String> instanceName =
        holder
            .map(LeaseRecord.Holder::instanceName)
            .or(() -> last.map(row -> row.record().instanceName()));
    Instant startedAt =
        last.map(
                row ->
                    holder.isEmpty() || holder.get().token() == row.record().token()
                        ? row.record().startedAt()
                        : row.now())
            .orElseGet(store::now);
    return new JobRunResult.AlreadyRunning(instanceName, startedAt);
  }

  /** Returns null if the run has started. */
  private @Nullable JobRunResult start(Lease lease, Duration interval) {
    JobRunResult rejected = null;
    try {
      if (!startWithRetry(lease, interval)) {
        rejected = rejected(lease, interval);
      }
    } catch (RuntimeException | Error e) {
      release(lease);
      throw e;
    }
    if (rejected != null) {
      release(lease);
    }
    return rejected;
  }

  private boolean startWithRetry(Lease lease, Duration interval) {
    try {
      return writeStart(lease, interval);
    } catch (HoldfastException e) {
      if (!e.isRetryable()) {
        throw e;
      }
      // if it was written and only the response was lost, the retry finds its own start
      return writeStart(lease, interval);
    }
  }

  private boolean writeStart(Lease lease, Duration interval) {
    return store.start(
        key,
        lease.token(),
        leases.instanceName(),
        settings.maxDuration(),
        settings.minInterval(),
        interval);
  }

  private JobRunResult rejected(Lease lease, Duration interval) {
    JobStore.Row last = store.find(key).orElseThrow();
    if (last.record().token() > lease.token() && last.untilNextRun(interval).isZero()) {
      throw new StaleTokenException(
          key.name(), lease.token(), OptionalLong.of(last.record().token()));
    }
    return notYet(last.record(), last.untilNextRun(interval));
  }

  private <X extends Exception> JobRunResult execute(Lease lease, Action<X> action) throws X {
    JobInterrupter interrupter = new JobInterrupter(settings, lease);
    interrupter.watch();
    long started = System.nanoTime();
    try {
      interrupter.start();
      action.run(new Context(lease));
    } catch (Throwable failure) {
      LeaseLostException lost = end(lease, interrupter, failure);
      if (lost != null && interrupter.explains(failure)) {
        throw lost;
      }
      if (lost != null) {
        failure.addSuppressed(lost);
      }
      throw failure;
    }
    Duration duration = Duration.ofNanos(System.nanoTime() - started);
    LeaseLostException lost = end(lease, interrupter, null);
    if (lost != null) {
      throw lost;
    }
    return new JobRunResult.Executed(duration);
  }

  /** Returns null if the lease was held until the end. */
  private @Nullable LeaseLostException end(
      Lease lease, JobInterrupter interrupter, @Nullable Throwable failure) {
    // an interrupted thread gets no connection from some pools
    boolean interrupted = interrupter.endAction();
    try {
      boolean kept = lease.isValid();
      kept &= writeEnd(lease, kept, interrupter, failure);
      if (release(lease) == Lease.ReleaseResult.LOST && kept) {
        kept = false;
        writeEnd(lease, false, interrupter, failure);
      }
      return kept ? null : interrupter.exception(failure);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Whether no later run has started; also if that is unknown, because the work is done. */
  private boolean writeEnd(
      Lease lease, boolean kept, JobInterrupter interrupter, @Nullable Throwable failure) {
    JobRecord.Status status =
        !kept
            ? JobRecord.Status.LOST
            : failure == null ? JobRecord.Status.SUCCEEDED : JobRecord.Status.FAILED;
    try {
      String error = failure == null ? null : failure.toString();
      return store.end(key, lease.token(), status, kept ? error : interrupter.error(failure));
    } catch (RuntimeException e) {
      LOG.warn(
          "job-record-failed: outcome {} of job {} could not be stored; its record will say LOST:"
              + " {}",
          status,
          key,
          e.toString(),
          e);
      return true;
    }
  }

  /** Returns null if the release failed; then the lease expires. */
  private static Lease.@Nullable ReleaseResult release(Lease lease) {
    try {
      return lease.release();
    } catch (RuntimeException e) {
      LOG.warn(
          "lease-release-failed: could not release lease {}; it expires in {}: {}",
          lease.key(),
          lease.remaining(),
          e.toString());
      return null;
    }
  }

  @Override
  public String toString() {
    return "job " + key;
  }

  private record Context(Lease lease) implements JobContext {
    @Override
    public long token() {
      return lease.token();
    }

    @Override
    public Duration remaining() {
      return lease.remaining();
    }

    @Override
    public void ensureValid(Duration margin) {
      lease.ensureValid(margin);
    }

    @Override
    public void onLost(Consumer<LeaseLostException> action) {
      lease.onLost(action);
    }
  }
}
