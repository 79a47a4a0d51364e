package dev.holdfast.idempotency.internal;

import dev.holdfast.idempotency.Fingerprint;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IdempotencyRecord;
import dev.holdfast.idempotency.StoredReply;
import dev.holdfast.idempotency.TransactionalIdempotencyStore;
import dev.holdfast.idempotency.internal.Insertion.Tried;
import dev.holdfast.sql.Dialect;
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

/**
 * Records in a table. A record is inserted first, because most requests come once; where that
 * fails, it is looked at, and taken over where it may be.
 */
final class SqlIdempotencyStore implements TransactionalIdempotencyStore {
  /** A record that is neither to be inserted nor to be seen, again and again, is not believed. */
  private static final int MOST_LOOKS = 20;

  private final DataSource dataSource;
  private final Dialect dialect;
  private final RecordSql sql;
  private final Insertion insertion;
  private final OldRecords old;
  private final int shards;

  SqlIdempotencyStore(
      DataSource dataSource, Dialect dialect, RecordSql sql, Insertion insertion, int shards) {
    this.dataSource = dataSource;
    this.dialect = dialect;
    this.sql = sql;
    this.insertion = insertion;
    this.old = new OldRecords(sql, insertion);
    this.shards = shards;
  }

  private RecordId id(IdempotencyKey key) {
    return RecordId.of(key, shards);
  }

  @Override
  public Claimed begin(Transaction tx, Beginning beginning, boolean own) {
    tx.requireWritable(() -> "the idempotency record of " + beginning.key());
    NewRecord record =
        new NewRecord(
            id(beginning.key()),
            beginning.fingerprint(),
            beginning.attempt(),
            null,
            beginning.retention(),
            null);
    try {
      Claimed claimed =
          insertOrLook(
              tx.connection(),
              record,
              new Manner(
                  beginning.patience(),
                  own,
                  sql.takeIntoTransaction,
                  () -> currentRead(tx),
                  own && sql.rollsBackByText() ? tx : null));
      if (claimed != null) {
        return claimed;
      }
      throw new SQLException("its record is not visible to this transaction", "40001");
    } catch (SQLException e) {
      throw SqlText.failed(tx, "beginning the record of " + beginning.key(), e);
    }
  }

  @Override
  public @Nullable Claimed answered(Transaction tx, IdempotencyKey key, Fingerprint fingerprint) {
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

  /**
   * How a record is inserted, and what happens to one that is there.
   *
   * @param take the statement that takes over a claim that nobody holds
   * @param read the end of a look
   * @param replayed a transaction in which nothing was done before, and which ends where the record
   *     is there: then the first look rolls it back, in the same round trip. Or null
   */
  private record Manner(
      Duration patience,
      boolean expendable,
      String take,
      Supplier<String> read,
      @Nullable Transaction replayed) {}

  /** Null where the record is there, but cannot be seen. */
  private @Nullable Claimed insertOrLook(Connection connection, NewRecord record, Manner manner)
      throws SQLException {
    long deadline = System.nanoTime() + manner.patience().toNanos();
    boolean unseen = false;
    for (int looks = 0; looks < MOST_LOOKS; looks++) {
      Duration wait = Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
      Transaction ending = looks == 0 ? manner.replayed() : null;
      Tried tried =
          insertion.insert(
              connection,
              record,
              wait,
              manner.expendable(),
              ending == null ? manner.read() : () -> Insertion.ENDING);
      boolean again = unseen;
      unseen = tried instanceof Tried.Unseen;
      if (tried instanceof Tried.Inserted) {
        return new Claimed.Granted(1, List.of());
      }
      if (tried instanceof Tried.Held) {
        return record.isClaimed() ? beside(connection, record) : new Claimed.Busy(null, null);
      }
      Claimed told =
          tried instanceof Tried.There there && !there.seen().expired()
              ? told(record, there.seen())
              : null;
      if (told != null) {
        return told;
      }
      if (ending != null) {
        ending.beginAgain();
      }
      if (tried instanceof Tried.There there) {
        Claimed taken =
            there.seen().expired()
                ? replace(connection, record, wait, manner)
                : take(connection, record, there.seen(), wait, manner);
        if (taken != null) {
          return taken;
        }
      } else if (again && !insertion.await(connection, record.id(), wait, manner.expendable())) {
        // at first it may have been removed since: then nobody has it, and it is inserted now
        return new Claimed.Busy(null, null);
      }
    }
    return null;
  }

  /** What can be told while somebody else changes the record, without waiting for that. */
  private Claimed beside(Connection connection, NewRecord record) throws SQLException {
    Optional<Seen> seen = sql.look(connection, record.id(), "");
    Claimed told = seen.isPresent() && !seen.get().expired() ? told(record, seen.get()) : null;
    return told == null ? new Claimed.Busy(null, null) : told;
  }

  /** Null where it has changed since it was seen. */
  private @Nullable Claimed replace(
      Connection connection, NewRecord record, Duration wait, Manner manner) throws SQLException {
    return switch (insertion.change(
        connection, wait, manner.expendable(), sql.replace(record), record.replacement())) {
      case Insertion.NOT_FREE -> new Claimed.Busy(null, null);
      case 0 -> null;
      default -> new Claimed.Granted(1, List.of());
    };
  }

  /** Null where the claim can be taken. */
  private static @Nullable Claimed told(NewRecord record, Seen seen) {
    return record.isClaimed() && seen.isHeld() && seen.attempt().equals(record.attempt())
        ? new Claimed.Granted(seen.attempts(), seen.steps())
        : seen.answer(record.fingerprint());
  }

  /** Null where it has changed since it was seen. */
  private @Nullable Claimed take(
      Connection connection, NewRecord record, Seen seen, Duration wait, Manner manner)
      throws SQLException {
    if (!record.isClaimed() && (seen.ofFlow() || !seen.steps().isEmpty())) {
      return new Claimed.Unanswered();
    }
    RecordId id = record.id();
    List<@Nullable Object> values = new ArrayList<>(List.of(record.attempt()));
    if (record.isClaimed()) {
      values.add(record.lease());
    }
    values.addAll(List.of(record.retention(), id.shard(), id.digest(), seen.attempt()));
    int rows =
        insertion.change(connection, wait, manner.expendable(), manner.take(), values.toArray());
    if (rows == Insertion.NOT_FREE) {
      return new Claimed.Busy(null, null);
    }
    if (rows == 0) {
      return null;
    }
    // read after it is taken: nobody can add a step any more
    Seen mine = sql.look(connection, id, manner.read().get()).orElseThrow();
    return new Claimed.Granted(mine.attempts(), mine.steps());
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
  public void completeLast(
      Transaction tx,
      Answering answering,
      StoredReply reply,
      Supplier<? extends RuntimeException> gone) {
    tx.endWith(
        new LastChange(
            answer(answering),
            sql.answer,
            statement -> sql.table.bind(statement, values(answering, reply)),
            gone));
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
  public boolean record(Transaction tx, Hold hold, Step step) {
    try {
      return held(tx.connection(), sql.recordInTransaction, hold, Steps.write(step));
    } catch (SQLException e) {
      throw SqlText.failed(tx, "recording a step of " + hold.key(), e);
    }
  }

  @Override
  public Claimed claim(Request request) {
    NewRecord record =
        new NewRecord(
            id(request.key()),
            request.fingerprint(),
            request.attempt(),
            request.lease(),
            request.retention(),
            request.work());
    Manner manner = new Manner(Duration.ZERO, true, sql.take, () -> "", null);
    return alone(
        "claiming",
        request.key(),
        connection -> {
          Claimed claimed = insertOrLook(connection, record, manner);
          // others change it faster than it can be looked at
          return claimed == null ? new Claimed.Busy(null, null) : claimed;
        });
  }

  @Override
  public boolean renew(Hold hold, Duration lease) {
    return alone("renewing", hold.key(), connection -> held(connection, sql.renew, hold, lease));
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
            held(connection, sql.release, hold, pause) || was(connection, sql.isReleased, hold));
  }

  private boolean held(Connection connection, String statement, Hold hold, Object... values)
      throws SQLException {
    RecordId id = id(hold.key());
    List<Object> all = new ArrayList<>(List.of(values));
    all.addAll(List.of(id.shard(), id.digest(), hold.attempt()));
    return sql.table.update(connection, statement, all.toArray()) == 1;
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
  public List<Abandoned> abandoned(Collection<String> flows, int below, int most) {
    if (flows.isEmpty()) {
      return List.of();
    }
    List<Object> values = new ArrayList<>(flows);
    values.add(below);
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
