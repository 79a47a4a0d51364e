package dev.holdfast.idempotency;

import dev.holdfast.BackgroundService;
import dev.holdfast.idempotency.internal.IdempotencyStores;
import dev.holdfast.internal.Require;
import dev.holdfast.sql.Dialect;
import dev.holdfast.sql.Transaction;
import dev.holdfast.sql.Transactions;
import dev.holdfast.sql.Work;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Makes requests take effect once, with the record in the same transaction as what they change.
 *
 * <pre>{@code
 * OnceResult<Long> order = holdfast.idempotency().once(
 *     IdempotencyKey.of("POST /orders", key).principal(user),
 *     Fingerprint.of(body),
 *     ReplyCodecs.number(),
 *     tx -> orders.create(tx, request));
 * }</pre>
 *
 * <p>The row of the running transaction is itself the mark that it is in progress: a crash frees
 * the key at once, and a rollback leaves nothing. What the work throws rolls everything back, and
 * the same key may be tried again; only a {@link RefusedException} is kept. It costs two statements
 * more than the work alone, no further commit and no further connection.
 *
 * <p>For effects outside of the database there are {@link #claims() claims}.
 *
 * <p>By default a duplicate waits up to 5 s for the one that is at work, records are kept for 24 h,
 * and answers up to 1 MiB. Immutable and thread-safe: every setting makes a copy.
 */
public final class Idempotency {
  private final Transactions transactions;
  private final TransactionalIdempotencyStore store;
  private final KeepSettings settings;
  private final Recent recent;
  private final Once once;

  private Idempotency(
      Transactions transactions,
      TransactionalIdempotencyStore store,
      KeepSettings settings,
      Recent recent) {
    this.transactions = transactions;
    this.store = store;
    this.settings = settings;
    this.recent = recent;
    this.once = new Once(transactions, store, settings, recent);
  }

  /**
   * With the records in the database of {@code transactions}.
   *
   * @param schema where the tables are; null for the current one
   * @param shards over how many shards the records are spread
   */
  public static Idempotency in(
      DataSource dataSource,
      Transactions transactions,
      Dialect dialect,
      @Nullable String schema,
      int shards) {
    return new Idempotency(
        Require.notNull(transactions, "transactions"),
        IdempotencyStores.of(
            Require.notNull(dataSource, "dataSource"),
            Require.notNull(dialect, "dialect"),
            schema,
            shards),
        KeepSettings.DEFAULT,
        new Recent());
  }

  /** Running its own transactions as these are run: isolation, time limits, listener. */
  public Idempotency transactions(Transactions transactions) {
    return new Idempotency(Require.notNull(transactions, "transactions"), store, settings, recent);
  }

  /**
   * A duplicate waits so long for the one that is at work, 5 s by default; zero for being told at
   * once, which takes a tenth of a second on H2. Waiting changes nothing. MariaDB and MySQL count
   * whole seconds, rounded up.
   */
  public Idempotency waiting(Duration longest) {
    return with(settings.patience(longest));
  }

  /**
   * Records are kept so long from their beginning on, 24 h by default, and at least half as long
   * after their answer; after that their keys are new again.
   */
  public Idempotency retention(Duration retention) {
    return with(settings.retention(retention));
  }

  /** Answers may have so many bytes, 1 MiB by default, and 15 MiB at most. */
  public Idempotency largestReply(int bytes) {
    return with(settings.largest(bytes));
  }

  /** How many bytes an answer may have in the store. */
  public int largestReply() {
    return settings.largest();
  }

  /** Larger answers are kept there; without a vault they are refused, and nothing takes effect. */
  public Idempotency vault(ReplyVault vault) {
    return with(settings.vault(vault));
  }

  /**
   * Which failures of work are deliberate, and so are kept: those that this makes a refusal of. By
   * default only a {@link RefusedException} is one.
   */
  public Idempotency refusals(Function<? super Exception, @Nullable RefusedException> refusals) {
    return with(settings.refusals(refusals));
  }

  private Idempotency with(KeepSettings changed) {
    return new Idempotency(transactions, store, changed, recent);
  }

  /**
   * Runs {@code work} in a transaction of its own, unless it was run before; the record is
   * committed with it. Where the answer to the commit was lost, the record tells what became of it.
   *
   * @throws RefusedException where the work refuses, or has refused before
   * @throws ReplyTooLargeException where the answer is too large to be kept; nothing took effect
   */
  public <T extends @Nullable Object, X extends Exception> OnceResult<T> once(
      IdempotencyKey key, Fingerprint fingerprint, ReplyCodec<T> codec, Work<T, X> work) throws X {
    return once.call(request(key, fingerprint), Require.notNull(codec, "codec"), work(work));
  }

  /**
   * As {@link #once(IdempotencyKey, Fingerprint, ReplyCodec, Work)}, as a part of a transaction
   * that is open: whoever began it ends it, and has to roll it back where this throws. Refusals are
   * not kept.
   */
  public <T extends @Nullable Object, X extends Exception> OnceResult<T> once(
      Transaction tx,
      IdempotencyKey key,
      Fingerprint fingerprint,
      ReplyCodec<T> codec,
      Work<T, X> work)
      throws X {
    return once.join(
        Require.notNull(tx, "tx"),
        request(key, fingerprint),
        Require.notNull(codec, "codec"),
        work(work));
  }

  /**
   * Begins a record as a part of a transaction that is open, for who cannot put the work into a
   * function: the answer is written by {@link OpenRecord#complete} before the transaction is
   * committed.
   */
  public Begun<OpenRecord> begin(Transaction tx, IdempotencyKey key, Fingerprint fingerprint) {
    return once.begin(Require.notNull(tx, "tx"), request(key, fingerprint));
  }

  private static Once.Asked request(IdempotencyKey key, Fingerprint fingerprint) {
    return new Once.Asked(
        Require.notNull(key, "key"),
        Require.notNull(fingerprint, "fingerprint"),
        UUID.randomUUID());
  }

  private static <T extends @Nullable Object, X extends Exception> Work<T, X> work(
      Work<T, X> work) {
    return Require.notNull(work, "work");
  }

  /** For effects outside of the database, with the same records and settings. */
  public Claims claims() {
    return Claims.of(store, settings).transactions(transactions);
  }

  /** The record of a key, to look at. Those of transactions that run are not seen. */
  public Optional<IdempotencyRecord> find(IdempotencyKey key) {
    return store.find(Require.notNull(key, "key"));
  }

  /** Removes the record of a key, unless somebody works on it; whether there was one. */
  public boolean forget(IdempotencyKey key) {
    return store.forget(Require.notNull(key, "key"));
  }

  /** Removes all records whose time is over, in batches, and tells how many. */
  public int cleanUp() {
    return CleanUp.all(store);
  }

  /**
   * Builds a service that deletes expired records, for instances without a worker: a worker does it
   * by itself. It runs about every 10 minutes. Every instance may run one.
   *
   * <p>Issue in its health: {@code cleanup-failed}. If the table does not exist, it goes on looking
   * for it, which is no issue.
   */
  public BackgroundService cleaner() {
    return cleaner(CleanUp.DEFAULT_INTERVAL);
  }

  /** As {@link #cleaner()}, at this interval, from 1 ms to 1 day. */
  public BackgroundService cleaner(Duration interval) {
    return new CleanUp(store, interval);
  }
}
