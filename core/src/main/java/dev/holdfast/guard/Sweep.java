package dev.holdfast.guard;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.guard.SweepResult.Poisoned;
import dev.holdfast.guard.SweepStatements.Range;
import dev.holdfast.internal.sql.SqlBuilder;
import dev.holdfast.transaction.CommitUnknownException;
import dev.holdfast.transaction.Isolation;
import dev.holdfast.transaction.RetriesExhaustedException;
import dev.holdfast.transaction.Retrying;
import dev.holdfast.transaction.SqlError;
import dev.holdfast.transaction.TransactionStateException;
import dev.holdfast.transaction.Transactions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One sweep over stuck rows. For one thread:
 *
 * <ol>
 *   <li>recover a batch in a transaction of its own, and again from behind it, until one is empty:
 *       a short batch only means that others have locked rows;
 *   <li>where a batch fails, see whether any row can be changed and which rows it was about, and
 *       recover each in a transaction of its own; one that fails again is poisoned, and the sweep
 *       goes on behind it;
 *   <li>where the failure is not about a row, stop and tell what was done.
 * </ol>
 */
final class Sweep {
  private static final int ATTEMPTS = 5;

  /** Rows that get stuck again at once, with a later time, would keep a sweep going for ever. */
  private static final int MAX_BATCHES = 1000;

  /** So many cannot be the fault of rows, and each costs a transaction and memory. */
  private static final int MAX_REJECTED_ROWS = 10_000;

  private static final int UNKNOWN = -1;

  private final SweepPlan plan;
  private final SweepStatements sql;
  private final Retrying asTheyAre;
  private final Retrying readCommitted;
  private final BooleanSupplier goOn;

  private final List<Poisoned> poisoned = new ArrayList<>();
  private int recovered;
  private int failed;
  private int unconfirmed;
  private int undated = UNKNOWN;
  private boolean gapsAreLocked = true;
  private @Nullable StuckRow position;
  private List<StuckRow> sent = List.of();

  Sweep(SweepPlan plan, Transactions transactions, BooleanSupplier goOn) {
    this.plan = plan;
    this.sql = new SweepStatements(plan);
    this.asTheyAre = transactions.retrying(ATTEMPTS).named(plan.name());
    this.readCommitted =
        transactions.isolation(Isolation.READ_COMMITTED).retrying(ATTEMPTS).named(plan.name());
    this.goOn = goOn;
  }

  SweepResult run() {
    try {
      for (int batch = 0; batch < MAX_BATCHES && mayGoOn(); batch++) {
        if (!sweepBatch()) {
          return result(true);
        }
      }
      return result(false);
    } catch (InvalidArgumentException | TransactionStateException refused) {
      throw refused;
    } catch (RuntimeException failure) {
      throw new SweepException(plan.name(), result(false), failure);
    }
  }

  private boolean mayGoOn() {
    return goOn.getAsBoolean()
        && poisoned.size() < MAX_REJECTED_ROWS
        && !Thread.currentThread().isInterrupted();
  }

  private SweepResult result(boolean complete) {
    return new SweepResult(
        recovered, failed, unconfirmed, Math.max(0, undated), poisoned, complete);
  }

  /** Whether there was anything to recover. */
  private boolean sweepBatch() {
    Range batch = new Range(position, null, plan.batch());
    List<StuckRow> rows;
    try {
      rows = recover(batch);
    } catch (RuntimeException failure) {
      return sweepOneByOne(batch, failure);
    }
    rows.forEach(this::count);
    if (!rows.isEmpty()) {
      moveBehind(rows.get(rows.size() - 1));
    }
    return !rows.isEmpty();
  }

  /**
   * Under REPEATABLE READ, MariaDB and MySQL would lock the gaps between stuck rows. Elsewhere it
   * would only cost a round trip to make sure.
   */
  private Retrying retrying() {
    return gapsAreLocked ? readCommitted : asTheyAre;
  }

  private List<StuckRow> recover(Range range) {
    sent = List.of();
    return retrying()
        .call(
            tx -> {
              if (undated == UNKNOWN) {
                gapsAreLocked = tx.dialect().locksGaps();
                SqlBuilder.requireTransactional(tx, plan.table());
                undated = sql.undated(tx);
              }
              List<StuckRow> rows = sql.recover(tx, range);
              sent = rows;
              return rows;
            });
  }

  private boolean sweepOneByOne(Range batch, RuntimeException failure) {
    if (undated == UNKNOWN || isOfTheSweep(failure)) {
      throw failure;
    }
    List<StuckRow> maybeCommitted = failure instanceof CommitUnknownException ? sent : List.of();
    unconfirmed += maybeCommitted.size();
    List<StuckRow> rows = find(batch, failure);
    unconfirmed -= inBoth(maybeCommitted, rows);
    for (StuckRow row : rows) {
      if (!mayGoOn()) {
        return true;
      }
      recoverAlone(row);
      moveBehind(row);
    }
    return !rows.isEmpty();
  }

  private void recoverAlone(StuckRow row) {
    Range alone = new Range(null, row.key(), 1);
    try {
      recover(alone).forEach(this::count);
    } catch (RuntimeException failure) {
      if (isOfTheSweep(failure)) {
        throw failure;
      }
      if (isStillStuck(alone, failure)) {
        poisoned.add(
            new Poisoned(row.key(), SqlError.of(failure), String.valueOf(failure.getMessage())));
      }
    }
  }

  private boolean isStillStuck(Range alone, RuntimeException failure) {
    if (failure instanceof CommitUnknownException) {
      unconfirmed++;
      boolean notCommitted = !find(alone, failure).isEmpty();
      unconfirmed -= notCommitted ? 1 : 0;
      return notCommitted;
    }
    if (SqlError.of(failure) == SqlError.CONNECTION_LOST) {
      // a row may kill its session; but if the database does not answer, it is not the row
      find(alone, failure);
    }
    return true;
  }

  /**
   * The stuck rows of a range. The sweep ends where the database does not even tell these, or would
   * change no row at all, such as for somebody who may only read.
   */
  private List<StuckRow> find(Range range, RuntimeException earlier) {
    try {
      return retrying()
          .call(
              tx -> {
                sql.changeNothing(tx);
                return sql.find(tx, range);
              });
    } catch (RuntimeException failure) {
      failure.addSuppressed(earlier);
      throw failure;
    }
  }

  /** Whether no other row could fare better. */
  private static boolean isOfTheSweep(RuntimeException failure) {
    return failure instanceof InvalidArgumentException
        || failure instanceof TransactionStateException
        || failure instanceof GuardException
        || (failure instanceof RetriesExhaustedException exhausted
            && exhausted.reason() == RetriesExhaustedException.Reason.INTERRUPTED)
        || SqlError.of(failure) == SqlError.READ_ONLY;
  }

  private void count(StuckRow row) {
    if (!row.changed()) {
      poisoned.add(
          new Poisoned(
              row.key(),
              SqlError.UNKNOWN,
              "the database left the row as it was and gave no error; look at its triggers"));
    } else if (row.last()) {
      failed++;
    } else {
      recovered++;
    }
  }

  private void moveBehind(StuckRow row) {
    if (row.time() == null) {
      // nothing is later than null, which would look like the end
      throw new IllegalStateException(
          "the time of a stuck row must be known to go on behind it, was null: "
              + plan.row(row.key()));
    }
    position = row;
  }

  private static int inBoth(List<StuckRow> some, List<StuckRow> others) {
    Set<Object> keys = others.stream().map(StuckRow::comparableKey).collect(Collectors.toSet());
    return (int) some.stream().filter(row -> keys.contains(row.comparableKey())).count();
  }
}
