package dev.holdfast.internal.workflow;

import dev.holdfast.BackgroundService;
import dev.holdfast.LeaseLostException;
import dev.holdfast.codec.Codec;
import dev.holdfast.codec.CodecFactory;
import dev.holdfast.idempotency.Fingerprint;
import dev.holdfast.idempotency.Idempotency.DeleteResult;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IdempotencyOptions;
import dev.holdfast.idempotency.IdempotencyRecord;
import dev.holdfast.idempotency.IdempotencyRequest;
import dev.holdfast.idempotency.IdempotencyResult;
import dev.holdfast.idempotency.RejectedException;
import dev.holdfast.idempotency.ResultTooLargeException;
import dev.holdfast.idempotency.spi.BeginResult;
import dev.holdfast.idempotency.spi.IdempotencyStore;
import dev.holdfast.idempotency.spi.IdempotencyStore.ClaimRequest;
import dev.holdfast.idempotency.spi.IdempotencyStore.ClaimResult;
import dev.holdfast.idempotency.spi.IdempotencyStore.Ownership;
import dev.holdfast.idempotency.spi.IdempotencyStore.WorkflowInput;
import dev.holdfast.internal.Require;
import dev.holdfast.internal.idempotency.ExpiredRecordCleaner;
import dev.holdfast.internal.idempotency.ResultEncoder;
import dev.holdfast.transaction.TransactionStateException;
import dev.holdfast.transaction.Transactions;
import dev.holdfast.workflow.OpenWorkflow;
import dev.holdfast.workflow.StepContext;
import dev.holdfast.workflow.Workflow;
import dev.holdfast.workflow.WorkflowRecovery;
import dev.holdfast.workflow.Workflows;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Claims requests, and runs or resumes their work under the lease. */
public final class DefaultWorkflows implements Workflows {
  private final IdempotencyStore store;
  private final IdempotencyOptions options;
  private final CodecFactory codecs;
  private final @Nullable Transactions transactions;
  private final ResultEncoder results;

  /**
   * Creates the service on a store.
   *
   * @param transactions how transactional steps are run; null if the store is not in a database
   */
  public DefaultWorkflows(
      IdempotencyStore store,
      IdempotencyOptions options,
      CodecFactory codecs,
      @Nullable Transactions transactions) {
    this.store = Require.notNull(store, "store");
    this.options = Require.notNull(options, "options");
    this.codecs = Require.notNull(codecs, "codecs");
    this.transactions = transactions;
    this.results = new ResultEncoder(options);
  }

  @Override
  public IdempotencyOptions options() {
    return options;
  }

  @Override
  public <T extends @Nullable Object, X extends Exception> IdempotencyResult<T> run(
      IdempotencyRequest<T> request, StepContext.Callback<T, X> work) throws X {
    Require.notNull(request, "request");
    Require.notNull(work, "work");
    requireNoTransaction();
    return run(claim(request), waitTimeout(request), request.codec(codecs), work);
  }

  @Override
  public <A extends @Nullable Object, T extends @Nullable Object> IdempotencyResult<T> run(
      Workflow<A, T> workflow, IdempotencyKey key, A input) throws Exception {
    Require.notNull(workflow, "workflow");
    byte[] bytes = encode(workflow, key, input);
    return run(workflow, key, Fingerprint.of(name(workflow), bytes), input, bytes);
  }

  @Override
  public <A extends @Nullable Object, T extends @Nullable Object> IdempotencyResult<T> run(
      Workflow<A, T> workflow, IdempotencyKey key, Fingerprint fingerprint, A input)
      throws Exception {
    Require.notNull(workflow, "workflow");
    Require.notNull(fingerprint, "fingerprint");
    Fingerprint ofWorkflow = Fingerprint.of(name(workflow), fingerprint.sha256());
    return run(workflow, key, ofWorkflow, input, encode(workflow, key, input));
  }

  private static byte[] name(Workflow<?, ?> workflow) {
    return workflow.name().getBytes(StandardCharsets.UTF_8);
  }

  private <A extends @Nullable Object> byte[] encode(
      Workflow<A, ?> workflow, IdempotencyKey key, A input) {
    byte[] bytes = Require.notNull(workflow.inputCodec().encode(input), "the encoded value");
    if (bytes.length > options.maxResultSize()) {
      throw results.tooLarge("input of " + key, bytes.length);
    }
    return bytes;
  }

  private <A extends @Nullable Object, T extends @Nullable Object> IdempotencyResult<T> run(
      Workflow<A, T> workflow, IdempotencyKey key, Fingerprint fingerprint, A input, byte[] bytes)
      throws Exception {
    requireNoTransaction();
    return run(
        claim(key, fingerprint, options.retention(), new WorkflowInput(workflow.name(), bytes)),
        options.waitTimeout(),
        workflow.resultCodec(),
        steps -> workflow.body().run(input, steps));
  }

  /** It commits by itself, and takes connections while the caller's transaction has one. */
  private void requireNoTransaction() {
    if (Transactions.isOpenOnThisThread() || (transactions != null && transactions.isActive())) {
      throw new TransactionStateException(
          TransactionStateException.Reason.ACTIVE,
          "a workflow must not be run inside a transaction, but one is open on this thread; run it"
              + " before the transaction begins, or use Idempotency.execute, which joins the"
              + " transaction");
    }
  }

  @Override
  public WorkflowRecovery recovery(Workflow<?, ?>... workflows) {
    return new DefaultWorkflowRecovery(this, store, workflows);
  }

  @Override
  public BeginResult<OpenWorkflow> begin(IdempotencyRequest<?> request) {
    Require.notNull(request, "request");
    requireNoTransaction();
    Claim claim = claim(claim(request), waitTimeout(request), store::claim);
    DefaultOpenWorkflow open = claim.open();
    if (open != null) {
      open.renewal().start(null);
      return new BeginResult.Open<>(open);
    }
    return results.notOpened(request.key(), claim.result());
  }

  private Duration waitTimeout(IdempotencyRequest<?> request) {
    return request.waitTimeout().orElse(options.waitTimeout());
  }

  private ClaimRequest claim(IdempotencyRequest<?> request) {
    return claim(
        request.key(),
        request.fingerprint(),
        request.retention().orElse(options.retention()),
        null);
  }

  private ClaimRequest claim(
      IdempotencyKey key,
      Fingerprint fingerprint,
      Duration retention,
      @Nullable WorkflowInput input) {
    return new ClaimRequest(
        key, fingerprint, UUID.randomUUID(), options.leaseDuration(), retention, input);
  }

  /**
   * Resumes an interrupted workflow. Its input is decoded under the lease: an unreadable input
   * counts as an attempt.
   *
   * @return whether it was completed now
   */
  <A extends @Nullable Object, T extends @Nullable Object> boolean resume(
      Workflow<A, T> workflow, IdempotencyStore.Interrupted interrupted) throws Exception {
    WorkflowInput input = interrupted.work();
    ClaimRequest request =
        claim(interrupted.key(), interrupted.fingerprint(), options.retention(), input);
    DefaultOpenWorkflow open = claim(request, Duration.ZERO, store::resume).open();
    if (open == null) {
      return false;
    }
    T unused =
        run(
            open,
            workflow.resultCodec(),
            steps -> workflow.body().run(workflow.inputCodec().decode(input.input()), steps));
    return true;
  }

  /**
   * The result of a claim.
   *
   * @param open the request, if the lease was granted
   */
  private record Claim(ClaimResult result, @Nullable DefaultOpenWorkflow open) {}

  /** Polls while another attempt owns the lease, which changes nothing. */
  private Claim claim(
      ClaimRequest request, Duration waitTimeout, Function<ClaimRequest, ClaimResult> claiming) {
    WaitBackoff backoff = new WaitBackoff(waitTimeout);
    for (; ; ) {
      long asked = System.nanoTime();
      ClaimResult result = StoreRetry.of(() -> claiming.apply(request));
      if (result instanceof ClaimResult.Granted granted) {
        Ownership owner = new Ownership(request.key(), request.ownerId());
        LeaseRenewal renewal =
            new LeaseRenewal(RenewalThreads.of(store), store, owner, request.lease(), asked);
        DefaultOpenWorkflow open =
            new DefaultOpenWorkflow(
                store, options, codecs, request.retention(), transactions, owner, renewal, granted);
        if (open.isLeaseValid() || renewed(owner, renewal)) {
          return new Claim(result, open);
        }
        result = new ClaimResult.InProgress(null, null);
      }
      if (!(result instanceof ClaimResult.InProgress progress) || !backoff.await(progress)) {
        return new Claim(result, null);
      }
    }
  }

  /** After a response that took longer than the lease: another attempt may own it already. */
  private boolean renewed(Ownership owner, LeaseRenewal renewal) {
    long asked = System.nanoTime();
    if (!StoreRetry.of(() -> store.renew(owner, options.leaseDuration()))) {
      return false;
    }
    renewal.extendedFrom(asked);
    return renewal.isValid();
  }

  private <T extends @Nullable Object, X extends Exception> IdempotencyResult<T> run(
      ClaimRequest request, Duration waitTimeout, Codec<T> codec, StepContext.Callback<T, X> work)
      throws X {
    Claim claim = claim(request, waitTimeout, store::claim);
    DefaultOpenWorkflow open = claim.open();
    return open == null
        ? notExecuted(request.key(), codec, claim.result())
        : new IdempotencyResult.Executed<>(run(open, codec, work));
  }

  private <T extends @Nullable Object, X extends Exception> T run(
      DefaultOpenWorkflow open, Codec<T> codec, StepContext.Callback<T, X> work) throws X {
    LeaseRenewal renewal = open.renewal();
    renewal.start(Thread.currentThread());
    try {
      T value;
      byte[] bytes;
      try {
        value = work.run(open);
        bytes = Require.notNull(codec.encode(value), "the encoded value");
      } catch (Throwable failure) {
        boolean interrupted = renewal.workEnded();
        rejectOrRelease(open, failure);
        if (interrupted && failure instanceof InterruptedException) {
          throw lost(open, failure);
        }
        throw failure;
      }
      boolean unused = renewal.workEnded();
      open.complete(bytes);
      return value;
    } finally {
      renewal.end();
    }
  }

  /** Throws the rejection if the failure is one. */
  private void rejectOrRelease(DefaultOpenWorkflow open, Throwable failure) {
    RejectedException rejection = failure instanceof Exception e ? results.rejection(e) : null;
    if (rejection == null) {
      release(open, failure);
      return;
    }
    try {
      open.reject(rejection);
    } catch (ResultTooLargeException e) {
      release(open, e);
      throw e;
    }
    throw rejection;
  }

  private static void release(DefaultOpenWorkflow open, Throwable failure) {
    if (open.renewal().isLost() && !(failure instanceof LeaseLostException)) {
      failure.addSuppressed(DefaultOpenWorkflow.leaseLost(open.key(), "continue"));
    }
    try {
      boolean unused = open.release(DefaultWorkflowRecovery.backoff(open.attempt()));
    } catch (RuntimeException e) {
      // the lease expires
      failure.addSuppressed(e);
    }
  }

  /** The interrupt was only the notification of the loss. */
  private static LeaseLostException lost(DefaultOpenWorkflow open, Throwable interrupt) {
    LeaseLostException lost = DefaultOpenWorkflow.leaseLost(open.key(), "continue");
    lost.addSuppressed(interrupt);
    return lost;
  }

  private <T extends @Nullable Object> IdempotencyResult<T> notExecuted(
      IdempotencyKey key, Codec<T> codec, ClaimResult found) {
    if (found instanceof ClaimResult.Completed completed) {
      return new IdempotencyResult.Replayed<>(
          codec.decode(results.decode(key, completed.result())));
    }
    if (found instanceof ClaimResult.InProgress progress) {
      return new IdempotencyResult.InProgress<>(
          Optional.ofNullable(progress.startedAt()), ResultEncoder.retryAfter(progress));
    }
    if (found instanceof ClaimResult.KeyReused) {
      return new IdempotencyResult.KeyReused<>();
    }
    throw ResultEncoder.incomplete(key);
  }

  @Override
  public Optional<IdempotencyRecord> find(IdempotencyKey key) {
    return store.find(Require.notNull(key, "key"));
  }

  @Override
  public DeleteResult delete(IdempotencyKey key) {
    return store.delete(Require.notNull(key, "key"));
  }

  @Override
  public int deleteExpired() {
    return ExpiredRecordCleaner.all(store);
  }

  @Override
  public BackgroundService cleaner() {
    return cleaner(ExpiredRecordCleaner.DEFAULT_INTERVAL);
  }

  @Override
  public BackgroundService cleaner(Duration interval) {
    return new ExpiredRecordCleaner(store, interval);
  }
}
