package dev.holdfast.internal.idempotency;

import dev.holdfast.idempotency.Fingerprint;
import dev.holdfast.idempotency.Idempotency.DeleteResult;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IdempotencyRecord;
import dev.holdfast.idempotency.spi.IdempotencyStore.StoredResult;
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
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Stores records in a table. */
final class SqlIdempotencyStore implements TransactionalIdempotencyStore {
  /** The code of PostgreSQL, which the classifier of errors knows for every database. */
  private static final String LOCK_TIMEOUT = "55P03";

  private final DataSource dataSource;
  private final Dialect dialect;
  private final RecordStatements sql;
  private final RecordInserter inserter;
  private final RecordStarter starter;
  private final ExpiredRecords expired;
  private final int shards;

  SqlIdempotencyStore(
      DataSource dataSource,
      Dialect dialect,
      RecordStatements sql,
      RecordInserter inserter,
      int shards) {
    this.dataSource = dataSource;
    this.dialect = dialect;
    this.sql = sql;
    this.inserter = inserter;
    this.starter = new RecordStarter(sql, inserter);
    this.expired = new ExpiredRecords(sql, inserter);
    this.shards = shards;
  }

  private RecordId id(IdempotencyKey key) {
    return RecordId.of(key, shards);
  }

  @Override
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
          starter.start(
              tx.connection(),
              record,
              new RecordStarter.StartMode(
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

  @Override
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

  @Override
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

  @Override
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

  @Override
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
      ResultKindCode.of(result.kind()),
      result.bytes(),
      completion.retention().dividedBy(2),
      id.shard(),
      id.digest(),
      completion.ownerId()
    };
  }

  @Override
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

  @Override
  public boolean record(Transaction tx, Ownership owner, Step step) {
    try {
      // lets duplicates see that the key is in use, instead of waiting for this transaction
      boolean unused = inserter.isFree(tx.connection(), id(owner.key()), Duration.ZERO, false);
      return changed(tx.connection(), sql.recordInTransaction, owner, StepCodec.write(step));
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
    RecordStarter.StartMode mode =
        new RecordStarter.StartMode(Duration.ZERO, true, sql.takeOver, () -> "", insert, null);
    return withConnection(
        "claiming",
        request.key(),
        connection -> {
          ClaimResult claimResult = starter.start(connection, record, mode);
          // others change it faster than it can be read
          return claimResult == null ? new ClaimResult.InProgress(null, null) : claimResult;
        });
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
        connection -> changed(connection, sql.record, owner, StepCodec.write(step), lease));
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
                    ResultKindCode.of(result.kind()),
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
              "deleting expired records", null, connection -> expired.delete(connection, of, rest));
    }
    return deleted;
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
