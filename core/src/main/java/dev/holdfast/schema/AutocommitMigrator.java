package dev.holdfast.schema;

import dev.holdfast.internal.sql.Dialect;
import dev.holdfast.internal.sql.LockWait;
import dev.holdfast.internal.sql.SqlBuilder;
import dev.holdfast.transaction.SqlError;
import dev.holdfast.transaction.Transaction;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * Migrates where DDL commits: one connection holds the lock of the ledger's first row, a second one
 * runs the statements of one file, then the first records the file and commits, which frees the
 * lock.
 *
 * <p>A migrator that dies frees the lock with its connection. What it has run of a file is run
 * again by the next, because the file is recorded only after its last statement, and only by a
 * connection that still has the lock. The ledger itself is created without a lock, by statements
 * that any number can run at once; of those exactly one records it.
 */
final class AutocommitMigrator extends Migrator {
  /** A pool that has a second connection gives it sooner than this. */
  private static final Duration MAX_WAIT = Duration.ofSeconds(10);

  private final DataSource dataSource;

  AutocommitMigrator(
      DataSource dataSource,
      Duration limit,
      Dialect dialect,
      TargetSchema schema,
      List<MigrationFile> files) {
    super(dataSource, limit, dialect, schema, files);
    this.dataSource = dataSource;
  }

  @Override
  Optional<List<MigrationFile>> step(SchemaSnapshot before) {
    MigrationFile ledger = files().get(0);
    return before.hasRun(ledger) ? lockedStep() : Optional.of(createLedger(before, ledger));
  }

  private List<MigrationFile> createLedger(SchemaSnapshot before, MigrationFile ledger) {
    try (DdlConnection ddl = DdlConnection.open(dataSource, dialect(), lockTimeout())) {
      if (!before.exists()) {
        createSchema(ddl.connection());
      }
      run(ddl.connection(), ledger);
    }
    transactions().run(tx -> SchemaSnapshot.record(tx, schema(), ledger));
    return List.of(ledger);
  }

  private Optional<List<MigrationFile>> lockedStep() {
    return transactions()
        .call(
            tx -> {
              if (!lock(tx)) {
                return Optional.empty();
              }
              List<MigrationFile> pending = pending(look(tx));
              if (pending.isEmpty()) {
                return Optional.of(List.of());
              }
              MigrationFile next = pending.get(0);
              try (DdlConnection ddl = second()) {
                ddl.requireLockedOut(lockStatement());
                run(ddl.connection(), next);
              }
              SchemaSnapshot.record(tx, schema(), next);
              return Optional.of(List.of(next));
            });
  }

  private DdlConnection second() {
    return DdlConnection.openSecond(dataSource, dialect(), lockTimeout(), atMost(MAX_WAIT));
  }

  /** Tried and not waited for, so that no time limit of the server ends the wait. */
  private boolean lock(Transaction tx) {
    try {
      return !new SqlBuilder(tx.dialect()).add(lockStatement()).tryRows(tx).isEmpty();
    } catch (SQLException e) {
      if (SqlError.of(e) == SqlError.LOCK_TIMEOUT) {
        return false;
      }
      throw SqlBuilder.failed(tx, "locking " + schema().ledger(), e);
    }
  }

  private String lockStatement() {
    return "SELECT version FROM "
        + schema().ledger()
        + " WHERE version = 1"
        + dialect().lockForUpdate(LockWait.NOWAIT);
  }
}
