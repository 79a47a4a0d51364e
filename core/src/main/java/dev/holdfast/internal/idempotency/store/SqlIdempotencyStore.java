package dev.holdfast.internal.idempotency.store;

import dev.holdfast.idempotency.Fingerprint;
import dev.holdfast.idempotency.Idempotency.DeleteResult;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IdempotencyRecord;
import dev.holdfast.idempotency.IdempotencyRecord.StoredResult;
import dev.holdfast.idempotency.spi.IdempotencyStore;
import dev.holdfast.internal.idempotency.store.RecordInserter.Attempt;
import dev.holdfast.internal.sql.AutocommitRunner;
import dev.holdfast.internal.sql.CommitStatement;
import dev.holdfast.internal.sql.Dialect;
import dev.holdfast.internal.sql.SqlBuilder;
import dev.holdfast.transaction.DatabaseException;
import dev.holdfast.transaction.Isolation;
import dev.holdfast.transaction.Transaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Stores records in a table. A record can also be written in the transaction of the business
 * change: then the uncommitted row marks the request as in progress. Thread-safe.
 *
 * <p>A request inserts its record first, because most requests come once. If there is a record, it
 * is read, and replaced or taken over if allowed.
 */
public final class SqlIdempotencyStore implements IdempotencyStore {
  /** Limits a loop that ends as soon as the record can be inserted or is visible. */
  private static final int MAX_READS = 20;

  /** The code of PostgreSQL, which the classifier of errors knows for every database. */
  private static final String LOCK_TIMEOUT = "55P03";

  /**
   * Describes the start of a request.
   *
   * @param ownerId the id of the attempt
   * @param retention how long the record is kept, from now on
   * @param waitTimeout how long to wait for another transaction with this key; zero for no wait
   */
  public record StartRequest(
      IdempotencyKey key,
      Fingerprint fingerprint,
      UUID ownerId,
      Duration retention,
      Duration waitTimeout) {}

  /**
   * Describes the completion of a request.
   *
   * @param ownerId the attempt that has started it
   * @param retention how long the record is kept: from its start on, but at least half as long
   *     after its result
   */
  public record CompletionRequest(IdempotencyKey key, UUID ownerId, Duration retention) {}

  /** The result of a {@link #lock}. */
  public enum LockResult {
    /** The transaction can record a step whatever others commit in between. */
    NOT_NEEDED,

    /** Until the transaction ends, the record cannot be changed by others, nor renewed. */
    LOCKED,

    /** The attempt does not own the lease any more. */
    LOST
  }

  private final DataSource dataSource;
  private final Dialect dialect;
  private final RecordStatements sql;
  private final RecordInserter inserter;
  private final int shards;

  private SqlIdempotencyStore(
      DataSource dataSource,
      Dialect dialect,
      RecordStatements sql,
      RecordInserter inserter,
      int shards) {
    this.dataSource = dataSource;
    this.dialect = dialect;
    this.sql = sql;
    this.inserter = inserter;
    this.shards = shards;
  }

  /**
   * The store on the table in this schema, or in the current one.
   *
   * @param shards over how many shards the records are spread
   */
  public static SqlIdempotencyStore create(
      DataSource dataSource, Dialect dialect, @Nullable String schema, int shards) {
    RecordStatements sql =
        new RecordStatements(dialect, schema == null ? "" : dialect.quote(schema) + ".");
    RecordInserter inserter =
        switch (dialect.family()) {
          case "postgresql" -> new PostgreSqlRecordInserter(sql);
          case "mysql" ->
              new SessionRecordInserter(
                  sql,
                  dialect.insertReturnsRow()
                      ? SessionRecordInserter.Syntax.MARIADB
                      : SessionRecordInserter.Syntax.MYSQL);
          default -> new SessionRecordInserter(sql, SessionRecordInserter.Syntax.H2);
        };
    return new SqlIdempotencyStore(dataSource, dialect, sql, inserter, shards);
  }

  private RecordId id(IdempotencyKey key) {
    return RecordId.of(key, shards);
  }

  /**
   * Inserts the record in the transaction, without a result. {@code Granted} if the transaction
   * owns it now.
   *
   * @param own whether the transaction may be lost: then {@code InProgress} may leave it unusable,
   *     and it must be rolled back after any other result than {@code Granted}
   * @throws dev.holdfast.transaction.DatabaseException if the database rejects it; a retryable
   *     failure leaves the transaction unusable
   */
  public ClaimResult begin(Transaction tx, StartRequest request, boolean own) {
    tx.requireWritable(() -> "the idempotency record of " + request.key());
    NewRecord record =
        new NewRecord(
            id(request.key()),
            request.fingerprint(),
            request.ownerId(),
            null,
            request.retention(),
            null);
    try {
      ClaimResult claimResult =
          start(
              tx.connection(),
              record,
              new StartMode(
                  request.waitTimeout(),
                  own,
                  sql.takeOverInTransaction,
                  () -> currentRead(tx),
                  true,
                  own && sql.rollsBackByText() ? tx : null));
      if (claimResult != null) {
        return claimResult;
      }
      throw new SQLException("its record is not visible to this transaction", "40001");
    } catch (SQLException e) {
      throw SqlBuilder.failed(tx, "starting the record of " + request.key(), e);
    }
  }

  /**
   * The result of a request that is completed; null if it is not, or if its retention is over.
   *
   * @param tx a new transaction of Holdfast in which nothing was done. It is begun again if there
   *     is no result, and must be rolled back otherwise
   */
  public @Nullable ClaimResult completed(
      Transaction tx, IdempotencyKey key, Fingerprint fingerprint) {
    if (dialect.locksGaps() && tx.isolation() == Isolation.SERIALIZABLE) {
      // there a read locks, and would wait without the timeout of the request
      return null;
    }
    try {
      String ending = sql.rollsBackByText() ? RecordInserter.ENDING : "";
      Optional<RecordSnapshot> found = sql.completed(tx.connection(), id(key), ending);
      if (found.isPresent()) {
        return found.get().result(fingerprint);
      }
      // so that the work does not read a snapshot as old as this read
      tx.beginAgain();
      return null;
    } catch (SQLException e) {
      throw SqlBuilder.failed(tx, "reading the record of " + key, e);
    }
  }

  private String currentRead(Transaction tx) {
    return dialect.locksGaps() ? dialect.currentRead(tx.isolation()) : "";
  }

  /**
   * Writes the result into the record that this attempt has inserted in the transaction.
   *
   * @return whether the record was there
   */
  public boolean complete(Transaction tx, CompletionRequest completion, StoredResult result) {
    tx.requireWritable(() -> "the result of " + completion.key());
    try {
      return sql.table.update(
              tx.connection(), sql.completeInTransaction, values(completion, result))
          == 1;
    } catch (SQLException e) {
      throw SqlBuilder.failed(tx, action(completion), e);
    }
  }

  /**
   * As {@link #complete(Transaction, CompletionRequest, StoredResult)}, after the work of a
   * transaction of Transactions has returned: together with the commit, in one round trip if the
   * database can. In any other transaction at once. If the record is not there, {@code missing} is
   * thrown and nothing is committed.
   *
   * @return whether it is written with the commit
   */
  public boolean completeOnCommit(
      Transaction tx,
      CompletionRequest completion,
      StoredResult result,
      Supplier<? extends RuntimeException> missing) {
    tx.requireWritable(() -> "the result of " + completion.key());
    CommitStatement last =
        new CommitStatement(
            action(completion),
            sql.completeInTransaction,
            statement -> sql.table.bind(statement, values(completion, result)),
            missing);
    if (tx.endWith(last)) {
      return true;
    }
    if (!complete(tx, completion, result)) {
      RuntimeException failure = missing.get();
      tx.setRollbackOnly(failure);
      throw failure;
    }
    return false;
  }

  /** Whether the result of this attempt is committed. Not to be called in its transaction. */
  public boolean isCompleted(CompletionRequest completion) {
    return withConnection(
        "reading",
        completion.key(),
        connection ->
            exists(
                connection,
                sql.isCompleted,
                new Ownership(completion.key(), completion.ownerId())));
  }

  private static String action(CompletionRequest completion) {
    return "writing the result of " + completion.key();
  }

  private Object[] values(CompletionRequest completion, StoredResult result) {
    RecordId id = id(completion.key());
    return new Object[] {
      result.kind().code(),
      result.bytes(),
      completion.retention().dividedBy(2),
      id.shard(),
      id.digest(),
      completion.ownerId()
    };
  }

  /**
   * Locks the record of a lease, if the transaction reads a snapshot of its start and therefore
   * could not record a step after a renewal that is committed in between.
   *
   * @throws dev.holdfast.transaction.DatabaseException a retryable one if the record was changed
   *     just now; nothing was done
   */
  public LockResult lock(Transaction tx, Ownership owner) {
    try {
      if (!inserter.failsOnConcurrentChange(tx)) {
        return LockResult.NOT_NEEDED;
      }
      return exists(tx.connection(), sql.lock, owner) ? LockResult.LOCKED : LockResult.LOST;
    } catch (SQLException e) {
      throw SqlBuilder.failed(tx, "locking the record of " + owner.key(), e);
    }
  }

  /**
   * As {@link #record(Ownership, Step, Duration)}, in the transaction: the step and the changes of
   * the transaction are committed together. Does not extend the lease: the clock of a transaction
   * may stand still.
   */
  public boolean record(Transaction tx, Ownership owner, Step step) {
    try {
      // lets duplicates see that the key is in use, instead of waiting for this transaction
      boolean unused = inserter.isFree(tx.connection(), id(owner.key()), Duration.ZERO, false);
      return changed(tx.connection(), sql.recordInTransaction, owner, step.encode());
    } catch (SQLException e) {
      throw SqlBuilder.failed(tx, "recording a step of " + owner.key(), e);
    }
  }

  @Override
  public ClaimResult claim(ClaimRequest request) {
    return claim(request, true);
  }

  @Override
  public ClaimResult resume(ClaimRequest request) {
    return claim(request, false);
  }

  private ClaimResult claim(ClaimRequest request, boolean insert) {
    NewRecord record =
        new NewRecord(
            id(request.key()),
            request.fingerprint(),
            request.ownerId(),
            request.lease(),
            request.retention(),
            request.work());
    StartMode mode = new StartMode(Duration.ZERO, true, sql.takeOver, () -> "", insert, null);
    return withConnection(
        "claiming",
        request.key(),
        connection -> {
          ClaimResult claimResult = start(connection, record, mode);
          // others change it faster than it can be read
          return claimResult == null ? new ClaimResult.InProgress(null, null) : claimResult;
        });
  }

  /**
   * How a record is inserted, and what happens to an existing one.
   *
   * @param takeOver the statement that takes over a lease without an owner
   * @param read how a read ends
   * @param insert whether a record is inserted if there is none, or an expired one
   * @param replayed a transaction in which nothing was done before, and which ends if there is a
   *     record: then the first read rolls it back, in the same round trip. Or null
   */
  private record StartMode(
      Duration waitTimeout,
      boolean mayFail,
      String takeOver,
      Supplier<String> read,
      boolean insert,
      @Nullable Transaction replayed) {}

  /** Null if the record exists but is not visible. */
  private @Nullable ClaimResult start(Connection connection, NewRecord record, StartMode mode)
      throws SQLException {
    long deadline = System.nanoTime() + mode.waitTimeout().toNanos();
    boolean notVisible = false;
    for (int reads = 0; reads < MAX_READS; reads++) {
      Duration wait = Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
      Transaction ending = reads == 0 ? mode.replayed() : null;
      Supplier<String> read = ending == null ? mode.read() : () -> RecordInserter.ENDING;
      Attempt attempt =
          mode.insert()
              ? inserter.insert(connection, record, wait, mode.mayFail(), read)
              : Attempt.of(sql.read(connection, record.id(), read.get()));
      boolean again = notVisible;
      notVisible = attempt instanceof Attempt.NotVisible;
      if (attempt instanceof Attempt.Inserted) {
        return new ClaimResult.Granted(1, List.of());
      }
      if (attempt instanceof Attempt.Locked) {
        return record.hasLease()
            ? whileLocked(connection, record)
            : new ClaimResult.InProgress(null, null);
      }
      ClaimResult result =
          attempt instanceof Attempt.Found found && !found.snapshot().expired()
              ? result(record, found.snapshot())
              : null;
      if (result != null) {
        return result;
      }
      if (!mode.insert()
          && !(attempt instanceof Attempt.Found found && !found.snapshot().expired())) {
        return new ClaimResult.NotFound();
      }
      if (ending != null) {
        ending.beginAgain();
      }
      if (attempt instanceof Attempt.Found found) {
        if (!record.hasLease() && !inserter.isFree(connection, record.id(), wait, mode.mayFail())) {
          return new ClaimResult.InProgress(null, null);
        }
        ClaimResult taken =
            found.snapshot().expired()
                ? replace(connection, record, wait, mode)
                : takeOver(connection, record, found.snapshot(), wait, mode);
        if (taken != null) {
          return taken;
        }
      } else if (again && !inserter.await(connection, record.id(), wait, mode.mayFail())) {
        // the first time it may have been deleted in between: then it is inserted in the next round
        return new ClaimResult.InProgress(null, null);
      }
    }
    return null;
  }

  /** The result while another transaction changes the record, without waiting for it. */
  private ClaimResult whileLocked(Connection connection, NewRecord record) throws SQLException {
    Optional<RecordSnapshot> snapshot = sql.read(connection, record.id(), "");
    ClaimResult result =
        snapshot.isPresent() && !snapshot.get().expired() ? result(record, snapshot.get()) : null;
    return result == null ? new ClaimResult.InProgress(null, null) : result;
  }

  /** Null if the record has changed since it was read. */
  private @Nullable ClaimResult replace(
      Connection connection, NewRecord record, Duration wait, StartMode mode) throws SQLException {
    return switch (inserter.change(
        connection, wait, mode.mayFail(), sql.replace(record), record.replacement())) {
      case RecordInserter.NOT_FREE -> new ClaimResult.InProgress(null, null);
      case 0 -> null;
      default -> new ClaimResult.Granted(1, List.of());
    };
  }

  /** Null if the lease can be taken over. */
  private static @Nullable ClaimResult result(NewRecord record, RecordSnapshot snapshot) {
    return record.hasLease() && snapshot.hasOwner() && snapshot.ownerId().equals(record.ownerId())
        ? new ClaimResult.Granted(snapshot.attempts(), snapshot.steps())
        : snapshot.result(record.fingerprint());
  }

  /** Null if the record has changed since it was read. */
  private @Nullable ClaimResult takeOver(
      Connection connection,
      NewRecord record,
      RecordSnapshot snapshot,
      Duration wait,
      StartMode mode)
      throws SQLException {
    if (!record.hasLease() && (snapshot.isWorkflow() || !snapshot.steps().isEmpty())) {
      return new ClaimResult.Incomplete();
    }
    RecordId id = record.id();
    List<@Nullable Object> values = new ArrayList<>(List.of(record.ownerId()));
    if (record.hasLease()) {
      values.add(record.lease());
    }
    values.addAll(List.of(record.retention(), id.shard(), id.digest(), snapshot.ownerId()));
    int rows = inserter.change(connection, wait, mode.mayFail(), mode.takeOver(), values.toArray());
    if (rows == RecordInserter.NOT_FREE) {
      return new ClaimResult.InProgress(null, null);
    }
    if (rows == 0) {
      return null;
    }
    // read after the take-over, when no other attempt can add a step any more
    RecordSnapshot mine = sql.read(connection, id, mode.read().get()).orElseThrow();
    return new ClaimResult.Granted(mine.attempts(), mine.steps());
  }

  @Override
  public boolean renew(Ownership owner, Duration lease) {
    return withConnection(
        "renewing", owner.key(), connection -> changedSoon(connection, sql.renew, owner, lease));
  }

  @Override
  public boolean record(Ownership owner, Step step, Duration lease) {
    return withConnection(
        "recording a step of",
        owner.key(),
        connection -> changed(connection, sql.record, owner, step.encode(), lease));
  }

  @Override
  public boolean complete(Ownership owner, StoredResult result, Duration retention) {
    return withConnection(
        "completing",
        owner.key(),
        connection ->
            changed(
                    connection,
                    sql.complete,
                    owner,
                    result.kind().code(),
                    result.bytes(),
                    retention)
                || exists(connection, sql.isCompleted, owner));
  }

  @Override
  public boolean release(Ownership owner, Duration pause) {
    return withConnection(
        "releasing",
        owner.key(),
        connection ->
            changedSoon(connection, sql.release, owner, pause)
                || exists(connection, sql.isReleased, owner));
  }

  private boolean changed(
      Connection connection, String statement, Ownership owner, Object... values)
      throws SQLException {
    RecordId id = id(owner.key());
    List<Object> all = new ArrayList<>(List.of(values));
    all.addAll(List.of(id.shard(), id.digest(), owner.ownerId()));
    return sql.table.update(connection, statement, all.toArray()) == 1;
  }

  /**
   * As {@link #changed}, but fails if the row stays locked, for example by a transactional step
   * that is slow to commit: waiting for it would delay others.
   */
  private boolean changedSoon(
      Connection connection, String statement, Ownership owner, Duration time) throws SQLException {
    RecordId id = id(owner.key());
    int rows =
        inserter.change(
            connection,
            RecordInserter.MIN_WAIT,
            true,
            statement,
            time,
            id.shard(),
            id.digest(),
            owner.ownerId());
    if (rows == RecordInserter.NOT_FREE) {
      throw new SQLException("a transaction has its record locked", LOCK_TIMEOUT);
    }
    return rows == 1;
  }

  private boolean exists(Connection connection, String query, Ownership owner) throws SQLException {
    RecordId id = id(owner.key());
    return sql.table
        .first(connection, query, row -> true, id.shard(), id.digest(), owner.ownerId())
        .isPresent();
  }

  @Override
  public Optional<IdempotencyRecord> find(IdempotencyKey key) {
    RecordId id = id(key);
    return withConnection(
        "reading",
        key,
        connection -> sql.table.first(connection, sql.find, sql::found, id.shard(), id.digest()));
  }

  @Override
  public DeleteResult delete(IdempotencyKey key) {
    RecordId id = id(key);
    return withConnection("deleting", key, connection -> delete(connection, id));
  }

  private DeleteResult delete(Connection connection, RecordId id) throws SQLException {
    int rows =
        inserter.change(connection, Duration.ZERO, true, sql.delete, id.shard(), id.digest());
    if (rows == 1) {
      return DeleteResult.DELETED;
    }
    // a row that was not deleted is owned, and one that cannot be seen is of a running transaction
    return rows == RecordInserter.NOT_FREE
            || sql.isThere(connection, id)
            || !inserter.isFree(connection, id, Duration.ZERO, true)
        ? DeleteResult.IN_PROGRESS
        : DeleteResult.NOT_FOUND;
  }

  @Override
  public int deleteExpired(int limit) {
    int deleted = 0;
    for (int shard = 0; shard < shards && deleted < limit; shard++) {
      int of = shard;
      int rest = limit - deleted;
      deleted +=
          withConnection(
              "deleting expired records", null, connection -> deleteExpired(connection, of, rest));
    }
    return deleted;
  }

  /**
   * Deletes up to {@code limit} records of a shard, without waiting for those that a transaction is
   * about to replace. Each statement is committed by itself.
   *
   * <p>PostgreSQL uses one statement. The other databases read the ids without locks, because
   * InnoDB would also lock the first record that is not expired. Then they delete all of them at
   * once, or one by one if some are locked.
   */
  private int deleteExpired(Connection connection, int shard, int limit) throws SQLException {
    if (sql.deletesInOneStatement()) {
      return sql.table.update(connection, sql.deleteExpired, shard, limit);
    }
    List<byte[]> ids =
        sql.table.query(connection, sql.expired, row -> row.getBytes(1), shard, limit);
    if (ids.isEmpty()) {
      return 0;
    }
    int rows = deleteExpired(connection, shard, ids);
    if (rows != RecordInserter.NOT_FREE) {
      return rows;
    }
    rows = 0;
    for (byte[] id : ids) {
      rows += Math.max(0, deleteExpired(connection, shard, List.of(id)));
    }
    return rows;
  }

  private int deleteExpired(Connection connection, int shard, List<byte[]> ids)
      throws SQLException {
    List<@Nullable Object> values = new ArrayList<>(ids.size() + 1);
    values.add(shard);
    values.addAll(ids);
    return inserter.change(
        connection, Duration.ZERO, true, sql.deleteExpired(ids.size()), values.toArray());
  }

  @Override
  public List<Interrupted> interrupted(Collection<String> workflows, Attempts attempts, int limit) {
    if (workflows.isEmpty()) {
      return List.of();
    }
    List<Object> values = new ArrayList<>(workflows);
    values.add(attempts.from());
    values.add(attempts.below());
    return withConnection(
        "reading interrupted workflows",
        null,
        connection ->
            sql.table.query(
                connection,
                sql.interrupted(workflows.size(), limit),
                sql::interrupted,
                values.toArray()));
  }

  private <T> T withConnection(
      String doing, @Nullable IdempotencyKey key, AutocommitRunner.Statements<T> statements) {
    try {
      return AutocommitRunner.retrying(dataSource, statements);
    } catch (SQLException e) {
      throw new DatabaseException(
          doing + (key == null ? "" : " the idempotency record of " + key), e);
    }
  }
}
