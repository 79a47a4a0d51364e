package dev.holdfast.idempotency.internal;

import dev.holdfast.idempotency.IdempotencyStore.Claimed;
import dev.holdfast.idempotency.internal.Insertion.Tried;
import dev.holdfast.sql.Transaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Begins a record: it is inserted first, because most requests come once; where that fails, it is
 * looked at, and replaced or taken over where it may be.
 */
final class RecordBeginning {
  /** A record that is neither to be inserted nor to be seen, again and again, is not believed. */
  private static final int MOST_LOOKS = 20;

  private final RecordSql sql;
  private final Insertion insertion;

  RecordBeginning(RecordSql sql, Insertion insertion) {
    this.sql = sql;
    this.insertion = insertion;
  }

  /**
   * How a record is inserted, and what happens to one that is there.
   *
   * @param take the statement that takes over a claim that nobody holds
   * @param read the end of a look
   * @param insert whether a record that is not there, or is over, is begun
   * @param replayed a transaction in which nothing was done before, and which ends where the record
   *     is there: then the first look rolls it back, in the same round trip. Or null
   */
  record Manner(
      Duration patience,
      boolean expendable,
      String take,
      Supplier<String> read,
      boolean insert,
      @Nullable Transaction replayed) {}

  /** Null where the record is there, but cannot be seen. */
  @Nullable Claimed insertOrLook(Connection connection, NewRecord record, Manner manner)
      throws SQLException {
    long deadline = System.nanoTime() + manner.patience().toNanos();
    boolean unseen = false;
    for (int looks = 0; looks < MOST_LOOKS; looks++) {
      Duration wait = Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
      Transaction ending = looks == 0 ? manner.replayed() : null;
      Supplier<String> read = ending == null ? manner.read() : () -> Insertion.ENDING;
      Tried tried =
          manner.insert()
              ? insertion.insert(connection, record, wait, manner.expendable(), read)
              : Tried.of(sql.look(connection, record.id(), read.get()));
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
      if (!manner.insert() && !(tried instanceof Tried.There there && !there.seen().expired())) {
        return new Claimed.Gone();
      }
      if (ending != null) {
        ending.beginAgain();
      }
      if (tried instanceof Tried.There there) {
        if (!record.isClaimed()
            && !insertion.alone(connection, record.id(), wait, manner.expendable())) {
          return new Claimed.Busy(null, null);
        }
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
}
