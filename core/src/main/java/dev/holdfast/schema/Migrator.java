package dev.holdfast.schema;

import dev.holdfast.HoldfastException;
import dev.holdfast.internal.sql.Dialect;
import dev.holdfast.transaction.CommitUnknownException;
import dev.holdfast.transaction.Isolation;
import dev.holdfast.transaction.Retrying;
import dev.holdfast.transaction.Transaction;
import dev.holdfast.transaction.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings one schema up to date, one locked step after the other:
 *
 * <ol>
 *   <li>look, without a lock: where nothing is pending, that was all;
 *   <li>take a step under the lock; where somebody else has the lock, wait and look again;
 *   <li>where the step failed, wait and look again if that may cure it, or look again at once if
 *       somebody has moved the schema on meanwhile; otherwise the failure stands.
 * </ol>
 */
abstract sealed class Migrator permits TransactionalMigrator, AutocommitMigrator {
  /** A longer wait for a table would hold up everybody who came for it later. */
  private static final Duration MAX_LOCK_WAIT = Duration.ofSeconds(5);

  private static final Logger LOG = LoggerFactory.getLogger(Migrations.class);
  private static final int MAX_QUOTATION_LENGTH = 200;

  private final Duration limit;
  private final Transactions transactions;
  private final Dialect dialect;
  private final TargetSchema schema;
  private final List<MigrationFile> files;

  Migrator(
      DataSource dataSource,
      Duration limit,
      Dialect dialect,
      TargetSchema schema,
      List<MigrationFile> files) {
    this.limit = limit;
    // READ COMMITTED: what is read under the lock must be newer than the lock
    this.transactions =
        Transactions.on(dataSource)
            .requiresNew()
            .isolation(Isolation.READ_COMMITTED)
            .lockTimeout(lockTimeout());
    this.dialect = dialect;
    this.schema = schema;
    this.files = files;
  }

  final MigrationResult migrate() {
    MigrationWait wait = new MigrationWait(schema, limit, Retrying.Waiter.REAL);
    List<String> applied = new ArrayList<>();
    while (true) {
      @Nullable HoldfastException failure = null;
      try {
        SchemaSnapshot before = transactions.call(this::look);
        if (pending(before).isEmpty()) {
          return new MigrationResult(schema.name(), applied, files.size());
        }
        Optional<List<MigrationFile>> step = stepUnlessMovedOn(before);
        if (step.isPresent()) {
          for (MigrationFile file : step.get()) {
            LOG.info("schema-migrated: applied {} to schema {}", file.fileName(), schema);
            applied.add(file.fileName());
          }
          continue;
        }
      } catch (HoldfastException e) {
        if (!mayBeCuredByWaiting(e)) {
          throw e;
        }
        failure = e;
      }
      wait.pause(failure);
    }
  }

  private Optional<List<MigrationFile>> stepUnlessMovedOn(SchemaSnapshot before) {
    try {
      return step(before);
    } catch (HoldfastException e) {
      if (!mayBeCuredByWaiting(e) && movedOn(before, e)) {
        return Optional.of(List.of());
      }
      throw e;
    }
  }

  private static boolean mayBeCuredByWaiting(HoldfastException failure) {
    // a commit that may have happened is found out by looking again
    return failure.isRetryable() || failure instanceof CommitUnknownException;
  }

  /** Whether somebody else has changed the schema meanwhile, which may be why this one failed. */
  private boolean movedOn(SchemaSnapshot before, HoldfastException failure) {
    try {
      return !transactions.call(this::look).standsWhere(before);
    } catch (HoldfastException e) {
      failure.addSuppressed(e);
      return false;
    }
  }

  /**
   * Applies one or more pending files, and answers which; or nothing where somebody else has the
   * lock.
   */
  abstract Optional<List<MigrationFile>> step(SchemaSnapshot before);

  /** What is pending in {@code state}; refuses a state that must not be migrated. */
  final List<MigrationFile> pending(SchemaSnapshot state) {
    SchemaValidator check = new SchemaValidator(dialect.scriptFamily(), schema, files, state);
    check.status().requireMigratable();
    return check.pending();
  }

  final SchemaSnapshot look(Transaction tx) {
    return SchemaSnapshot.read(tx, schema);
  }

  final void createSchema(Connection connection) {
    try {
      execute(connection, schema.create());
    } catch (SQLException e) {
      throw new SchemaException(
          SchemaException.Reason.CREATE_DENIED,
          "the schema %s must exist or be created by this user, but %s failed: %s; let an"
                  .formatted(schema, schema.create(), e.getMessage())
              + " administrator create it and allow this user to create tables in it",
          e);
    }
  }

  final void run(Connection connection, MigrationFile file) {
    List<String> statements = file.statements(schema.prefix());
    for (int i = 0; i < statements.size(); i++) {
      try {
        execute(connection, statements.get(i));
      } catch (SQLException e) {
        throw new SchemaException(
            SchemaException.Reason.FAILED,
            "%s must run to its end in the schema %s, but its statement %d of %d failed: %s. %s: %s"
                .formatted(
                    file.fileName(),
                    schema,
                    i + 1,
                    statements.size(),
                    e.getMessage(),
                    afterFailure(),
                    quotation(statements.get(i))),
            e);
      }
    }
  }

  private String afterFailure() {
    return dialect.ddlIsTransactional()
        ? "Nothing of this call was kept; remove the cause and migrate again. The statement was"
        : "What ran before it is kept and may run again; remove the cause and migrate again. The"
            + " statement was";
  }

  private static String quotation(String statement) {
    return statement.length() <= MAX_QUOTATION_LENGTH
        ? statement
        : statement.substring(0, MAX_QUOTATION_LENGTH) + "…";
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.setEscapeProcessing(false);
      statement.execute(sql);
    }
  }

  /** The shorter of {@code wait} and all that may be waited. */
  final Duration atMost(Duration wait) {
    return limit.compareTo(wait) < 0 ? limit : wait;
  }

  final Duration lockTimeout() {
    return atMost(MAX_LOCK_WAIT);
  }

  final Transactions transactions() {
    return transactions;
  }

  final Dialect dialect() {
    return dialect;
  }

  final TargetSchema schema() {
    return schema;
  }

  final List<MigrationFile> files() {
    return files;
  }
}
