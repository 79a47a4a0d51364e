package dev.holdfast.idempotency.internal;

import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IdempotencyRecord;
import dev.holdfast.idempotency.StoredReply;
import dev.holdfast.idempotency.TransactionalIdempotencyStore;
import dev.holdfast.sql.Dialect;
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
import java.util.UUID;
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
                  beginning.patience(), own, sql.takeIntoTransaction, () -> currentRead(tx)));
      if (claimed != null) {
        return claimed;
      }
      throw new SQLException("its record is not visible to this transaction", "40001");
    } catch (SQLException e) {
      throw SqlText.failed(tx, "beginning the record of " + beginning.key(), e);
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
   */
  private record Manner(
      Duration patience, boolean expendable, String take, Supplier<String> read) {}

  /** Null where the record is there, but cannot be seen. */
  private @Nullable Claimed insertOrLook(Connection connection, NewRecord record, Manner manner)
      throws SQLException {
    long deadline = System.nanoTime() + manner.patience().toNanos();
    boolean unseen = false;
    for (int looks = 0; looks < MOST_LOOKS; looks++) {
      Duration wait = Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
      switch (insertion.insert(connection, record, wait, manner.expendable())) {
        case INSERTED -> {
          return new Claimed.Granted(1, List.of());
        }
        case HELD -> {
          return record.isClaimed() ? beside(connection, record) : new Claimed.Busy(null, null);
        }
        default -> {}
      }
      Optional<Seen> seen = look(connection, record.id(), manner.read().get());
      boolean again = unseen;
      unseen = seen.isEmpty();
      if (unseen) {
        // at first it may have been removed since: then nobody has it, and it is inserted now
        if (again && !insertion.await(connection, record.id(), wait, manner.expendable())) {
          return new Claimed.Busy(null, null);
        }
      } else {
        Claimed answer =
            seen.get().expired()
                ? replace(connection, record, manner)
                : answer(connection, record, seen.get(), manner);
        if (answer != null) {
          return answer;
        }
      }
    }
    return null;
  }

  /** What can be told while somebody else changes the record, without waiting for that. */
  private Claimed beside(Connection connection, NewRecord record) throws SQLException {
    Optional<Seen> seen = look(connection, record.id(), "");
    Claimed told = seen.isPresent() && !seen.get().expired() ? told(record, seen.get()) : null;
    return told == null ? new Claimed.Busy(null, null) : told;
  }

  /** Null where it has changed since it was seen. */
  private @Nullable Claimed replace(Connection connection, NewRecord record, Manner manner)
      throws SQLException {
    return switch (insertion.change(
        connection,
        manner.patience(),
        manner.expendable(),
        sql.replace(record),
        record.replacement())) {
      case Insertion.NOT_FREE -> new Claimed.Busy(null, null);
      case 0 -> null;
      default -> new Claimed.Granted(1, List.of());
    };
  }

  private Optional<Seen> look(Connection connection, RecordId id, String read) throws SQLException {
    return sql.table.first(connection, sql.look + read, sql::seen, id.shard(), id.digest());
  }

  /** Null where the claim can be taken. */
  private static @Nullable Claimed told(NewRecord record, Seen seen) {
    return record.isClaimed() && seen.isHeld() && seen.attempt().equals(record.attempt())
        ? new Claimed.Granted(seen.attempts(), seen.steps())
        : seen.answer(record.fingerprint());
  }

  /** Null where it has changed since it was seen. */
  private @Nullable Claimed answer(
      Connection connection, NewRecord record, Seen seen, Manner manner) throws SQLException {
    Claimed told = told(record, seen);
    if (told != null) {
      return told;
    }
    if (!record.isClaimed() && (seen.ofFlow() || !seen.steps().isEmpty())) {
      return new Claimed.Unanswered();
    }
    return take(connection, record, seen.attempt(), manner);
  }

  private @Nullable Claimed take(
      Connection connection, NewRecord record, UUID before, Manner manner) throws SQLException {
    RecordId id = record.id();
    List<@Nullable Object> values = new ArrayList<>(List.of(record.attempt()));
    if (record.isClaimed()) {
      values.add(record.lease());
    }
    values.addAll(List.of(record.retention(), id.shard(), id.digest(), before));
    int rows =
        insertion.change(
            connection, manner.patience(), manner.expendable(), manner.take(), values.toArray());
    if (rows == Insertion.NOT_FREE) {
      return new Claimed.Busy(null, null);
    }
    if (rows == 0) {
      return null;
    }
    // read after it is taken: nobody can add a step any more
    Seen mine = look(connection, id, manner.read().get()).orElseThrow();
    return new Claimed.Granted(mine.attempts(), mine.steps());
  }

  @Override
  public boolean complete(Transaction tx, Hold hold, StoredReply reply) {
    tx.requireWritable(() -> "the answer to " + hold.key());
    RecordId id = id(hold.key());
    try {
      return sql.table.update(
              tx.connection(),
              sql.answer,
              ReplyCode.of(reply.kind()),
              reply.bytes(),
              id.shard(),
              id.digest(),
              hold.attempt())
          == 1;
    } catch (SQLException e) {
      throw SqlText.failed(tx, "writing the answer to " + hold.key(), e);
    }
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
    Manner manner = new Manner(Duration.ZERO, true, sql.take, () -> "");
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
