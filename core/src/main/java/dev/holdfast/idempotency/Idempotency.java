package dev.holdfast.idempotency;

import dev.holdfast.BackgroundService;
import dev.holdfast.codec.CodecFactory;
import dev.holdfast.idempotency.spi.BeginResult;
import dev.holdfast.idempotency.spi.OpenRequest;
import dev.holdfast.internal.Require;
import dev.holdfast.internal.idempotency.ExpiredRecordCleaner;
import dev.holdfast.internal.idempotency.IdempotencyStores;
import dev.holdfast.internal.idempotency.TransactionalIdempotencyStore;
import dev.holdfast.internal.sql.Dialect;
import dev.holdfast.transaction.Transaction;
import dev.holdfast.transaction.TransactionCallback;
import dev.holdfast.transaction.Transactions;
import java.time.Duration;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Executes requests once, with the record in the same transaction as their changes.
 *
 * <pre>{@code
 * IdempotencyResult<Long> order = holdfast.idempotency().execute(
 *     IdempotencyRequest.of("POST /orders", key, Long.class).principal(user).fingerprint(body),
 *     tx -> orders.create(tx, request));
 * }</pre>
 *
 * <p><b>Guarantees:</b> the uncommitted record marks a request as in progress. A crash frees the
 * key at once, and a rollback leaves neither a record nor a change. If the work throws, everything
 * is rolled back and the key may be used again; only a {@link RejectedException} is recorded. This
 * costs two statements, no further commit and no further connection.
 *
 * <p><b>Does not guarantee</b> anything about effects outside of the database. Use workflows for
 * them.
 *
 * <p><b>Defaults:</b> see {@link IdempotencyOptions.Builder}.
 *
 * <p>Immutable and thread-safe.
 */
public final class Idempotency {
  /** The result of {@link #delete}. */
  public enum DeleteResult {
    /** The record is deleted. The next request with its key is executed. */
    DELETED,

    /** An attempt works on the request. Nothing was deleted. */
    IN_PROGRESS,

    /** There is no record. */
    NOT_FOUND
  }

  private final TransactionalIdempotencyStore store;
  private final IdempotencyOptions options;
  private final Transactions transactions;
  private final TransactionalExecutor executor;

  private Idempotency(
      Transactions transactions,
      TransactionalIdempotencyStore store,
      IdempotencyOptions options,
      CodecFactory codecs) {
    this.store = store;
    this.options = options;
    this.transactions = transactions;
    this.executor = new TransactionalExecutor(transactions, store, options, codecs);
  }

  /**
   * With the records in the database of {@code transactions}. For {@code Holdfast}.
   *
   * @param transactions how transactions are run if none is given
   * @param schema the schema of the tables; null for the current one
   * @param shards over how many shards the records are spread
   */
  public static Idempotency in(
      DataSource dataSource,
      Transactions transactions,
      Dialect dialect,
      @Nullable String schema,
      int shards,
      IdempotencyOptions options,
      CodecFactory codecs) {
    return new Idempotency(
        Require.notNull(transactions, "transactions"),
        IdempotencyStores.of(
            Require.notNull(dataSource, "dataSource"),
            Require.notNull(dialect, "dialect"),
            schema,
            shards),
        Require.notNull(options, "options"),
        Require.notNull(codecs, "codecs"));
  }

  /** The options that it was built with. */
  public IdempotencyOptions options() {
    return options;
  }

  /**
   * Executes {@code work}, unless the request took effect before. The record is committed with the
   * changes.
   *
   * <p>In a current transaction it is a part of that, as {@link #execute(Transaction,
   * IdempotencyRequest, TransactionCallback)}: rejections are not recorded, because its owner rolls
   * back. Otherwise it opens a new transaction. If the response to the commit is lost, the record
   * shows whether it happened.
   *
   * @throws RejectedException if the work rejects the request, or has rejected it before
   * @throws ResultTooLargeException if the result is too large; nothing took effect
   */
  public <T extends @Nullable Object, X extends Exception> IdempotencyResult<T> execute(
      IdempotencyRequest<T> request, TransactionCallback<T, X> work) throws X {
    Require.notNull(request, "request");
    Require.notNull(work, "work");
    return transactions.<IdempotencyResult<T>, X>joinToWrite(
        "an idempotent request",
        tx -> executor.join(tx, request, work),
        () -> executor.call(request, work));
  }

  /**
   * As {@link #execute(IdempotencyRequest, TransactionCallback)}, as part of a transaction. Its
   * owner commits it, and must roll it back if this throws. Rejections are not recorded.
   */
  public <T extends @Nullable Object, X extends Exception> IdempotencyResult<T> execute(
      Transaction tx, IdempotencyRequest<T> request, TransactionCallback<T, X> work) throws X {
    return executor.join(
        Require.notNull(tx, "tx"),
        Require.notNull(request, "request"),
        Require.notNull(work, "work"));
  }

  /**
   * Begins a request as part of a transaction, for integrations that cannot put the work into a
   * callback. The request must be {@linkplain OpenRequest#complete completed} before the
   * transaction commits. Results are bytes; the codec of the request is not used.
   */
  public BeginResult<OpenRequest.InTransaction> begin(
      Transaction tx, IdempotencyRequest<?> request) {
    return executor.begin(Require.notNull(tx, "tx"), Require.notNull(request, "request"));
  }

  /** The record of a key. Requests whose transaction is running are not visible. */
  public Optional<IdempotencyRecord> find(IdempotencyKey key) {
    return store.find(Require.notNull(key, "key"));
  }

  /**
   * Deletes the record of a key, unless its request is in progress. On H2, a request whose
   * transaction is running is {@code NOT_FOUND}.
   */
  public DeleteResult delete(IdempotencyKey key) {
    return store.delete(Require.notNull(key, "key"));
  }

  /**
   * Deletes all records whose retention is over, in batches.
   *
   * @return how many records were deleted
   */
  public int deleteExpired() {
    return ExpiredRecordCleaner.all(store);
  }

  /**
   * Builds a service that deletes expired records, for instances without a worker: a worker does it
   * by itself. It runs about every 10 minutes. Every instance may run one.
   *
   * <p>Issue in its health: {@code idempotency-cleanup-failed}. If the table does not exist, it
   * goes on looking for it, which is no issue.
   */
  public BackgroundService cleaner() {
    return cleaner(ExpiredRecordCleaner.DEFAULT_INTERVAL);
  }

  /** As {@link #cleaner()}, at this interval, from 1 ms to 1 day. */
  public BackgroundService cleaner(Duration interval) {
    return new ExpiredRecordCleaner(store, interval);
  }
}
