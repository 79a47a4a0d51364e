package dev.holdfast.guard;

import dev.holdfast.BackgroundService;
import dev.holdfast.internal.Require;
import dev.holdfast.transaction.Transactions;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The stuck-row monitor: brings back rows whose worker died while they were in its hands.
 *
 * <pre>{@code
 * StuckRows.table("tasks").key("id").status("status", "EXECUTING").recoverTo("READY")
 *     .leaseExpired("lease_until")            // or .olderThan("started_at", ofMinutes(5))
 *     .version("version")
 *     .attempts("attempts", 5, "FAILED").error("last_error", "its worker vanished").clear("owner")
 *     .sweep(transactions)
 * }</pre>
 *
 * <p>Guarantee: however many instances sweep at once, each stuck row is recovered once; a row is
 * changed only if it is stuck at that moment, in the statement that changes it; its version grows,
 * so a worker that was only slow loses its versioned {@link Update}; one row that cannot be changed
 * is reported and does not keep the others from being recovered; rows that somebody has locked are
 * left to a later sweep. Not guaranteed: that the worker is dead. A lease that it renews tells that
 * well; an age cannot tell dead from slow, so make it longer than the longest honest run.
 *
 * <p>Opens transactions of its own, READ COMMITTED on MariaDB and MySQL, one for each batch (100
 * rows by default, oldest first); joins none. Wants an index on the status and the time. Immutable
 * and thread-safe.
 *
 * <p>The time is judged by the clock of the database. Use {@code timestamptz} on PostgreSQL, {@code
 * TIMESTAMP} on MariaDB and MySQL, {@code TIMESTAMP WITH TIME ZONE} on H2. A {@code timestamp} of
 * PostgreSQL or H2, or a {@code DATETIME}, is read in the time zone of the session: that is right
 * only if all who write it, and the sweep, have the same one, without daylight saving time. MariaDB
 * and MySQL compare a {@code TIMESTAMP} in the zone of the session too, so there the hour in which
 * clocks are set back can look stuck in zones that have one; use UTC.
 */
public final class StuckRows {
  private static final Duration MIN_AGE = Duration.ofMillis(1);
  private static final Duration MAX_AGE = Duration.ofDays(365);
  private static final int MAX_BATCH_SIZE = 1000;

  private final StuckRowsDraft draft;

  private StuckRows(StuckRowsDraft draft) {
    this.draft = draft;
  }

  public static StuckRows table(String table) {
    return new StuckRows(new StuckRowsDraft(Require.notBlank(table, "the name of a table")));
  }

  /** The column of the primary key, or of a unique constraint and never null. */
  public StuckRows key(String column) {
    return column(column, (draft, name) -> draft.key = name);
  }

  /** Only rows with this value: of one kind, one tenant, or one shard of a distributed table. */
  public StuckRows where(String column, Object value) {
    return with(draft -> draft.only = draft.only.withNotNull(column, value));
  }

  /** The status of rows that a worker has in its hands. */
  public StuckRows status(String column, Object inWork) {
    Require.notNull(inWork, "the status of a row in work");
    return column(column, (draft, name) -> draft.status = name).with(draft -> draft.stuck = inWork);
  }

  /** Stuck are those whose time in this column is longer ago than {@code age}; never null ones. */
  public StuckRows olderThan(String column, Duration age) {
    Require.between(age, MIN_AGE, MAX_AGE, "the age of a stuck row");
    return since(column, age);
  }

  /** Stuck are those whose time in this column is past; never null ones. */
  public StuckRows leaseExpired(String column) {
    return since(column, null);
  }

  /** The status in which a worker finds them again. */
  public StuckRows recoverTo(Object status) {
    Require.notNull(status, "the status of a recovered row");
    return with(draft -> draft.recovered = status);
  }

  /** The version, which grows by one so that the worker, should it come back, loses. Required. */
  public StuckRows version(String column) {
    return column(column, (draft, name) -> draft.version = name);
  }

  /**
   * Counts each recovery as an attempt; a row that has made {@code most} goes to {@code failed}
   * instead. Without this a row that kills its worker is recovered for ever.
   */
  public StuckRows attempts(String column, int most, Object failed) {
    Require.between(most, 1, Integer.MAX_VALUE - 1, "the number of attempts");
    Require.notNull(failed, "the status of a failed row");
    return column(column, (draft, name) -> draft.cap = new SweepPlan.Cap(name, most, failed));
  }

  /** What to write into a column of each row, recovered or failed. */
  public StuckRows error(String column, String text) {
    Require.notNull(text, "the text of an error");
    return column(column, (draft, name) -> draft.note = new SweepPlan.Note(name, text));
  }

  /** A column to set to null in each row, such as its owner. Repeat for further columns. */
  public StuckRows clear(String column) {
    return column(column, (draft, name) -> draft.cleared.add(name));
  }

  /** How many rows to change in one transaction; 100 by default. */
  public StuckRows batch(int rows) {
    Require.between(rows, 1, MAX_BATCH_SIZE, "batch");
    return with(draft -> draft.batch = rows);
  }

  /** Known by this name to logs and the conflict rate; by default {@code stuck rows of <table>}. */
  public StuckRows named(String name) {
    Require.notBlank(name, "the name of a guard");
    return with(draft -> draft.name = name);
  }

  /**
   * Recovers every row that is stuck and not locked, once, and answers what it did. At most 1000
   * batches; beyond 10,000 rows that cannot be changed it ends, too.
   *
   * @throws SweepException where the database cannot be reached or written to, the user may not
   *     change the table, or a name is wrong; it carries what was done before
   */
  public SweepResult sweep(Transactions transactions) {
    Require.notNull(transactions, "transactions");
    return sweep(transactions, () -> true);
  }

  SweepResult sweep(Transactions transactions, BooleanSupplier goOn) {
    transactions.requireNone("sweeping for stuck rows");
    return new Sweep(draft.plan(), transactions, goOn).run();
  }

  /** As {@link #monitor(Transactions, Duration, NotificationListener)}, without a listener. */
  public BackgroundService monitor(Transactions transactions, Duration interval) {
    return monitor(transactions, interval, new Listener() {});
  }

  /**
   * Builds a service that sweeps when it starts and then again and again, with about {@code
   * interval} between two sweeps.
   *
   * <p>The interval is a fifth more or less by chance, so that the instances of a service do not
   * sweep in step. Safe to run on every instance. Stopping waits for the batch that is being swept.
   * Issue in its health: {@code sweep-failed}, until a sweep succeeds. Details: what the last sweep
   * did.
   *
   * @param interval from 10 ms to 1 day
   */
  public BackgroundService monitor(
      Transactions transactions, Duration interval, Listener listener) {
    Require.notNull(transactions, "transactions");
    return new StuckRowMonitor(
        draft.plan().name(), interval, goOn -> sweep(transactions, goOn), listener);
  }

  /**
   * Receives the end of each sweep, on the thread of the monitor: the next sweep waits for it. What
   * it throws is logged.
   */
  public interface Listener {
    /** A sweep has ended. */
    default void swept(SweepResult result) {}

    /** A sweep has failed; a {@link SweepException} carries what it did before. */
    default void failed(Throwable failure) {}
  }

  private StuckRows since(String column, @Nullable Duration age) {
    Require.that(
        draft.since == null || (draft.since.age() == null) == (age == null),
        "olderThan(…) and leaseExpired(…) exclude each other; one must be called");
    return column(column, (draft, name) -> draft.since = new SweepPlan.Since(name, age));
  }

  private StuckRows column(String column, ColumnSetter setter) {
    String name = Require.notBlank(column, "the name of a column");
    return with(draft -> setter.set(draft, name));
  }

  private StuckRows with(Consumer<StuckRowsDraft> change) {
    StuckRowsDraft copy = new StuckRowsDraft(draft);
    change.accept(copy);
    return new StuckRows(copy);
  }

  @FunctionalInterface
  private interface ColumnSetter {
    void set(StuckRowsDraft draft, String name);
  }

  @Override
  public String toString() {
    @Nullable String name = draft.name;
    return name == null ? draft.defaultName() : name;
  }
}
