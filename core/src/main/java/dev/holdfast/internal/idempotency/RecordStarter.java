package dev.holdfast.internal.idempotency;

import dev.holdfast.idempotency.spi.IdempotencyStore.ClaimResult;
import dev.holdfast.internal.idempotency.RecordInserter.Attempt;
import dev.holdfast.transaction.Transaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Starts a request: inserts its record first, because most requests come once. If there is a
 * record, it is read, and replaced or taken over if allowed.
 */
final class RecordStarter {
  /** Limits a loop that ends as soon as the record can be inserted or is visible. */
  private static final int MAX_READS = 20;

  private final RecordStatements sql;
  private final RecordInserter inserter;

  RecordStarter(RecordStatements sql, RecordInserter inserter) {
    this.sql = sql;
    this.inserter = inserter;
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
  record StartMode(
      Duration waitTimeout,
      boolean mayFail,
      String takeOver,
      Supplier<String> read,
      boolean insert,
      @Nullable Transaction replayed) {}

  /** Null if the record exists but is not visible. */
  @Nullable ClaimResult start(Connection connection, NewRecord record, StartMode mode)
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
}
