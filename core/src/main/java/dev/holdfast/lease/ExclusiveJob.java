package dev.holdfast.lease;

import dev.holdfast.HoldfastException;
import dev.holdfast.internal.Require;
import dev.holdfast.lease.internal.JobTable;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A job that runs on one instance at a time, and not too soon after its last run. A run:
 *
 * <ol>
 *   <li>look at the last run: too soon, and there is nothing to do;
 *   <li>acquire the lease of the job for {@code atMost}, without waiting;
 *   <li>write the beginning, unless another run has begun meanwhile: from here on the name is taken
 *       for {@code atLeast}, whatever happens to this process;
 *   <li>run the action, which is interrupted when the lease is lost;
 *   <li>write the end, unless a later run has begun, and release the lease.
 * </ol>
 *
 * <p>All times are compared by the clock of the database. Nothing is renewed: {@code atMost} is the
 * end. Immutable and thread-safe; belongs around any scheduler.
 */
public final class ExclusiveJob {
  private static final Logger LOG = LoggerFactory.getLogger(ExclusiveJob.class);

  private final JobTable table;
  private final Leases leases;
  private final JobSettings settings;
  private final LeaseKey key;

  ExclusiveJob(JobTable table, Leases leases, JobSettings settings) {
    this.table = table;
    this.leases = leases;
    this.settings = settings;
    this.key = settings.key();
  }

  public String name() {
    return key.name();
  }

  JobSettings settings() {
    return settings;
  }

  /**
   * Runs the action here and now, if nobody else does and the last run is long enough ago. Does not
   * wait for others.
   *
   * @throws X what the action throws; the run is recorded as failed
   * @throws LeaseLostException where the lease was lost before the action had ended, as when it
   *     took longer than {@code atMost}: its work may have met that of the next run. Also in place
   *     of the {@link InterruptedException} of an action that was interrupted for it, which is its
   *     cause then; the thread is not interrupted any more.
   * @throws LeaseInTransactionException inside an open transaction of Holdfast
   * @throws HoldfastException where the database or the store of leases did not answer; the action
   *     has not begun
   */
  public <X extends Exception> JobResult run(JobAction<X> action) throws X {
    return run(action, Duration.ZERO);
  }

  /**
   * @param pace how long ago the last run must have begun, where that is longer than {@code
   *     atLeast}
   */
  <X extends Exception> JobResult run(JobAction<X> action, Duration pace) throws X {
    Require.notNull(action, "action");
    if (leases.engine().isTransactionOpen()) {
      throw LeaseInTransactionException.running(key);
    }
    Optional<JobTable.Row> last = table.find(key);
    Duration rest = last.map(row -> row.rest(pace)).orElse(Duration.ZERO);
    if (!rest.isZero()) {
      return notYet(last.get().record(), rest);
    }
    Optional<Lease> lease = leases.tryAcquire(settings.lease(), settings.atMost());
    if (lease.isEmpty()) {
      return busy();
    }
    JobResult refused = begin(lease.get(), pace);
    return refused == null ? act(lease.get(), action) : refused;
  }

  /** How long it is until a run may begin at this pace; zero where it may now. */
  Duration rest(Duration pace) {
    return table.find(key).map(row -> row.rest(pace)).orElse(Duration.ZERO);
  }

  private static JobResult notYet(JobRecord last, Duration rest) {
    return last.outcome() == JobOutcome.RUNNING
        ? new JobResult.Busy(last.who(), last.started())
        : new JobResult.TooSoon(rest);
  }

  /** Who has the lease has perhaps not written its beginning yet, or has just ended. */
  private JobResult busy() {
    Optional<LeaseRecord.Holder> holder =
        leases.find(settings.lease().key()).stream()
            .flatMap(lease -> lease.holders().stream())
            .findFirst();
    Optional<JobTable.Row> last = table.find(key);
    String who =
        holder
            .map(LeaseRecord.Holder::who)
            .or(() -> last.map(row -> row.record().who()))
            .orElse("somebody who has just ended");
    Instant since =
        last.map(
                row ->
                    holder.isEmpty() || holder.get().token() == row.record().token()
                        ? row.record().started()
                        : row.now())
            .orElseGet(table::clock);
    return new JobResult.Busy(who, since);
  }

  /** Null where the run has begun. */
  private @Nullable JobResult begin(Lease lease, Duration pace) {
    JobResult refused = null;
    try {
      if (!begun(lease, pace)) {
        refused = refused(lease, pace);
      }
    } catch (RuntimeException | Error e) {
      release(lease);
      throw e;
    }
    if (refused != null) {
      release(lease);
    }
    return refused;
  }

  private boolean begun(Lease lease, Duration pace) {
    try {
      return write(lease, pace);
    } catch (HoldfastException e) {
      if (!e.retryable()) {
        throw e;
      }
      // perhaps it was written, and only the answer lost: then this finds it as its own
      return write(lease, pace);
    }
  }

  private boolean write(Lease lease, Duration pace) {
    return table.begin(
        key, lease.token(), leases.engine().holder(), settings.atMost(), settings.atLeast(), pace);
  }

  private JobResult refused(Lease lease, Duration pace) {
    JobTable.Row last = table.find(key).orElseThrow();
    if (last.record().token() > lease.token() && last.rest(pace).isZero()) {
      throw new StaleTokenException(key.name(), lease.token(), last.record().token());
    }
    return notYet(last.record(), last.rest(pace));
  }

  private <X extends Exception> JobResult act(Lease lease, JobAction<X> action) throws X {
    Interruption interruption = new Interruption(Thread.currentThread());
    JobLoss loss = new JobLoss(settings, (DefaultLease) lease, interruption);
    loss.watch();
    long began = System.nanoTime();
    try {
      loss.begin();
      action.run(new JobRun(lease));
    } catch (Throwable failure) {
      LeaseLostException lost = end(lease, loss, failure);
      if (lost != null && loss.explains(failure)) {
        throw lost;
      }
      if (lost != null) {
        failure.addSuppressed(lost);
      }
      throw failure;
    }
    Duration duration = Duration.ofNanos(System.nanoTime() - began);
    LeaseLostException lost = end(lease, loss, null);
    if (lost != null) {
      throw lost;
    }
    return new JobResult.Ran(duration);
  }

  /** Null where the lease was held until the end. */
  private @Nullable LeaseLostException end(Lease lease, JobLoss loss, @Nullable Throwable failure) {
    // a thread that is interrupted gets no connection from some pools
    boolean interrupted = loss.endInterruption();
    try {
      boolean kept = lease.isValid();
      kept &= written(lease, kept, loss, failure);
      if (release(lease) == ReleaseResult.WAS_LOST && kept) {
        kept = false;
        written(lease, false, loss, failure);
      }
      return kept ? null : loss.told(failure);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Whether no later run has begun; also where nobody knows, as the work itself is done. */
  private boolean written(Lease lease, boolean kept, JobLoss loss, @Nullable Throwable failure) {
    JobOutcome outcome =
        !kept ? JobOutcome.LOST : failure == null ? JobOutcome.SUCCEEDED : JobOutcome.FAILED;
    try {
      String why = failure == null ? null : failure.toString();
      return table.end(key, lease.token(), outcome, kept ? why : loss.record(failure));
    } catch (RuntimeException e) {
      LOG.warn("the job {} has ended, {}, which could not be recorded", key, outcome, e);
      return true;
    }
  }

  /** Null where it failed; then the lease just runs out. */
  private static @Nullable ReleaseResult release(Lease lease) {
    try {
      return lease.release();
    } catch (RuntimeException e) {
      LOG.warn("{} could not be released, and runs out: {}", lease, e.toString());
      return null;
    }
  }

  @Override
  public String toString() {
    return "job " + key;
  }
}
