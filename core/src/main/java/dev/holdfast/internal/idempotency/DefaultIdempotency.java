package dev.holdfast.internal.idempotency;

import dev.holdfast.BackgroundService;
import dev.holdfast.codec.Codec;
import dev.holdfast.codec.CodecFactory;
import dev.holdfast.idempotency.Fingerprint;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IdempotencyOptions;
import dev.holdfast.idempotency.IdempotencyRecord;
import dev.holdfast.idempotency.IdempotencyRecord.StoredResult;
import dev.holdfast.idempotency.IdempotencyRequest;
import dev.holdfast.idempotency.IdempotencyResult;
import dev.holdfast.idempotency.IncompleteRecordException;
import dev.holdfast.idempotency.RejectedException;
import dev.holdfast.idempotency.spi.BeginResult;
import dev.holdfast.idempotency.spi.IdempotencyIntegration;
import dev.holdfast.idempotency.spi.IdempotencyStore.ClaimResult;
import dev.holdfast.idempotency.spi.OpenRequest;
import dev.holdfast.internal.Require;
import dev.holdfast.internal.idempotency.store.SqlIdempotencyStore;
import dev.holdfast.internal.idempotency.store.SqlIdempotencyStore.CompletionRequest;
import dev.holdfast.internal.idempotency.store.SqlIdempotencyStore.StartRequest;
import dev.holdfast.transaction.CommitUnknownException;
import dev.holdfast.transaction.DatabaseException;
import dev.holdfast.transaction.Transaction;
import dev.holdfast.transaction.TransactionCallback;
import dev.holdfast.transaction.Transactions;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Executes work and its record in one transaction:
 *
 * <ol>
 *   <li>insert the record without a result; if there is one already, roll back and return what it
 *       says;
 *   <li>run the work;
 *   <li>write the result into the record, and commit.
 * </ol>
 *
 * <p>If the key was completed by this process recently, it reads the result first.
 *
 * <p>If the database rejects the first statement for a reason that a fresh transaction may resolve,
 * it starts again. It also starts again if the response to the commit was lost: either the record
 * of this attempt is there, or the transaction was rolled back.
 */
public final class DefaultIdempotency implements IdempotencyIntegration {
  private static final int MAX_STARTS = 20;

  /** The minimum wait for the end of a transaction whose commit outcome is unknown. */
  private static final Duration MIN_COMMIT_WAIT = Duration.ofSeconds(5);

  private static final long MAX_BACKOFF_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final Transactions joining;
  private final Transactions transactions;
  private final SqlIdempotencyStore store;
  private final IdempotencyOptions options;
  private final ResultEncoder results;
  private final CodecFactory codecs;
  private final RecentKeys recentKeys = new RecentKeys();

  /**
   * Creates the service on the store of a database.
   *
   * @param transactions how transactions are run if none is given
   */
  public DefaultIdempotency(
      Transactions transactions,
      SqlIdempotencyStore store,
      IdempotencyOptions options,
      CodecFactory codecs) {
    this.joining = Require.notNull(transactions, "transactions");
    this.transactions = transactions.requiresNew();
    this.store = Require.notNull(store, "store");
    this.options = Require.notNull(options, "options");
    this.results = new ResultEncoder(options);
    this.codecs = Require.notNull(codecs, "codecs");
  }

  @Override
  public IdempotencyOptions options() {
    return options;
  }

  @Override
  public <T extends @Nullable Object, X extends Exception> IdempotencyResult<T> execute(
      IdempotencyRequest<T> request, TransactionCallback<T, X> work) throws X {
    Require.notNull(request, "request");
    Require.notNull(work, "work");
    return joining.<IdempotencyResult<T>, X>joinToWrite(
        "an idempotent request", tx -> join(tx, request, work), () -> call(request, work));
  }

  @Override
  public <T extends @Nullable Object, X extends Exception> IdempotencyResult<T> execute(
      Transaction tx, IdempotencyRequest<T> request, TransactionCallback<T, X> work) throws X {
    return join(
        Require.notNull(tx, "tx"),
        Require.notNull(request, "request"),
        Require.notNull(work, "work"));
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

  /** One call: what was requested, by which attempt, with which settings. */
  private record ExecutionRequest<T extends @Nullable Object>(
      IdempotencyKey key,
      Fingerprint fingerprint,
      Codec<T> codec,
      UUID ownerId,
      Duration waitTimeout,
      Duration retention) {
    StartRequest start(Duration waitTimeout) {
      return new StartRequest(key, fingerprint, ownerId, retention, waitTimeout);
    }

    CompletionRequest completion() {
      return new CompletionRequest(key, ownerId, retention);
    }
  }

  private <T extends @Nullable Object> ExecutionRequest<T> newAttempt(
      IdempotencyRequest<?> request, Codec<T> codec) {
    return new ExecutionRequest<>(
        request.key(),
        request.fingerprint(),
        codec,
        UUID.randomUUID(),
        request.waitTimeout().orElse(options.waitTimeout()),
        request.retention().orElse(options.retention()));
  }

  /** Ends a transaction whose request was not started; never reaches a user. */
  private static final class NotStarted extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final transient ClaimResult found;

    NotStarted(ClaimResult found) {
      super(null, null, false, false);
      this.found = found;
    }
  }

  /** Ends a transaction whose first statement the database rejected; never reaches a user. */
  private static final class StartFailed extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final transient DatabaseException failure;

    StartFailed(DatabaseException failure) {
      super(null, null, false, false);
      this.failure = failure;
    }
  }

  /** Ends a transaction whose work failed; never reaches a user. */
  private static final class WorkFailed extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final transient Exception failure;

    WorkFailed(Exception failure) {
      super(null, null, true, false);
      this.failure = failure;
    }
  }

  private <T extends @Nullable Object, X extends Exception> IdempotencyResult<T> call(
      IdempotencyRequest<T> request, TransactionCallback<T, X> work) throws X {
    ExecutionRequest<T> execution = newAttempt(request, request.codec(codecs));
    AtomicReference<IdempotencyResult<T>> executed = new AtomicReference<>();
    try {
      IdempotencyResult<T> found =
          commit(
              execution,
              tx -> {
                T value;
                try {
                  value = work.in(tx);
                } catch (Exception e) {
                  throw new WorkFailed(e);
                }
                executed.set(new IdempotencyResult.Executed<>(value));
                return results.encode(execution.key(), execution.codec().encode(value));
              });
      return found == null ? executed.get() : found;
    } catch (WorkFailed e) {
      for (Throwable later : e.getSuppressed()) {
        e.failure.addSuppressed(later);
      }
      RejectedException rejection = results.rejection(e.failure);
      if (rejection == null) {
        throw DefaultIdempotency.<X>asThrown(e.failure);
      }
      return reject(execution, rejection);
    }
  }

  /** Records a rejection, in a new transaction: that of the work is rolled back. */
  private <T extends @Nullable Object> IdempotencyResult<T> reject(
      ExecutionRequest<T> execution, RejectedException rejection) {
    StoredResult result = results.encodeRejection(execution.key(), rejection);
    IdempotencyResult<T> found = commit(execution, tx -> result);
    if (found == null) {
      throw rejection;
    }
    return found;
  }

  /** What runs between the insert of a record and its result. */
  private interface Body {
    StoredResult run(Transaction tx);
  }

  /** Null if {@code body} was committed now. */
  private <T extends @Nullable Object> @Nullable IdempotencyResult<T> commit(
      ExecutionRequest<T> execution, Body body) {
    CommitUnknownException unknown = null;
    long deadline = after(execution.waitTimeout());
    for (int starts = 1; ; starts++) {
      long until = deadline;
      try {
        transactions.run(
            tx -> {
              Open open = start(tx, execution, until);
              boolean unused = open.writeOnCommit(body.run(tx));
            });
        recentKeys.add(execution.key());
        return null;
      } catch (NotStarted e) {
        return notExecuted(execution, e.found, unknown);
      } catch (StartFailed e) {
        if (unknown != null) {
          throw with(unknown, e.failure);
        }
        if (starts == MAX_STARTS || !e.failure.isRetryable()) {
          throw e.failure;
        }
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(MAX_BACKOFF_NANOS));
      } catch (CommitUnknownException e) {
        if (unknown != null) {
          throw with(unknown, e);
        }
        unknown = e;
        Duration wait = execution.waitTimeout();
        deadline = after(wait.compareTo(MIN_COMMIT_WAIT) < 0 ? MIN_COMMIT_WAIT : wait);
      } catch (DatabaseException e) {
        // no connection, or no commit: a failure of the work is a WorkFailed
        throw unknown == null ? e : with(unknown, e);
      }
    }
  }

  private static long after(Duration time) {
    return System.nanoTime() + time.toNanos();
  }

  private static CommitUnknownException with(CommitUnknownException unknown, Throwable later) {
    unknown.addSuppressed(later);
    return unknown;
  }

  /** What the work threw: an exception that it declares, or an unchecked one. */
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <X extends Exception> X asThrown(Exception failure) {
    return (X) failure;
  }

  private Open start(Transaction tx, ExecutionRequest<?> execution, long deadline) {
    Duration left = Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
    @Nullable ClaimResult result;
    try {
      result =
          recentKeys.contains(execution.key())
              ? store.completed(tx, execution.key(), execution.fingerprint())
              : null;
      if (result == null) {
        result = store.begin(tx, execution.start(left), true);
      }
    } catch (DatabaseException e) {
      throw new StartFailed(e);
    }
    if (result instanceof ClaimResult.Granted) {
      return open(tx, execution);
    }
    throw new NotStarted(result);
  }

  private <T extends @Nullable Object, X extends Exception> IdempotencyResult<T> join(
      Transaction tx, IdempotencyRequest<T> request, TransactionCallback<T, X> work) throws X {
    ExecutionRequest<T> execution = newAttempt(request, request.codec(codecs));
    ClaimResult result = store.begin(tx, execution.start(execution.waitTimeout()), false);
    if (!(result instanceof ClaimResult.Granted)) {
      return notExecuted(execution, result, null);
    }
    try {
      T value = work.in(tx);
      open(tx, execution).write(results.encode(execution.key(), execution.codec().encode(value)));
      return new IdempotencyResult.Executed<>(value);
    } catch (Throwable failure) {
      // otherwise the record would be committed without a result
      tx.setRollbackOnly(failure);
      throw failure;
    }
  }

  @Override
  public BeginResult<OpenRequest.InTransaction> begin(
      Transaction tx, IdempotencyRequest<?> request) {
    Require.notNull(tx, "tx");
    Require.notNull(request, "request");
    ExecutionRequest<?> execution = newAttempt(request, Codec.bytes());
    ClaimResult result = store.begin(tx, execution.start(execution.waitTimeout()), false);
    return result instanceof ClaimResult.Granted
        ? new BeginResult.Open<>(open(tx, execution))
        : results.notOpened(execution.key(), result);
  }

  private Open open(Transaction tx, ExecutionRequest<?> execution) {
    return new Open(tx, execution.completion());
  }

  /** The result of a request whose record another attempt has inserted. */
  private <T extends @Nullable Object> IdempotencyResult<T> notExecuted(
      ExecutionRequest<T> execution, ClaimResult found, @Nullable CommitUnknownException unknown) {
    if (found instanceof ClaimResult.Completed completed) {
      recentKeys.add(execution.key());
      boolean mine = completed.ownerId().equals(execution.ownerId());
      T value = execution.codec().decode(results.decode(execution.key(), completed.result(), mine));
      return mine
          ? new IdempotencyResult.Executed<>(value)
          : new IdempotencyResult.Replayed<>(value);
    }
    if (unknown != null) {
      // the commit may still take effect
      throw unknown;
    }
    if (found instanceof ClaimResult.InProgress progress) {
      return new IdempotencyResult.InProgress<>(
          Optional.ofNullable(progress.startedAt()), ResultEncoder.retryAfter(progress));
    }
    if (found instanceof ClaimResult.KeyReused) {
      return new IdempotencyResult.KeyReused<>();
    }
    throw ResultEncoder.incomplete(execution.key());
  }

  /** The record of a request that was inserted by a transaction and has no result yet. */
  private final class Open implements OpenRequest.InTransaction {
    private final Transaction tx;
    private final CompletionRequest completion;

    Open(Transaction tx, CompletionRequest completion) {
      this.tx = tx;
      this.completion = completion;
    }

    @Override
    public IdempotencyKey key() {
      return completion.key();
    }

    @Override
    public void complete(byte[] result) {
      Require.notNull(result, "result");
      write(results.encode(key(), result.clone()));
    }

    @Override
    public boolean completeOnCommit(byte[] result) {
      Require.notNull(result, "result");
      return writeOnCommit(results.encode(key(), result.clone()));
    }

    @Override
    public boolean isCommitted() {
      return store.isCompleted(completion);
    }

    /** The other changes of the transaction are committed too. */
    @Override
    public void reject(byte[] result) {
      write(results.encodeRejection(key(), new RejectedException(result)));
    }

    void write(StoredResult result) {
      tx.requireCommittable();
      if (!store.complete(tx, completion, result)) {
        IncompleteRecordException missing = missing();
        tx.setRollbackOnly(missing);
        throw missing;
      }
    }

    boolean writeOnCommit(StoredResult result) {
      tx.requireCommittable();
      return store.completeOnCommit(tx, completion, result, this::missing);
    }

    private IncompleteRecordException missing() {
      return new IncompleteRecordException(
          completion.key(),
          "is not in this transaction any more, or already has its result. Roll back the"
              + " transaction.");
    }
  }
}
