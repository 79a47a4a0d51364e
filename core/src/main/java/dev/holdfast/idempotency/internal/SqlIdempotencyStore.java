package dev.holdfast.idempotency.internal;

import dev.holdfast.idempotency.Fingerprint;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IdempotencyRecord;
import dev.holdfast.idempotency.StoredReply;
import dev.holdfast.idempotency.TransactionalIdempotencyStore;
import dev.holdfast.sql.Dialect;
import dev.holdfast.sql.Isolation;
import dev.holdfast.sql.LastChange;
import dev.holdfast.sql.SqlFailedException;
import dev.holdfast.sql.Transaction;
import dev.holdfast.sql.internal.Autocommit;
import dev.holdfast.sql.internal.SqlText;
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

/** Records in a table. */
final class SqlIdempotencyStore implements TransactionalIdempotencyStore {
  /** As PostgreSQL calls it; understood by the classifier of errors, whatever the database. */
  private static final String LOCK_TIMEOUT = "55P03";

  private final DataSource dataSource;
  private final Dialect dialect;
  private final RecordSql sql;
  private final Insertion insertion;
  private final RecordBeginning beginning;
  private final OldRecords old;
  private final int shards;

  SqlIdempotencyStore(
      DataSource dataSource, Dialect dialect, RecordSql sql, Insertion insertion, int shards) {
    this.dataSource = dataSource;
    this.dialect = dialect;
    this.sql = sql;
    this.insertion = insertion;
    this.beginning = new RecordBeginning(sql, insertion);
    this.old = new OldRecords(sql, insertion);
    this.shards = shards;
  }

  private RecordId id(IdempotencyKey key) {
    return RecordId.of(key, shards);
  }

  @Override
  public Claimed begin(Transaction tx, Beginning asked, boolean own) {
    tx.requireWritable(() -> "the idempotency record of " + asked.key());
    NewRecord record =
        new NewRecord(
            id(asked.key()), asked.fingerprint(), asked.attempt(), null, asked.retention(), null);
    try {
      Claimed claimed =
          beginning.insertOrLook(
              tx.connection(),
              record,
              new RecordBeginning.Manner(
                  asked.patience(),
                  own,
                  sql.takeIntoTransaction,
                  () -> currentRead(tx),
                  true,
                  own && sql.rollsBackByText() ? tx : null));
      if (claimed != null) {
        return claimed;
      }
      throw new SQLException("its record is not visible to this transaction", "40001");
    } catch (SQLException e) {
      throw SqlText.failed(tx, "beginning the record of " + asked.key(), e);
    }
  }

  @Override
  public @Nullable Claimed answered(Transaction tx, IdempotencyKey key, Fingerprint fingerprint) {
    if (dialect.locksGaps() && tx.isolation() == Isolation.SERIALIZABLE) {
      // there a look locks, and so would wait without the limit of the request
      return null;
    }
    try {
      String ending = sql.rollsBackByText() ? Insertion.ENDING : "";
      Optional<Seen> seen = sql.answered(tx.connection(), id(key), ending);
      if (seen.isPresent()) {
        return seen.get().answer(fingerprint);
      }
      // what the work reads is not to be as old as this look
      tx.beginAgain();
      return null;
    } catch (SQLException e) {
      throw SqlText.failed(tx, "looking at the record of " + key, e);
    }
  }

  private String currentRead(Transaction tx) {
    return dialect.locksGaps() ? dialect.currentRead(tx.isolation()) : "";
  }

  @Override
  public boolean complete(Transaction tx, Answering answering, StoredReply reply) {
    tx.requireWritable(() -> "the answer to " + answering.key());
    try {
      return sql.table.update(tx.connection(), sql.answer, values(answering, reply)) == 1;
    } catch (SQLException e) {
      throw SqlText.failed(tx, answer(answering), e);
    }
  }

  @Override
  public boolean completeLast(
      Transaction tx,
      Answering answering,
      StoredReply reply,
      Supplier<? extends RuntimeException> gone) {
    tx.requireWritable(() -> "the answer to " + answering.key());
    LastChange last =
        new LastChange(
            answer(answering),
            sql.answer,
            statement -> sql.table.bind(statement, values(answering, reply)),
            gone);
    if (tx.endWith(last)) {
      return true;
    }
    if (!complete(tx, answering, reply)) {
      RuntimeException failure = gone.get();
      tx.mustRollBack(failure);
      throw failure;
    }
    return false;
  }

  @Override
  public boolean isAnswered(Answering answering) {
    return alone(
        "looking at",
        answering.key(),
        connection ->
            was(connection, sql.isComplete, new Hold(answering.key(), answering.attempt())));
  }

  private static String answer(Answering answering) {
    return "writing the answer to " + answering.key();
  }

  private Object[] values(Answering answering, StoredReply reply) {
    RecordId id = id(answering.key());
    return new Object[] {
      ReplyCode.of(reply.kind()),
      reply.bytes(),
      answering.retention().dividedBy(2),
      id.shard(),
      id.digest(),
      answering.attempt()
    };
  }

  @Override
  public Locked lock(Transaction tx, Hold hold) {
    try {
      if (!insertion.refusesWhatHasChanged(tx)) {
        return Locked.NOT_NEEDED;
      }
      return was(tx.connection(), sql.lock, hold) ? Locked.LOCKED : Locked.LOST;
    } catch (SQLException e) {
      throw SqlText.failed(tx, "locking the record of " + hold.key(), e);
    }
  }

  @Override
  public boolean record(Transaction tx, Hold hold, Step step) {
    try {
      // only for others who come with the key: they are told, and do not wait for this transaction
      boolean unused = insertion.alone(tx.connection(), id(hold.key()), Duration.ZERO, false);
      return held(tx.connection(), sql.recordInTransaction, hold, Steps.write(step));
    } catch (SQLException e) {
      throw SqlText.failed(tx, "recording a step of " + hold.key(), e);
    }
  }

  @Override
  public Claimed claim(Request request) {
    return claim(request, true);
  }

  @Override
  public Claimed resume(Request request) {
    return claim(request, false);
  }

  private Claimed claim(Request request, boolean insert) {
    NewRecord record =
        new NewRecord(
            id(request.key()),
            request.fingerprint(),
            request.attempt(),
            request.lease(),
            request.retention(),
            request.work());
    RecordBeginning.Manner manner =
        new RecordBeginning.Manner(Duration.ZERO, true, sql.take, () -> "", insert, null);
    return alone(
        "claiming",
        request.key(),
        connection -> {
          Claimed claimed = beginning.insertOrLook(connection, record, manner);
          // others change it faster than it can be looked at
          return claimed == null ? new Claimed.Busy(null, null) : claimed;
        });
  }

  @Override
  public boolean renew(Hold hold, Duration lease) {
    return alone(
        "renewing", hold.key(), connection -> heldSoon(connection, sql.renew, hold, lease));
  }

  @Override
  public boolean record(Hold hold, Step step, Duration lease) {
    return alone(
        "recording a step of",
        hold.key(),
        connection -> held(connection, sql.record, hold, Steps.write(step), lease));
  }

  @Override
  public boolean complete(Hold hold, StoredReply reply, Duration retention) {
    return alone(
        "completing",
        hold.key(),
        connection ->
            held(
                    connection,
                    sql.complete,
                    hold,
                    ReplyCode.of(reply.kind()),
                    reply.bytes(),
                    retention)
                || was(connection, sql.isComplete, hold));
  }

  @Override
  public boolean release(Hold hold, Duration pause) {
    return alone(
        "giving back",
        hold.key(),
        connection ->
            heldSoon(connection, sql.release, hold, pause)
                || was(connection, sql.isReleased, hold));
  }

  private boolean held(Connection connection, String statement, Hold hold, Object... values)
      throws SQLException {
    RecordId id = id(hold.key());
    List<Object> all = new ArrayList<>(List.of(values));
    all.addAll(List.of(id.shard(), id.digest(), hold.attempt()));
    return sql.table.update(connection, statement, all.toArray()) == 1;
  }

  /**
   * As {@link #held}, but fails where the row stays locked, such as by a step in a transaction that
   * is slow to commit: whoever waited for that would hold up others.
   */
  private boolean heldSoon(Connection connection, String statement, Hold hold, Duration time)
      throws SQLException {
    RecordId id = id(hold.key());
    int rows =
        insertion.change(
            connection,
            Insertion.SHORTEST_WAIT,
            true,
            statement,
            time,
            id.shard(),
            id.digest(),
            hold.attempt());
    if (rows == Insertion.NOT_FREE) {
      throw new SQLException("a transaction has its record locked", LOCK_TIMEOUT);
    }
    return rows == 1;
  }

  private boolean was(Connection connection, String query, Hold hold) throws SQLException {
    RecordId id = id(hold.key());
    return sql.table
        .first(connection, query, row -> true, id.shard(), id.digest(), hold.attempt())
        .isPresent();
  }

  @Override
  public Optional<IdempotencyRecord> find(IdempotencyKey key) {
    RecordId id = id(key);
    return alone(
        "looking at",
        key,
        connection -> sql.table.first(connection, sql.find, sql::found, id.shard(), id.digest()));
  }

  @Override
  public boolean forget(IdempotencyKey key) {
    RecordId id = id(key);
    return alone(
        "forgetting",
        key,
        connection ->
            insertion.change(connection, Duration.ZERO, true, sql.forget, id.shard(), id.digest())
                == 1);
  }

  @Override
  public int cleanUp(int most) {
    int removed = 0;
    for (int shard = 0; shard < shards && removed < most; shard++) {
      int of = shard;
      int rest = most - removed;
      removed += alone("cleaning up records", null, connection -> old.remove(connection, of, rest));
    }
    return removed;
  }

  @Override
  public List<Abandoned> abandoned(Collection<String> flows, Attempts attempts, int most) {
    if (flows.isEmpty()) {
      return List.of();
    }
    List<Object> values = new ArrayList<>(flows);
    values.add(attempts.from());
    values.add(attempts.below());
    return alone(
        "looking for abandoned records",
        null,
        connection ->
            sql.table.query(
                connection, sql.abandoned(flows.size(), most), sql::abandoned, values.toArray()));
  }

  private <T> T alone(
      String doing, @Nullable IdempotencyKey key, Autocommit.Statements<T> statements) {
    try {
      return Autocommit.retrying(dataSource, statements);
    } catch (SQLException e) {
      throw new SqlFailedException(
          doing + (key == null ? "" : " the idempotency record of " + key), e);
    }
  }
}
