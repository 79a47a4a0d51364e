package dev.holdfast.schema;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.holdfast.internal.sql.Dialect;
import dev.holdfast.internal.sql.SqlBuilder;
import dev.holdfast.transaction.Transaction;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * Migrates where DDL is transactional: everything that is pending, its rows in the ledger and the
 * lock are one transaction, so that nothing is ever half done and the lock ends with it, however it
 * ends.
 */
final class TransactionalMigrator extends Migrator {
  TransactionalMigrator(
      DataSource dataSource,
      Duration limit,
      Dialect dialect,
      TargetSchema schema,
      List<MigrationFile> files) {
    super(dataSource, limit, dialect, schema, files);
  }

  @Override
  Optional<List<MigrationFile>> step(SchemaSnapshot before) {
    return transactions()
        .call(
            tx -> {
              if (!lock(tx)) {
                return Optional.empty();
              }
              SchemaSnapshot now = look(tx);
              List<MigrationFile> pending = pending(now);
              if (!now.exists()) {
                createSchema(tx.connection());
              }
              for (MigrationFile file : pending) {
                run(tx.connection(), file);
                SchemaSnapshot.record(tx, schema(), file);
              }
              return Optional.of(pending);
            });
  }

  /**
   * An advisory lock, because at the first start there is no row to lock, and without one even
   * {@code CREATE … IF NOT EXISTS} fails when two do it at once. It is the transaction's, not the
   * session's, so it is safe behind a pooler. It is tried and not waited for, so that no time limit
   * of the server ends the wait.
   */
  private boolean lock(Transaction tx) {
    return new SqlBuilder(tx.dialect())
        .add("SELECT CAST(pg_try_advisory_xact_lock(")
        .value(key())
        .add(") AS integer) AS locked")
        .row(tx, () -> "locking the schema " + schema())
        .filter(row -> row.number("locked") == 1)
        .isPresent();
  }

  /** Advisory locks are numbers shared by all of a database's users: this one is ours by hash. */
  private long key() {
    try {
      byte[] name = ("dev.holdfast.schema.Migrations of " + schema().name()).getBytes(UTF_8);
      return ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(name)).getLong();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
