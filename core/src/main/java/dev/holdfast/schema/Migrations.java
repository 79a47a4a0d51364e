package dev.holdfast.schema;

import dev.holdfast.internal.Require;
import dev.holdfast.internal.sql.Dialect;
import dev.holdfast.transaction.Isolation;
import dev.holdfast.transaction.Transaction;
import dev.holdfast.transaction.Transactions;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Creates, upgrades and checks Holdfast's own tables, or prints the SQL for another tool to run.
 *
 * <pre>{@code
 * Holdfast holdfast = Holdfast.builder(dataSource).schema("holdfast").build();
 * holdfast.migrations().migrate();
 * }</pre>
 *
 * <p>Guarantee: when any number of instances migrate at once, each migration takes effect once, in
 * order, and each instance returns when the schema is up to date. On PostgreSQL a call of {@link
 * #migrate()} happens as a whole or not at all; on MariaDB, MySQL and H2, where DDL commits, a
 * migration that was cut short is finished by the next call. A schema that a newer Holdfast has
 * migrated, or that is not what its ledger says, is refused, never repaired. Not guaranteed: that a
 * running instance of an older Holdfast can work with the schema after it was upgraded.
 *
 * <p>Uses connections and transactions of its own: one connection, and on MariaDB, MySQL and H2 two
 * at once while something is being applied. Immutable and thread-safe: {@link #waitTimeout} returns
 * a copy.
 */
public final class Migrations {
  private static final Duration DEFAULT_WAIT_TIMEOUT = Duration.ofMinutes(2);

  private final DataSource dataSource;
  private final Function<String, List<MigrationFile>> files;
  private final @Nullable String schemaName;
  private final Duration limit;

  private Migrations(
      DataSource dataSource,
      Function<String, List<MigrationFile>> files,
      @Nullable String schemaName,
      Duration limit) {
    this.dataSource = dataSource;
    this.files = files;
    this.schemaName = schemaName;
    this.limit = limit;
  }

  /** The database systems that there are scripts for. */
  public enum Database {
    POSTGRESQL,
    MARIADB,
    MYSQL,
    H2
  }

  /**
   * The migrations of one database; applications get them from {@link
   * dev.holdfast.Holdfast#migrations()}.
   *
   * @param schema the name of the schema (on MariaDB and MySQL: database), which {@link #migrate()}
   *     creates if it does not exist; null for the current one of the connection. A plain name is
   *     folded as in SQL; a name in quotes keeps its case.
   */
  public static Migrations of(DataSource dataSource, @Nullable String schema) {
    return of(dataSource, schema, MigrationFiles::of);
  }

  /** With other migrations than Holdfast's own, by family, so that tests can have several. */
  static Migrations of(
      DataSource dataSource, @Nullable String schema, Function<String, List<MigrationFile>> files) {
    Require.notNull(dataSource, "dataSource");
    return new Migrations(
        dataSource,
        files,
        schema == null ? null : TargetSchema.check(schema),
        DEFAULT_WAIT_TIMEOUT);
  }

  /**
   * Waits no longer than this, in all, for other instances and for locks on tables: from 1 ms to a
   * day; 2 minutes by default.
   */
  public Migrations waitTimeout(Duration timeout) {
    Require.between(timeout, Duration.ofMillis(1), Duration.ofDays(1), "timeout");
    return new Migrations(dataSource, files, schemaName, timeout);
  }

  /**
   * Applies what is pending; does nothing, and takes no lock, where nothing is.
   *
   * @throws SchemaException where the schema must not be migrated, a migration fails, or others do
   *     not get out of the way in time
   */
  public MigrationResult migrate() {
    Place place = Transactions.on(dataSource).requiresNew().call(this::place);
    Migrator migrator =
        place.dialect.ddlIsTransactional()
            ? new TransactionalMigrator(dataSource, limit, place.dialect, place.schema, place.files)
            : new AutocommitMigrator(dataSource, limit, place.dialect, place.schema, place.files);
    return migrator.migrate();
  }

  /**
   * Checks that the schema is what this jar works with. Changes nothing.
   *
   * @throws SchemaException where it is not; the message says what is missing, changed or newer,
   *     and what to do
   */
  public void validate() {
    status().requireUpToDate();
  }

  /** How the schema stands. Changes nothing. */
  public MigrationStatus status() {
    return Transactions.on(dataSource)
        .requiresNew()
        .isolation(Isolation.READ_COMMITTED)
        .call(
            tx -> {
              Place place = place(tx);
              SchemaSnapshot state = SchemaSnapshot.read(tx, place.schema);
              return new SchemaValidator(
                      place.dialect.scriptFamily(), place.schema, place.files, state)
                  .status();
            });
  }

  /**
   * All migrations as SQL for Flyway, Liquibase or an administrator; {@link #validate()} accepts
   * the tables that it creates.
   *
   * @param schema null for the schema that is current when the script runs
   */
  public static String script(Database database, @Nullable String schema) {
    return upgradeScript(0, database, schema);
  }

  /** As {@link #script}, for a schema that is at {@code fromVersion}: only the later migrations. */
  public static String upgradeScript(int fromVersion, Database database, @Nullable String schema) {
    return MigrationScript.of(
        MigrationFiles::of, Require.notNull(database, "database"), schema, fromVersion);
  }

  private record Place(Dialect dialect, TargetSchema schema, List<MigrationFile> files) {}

  private Place place(Transaction tx) {
    Dialect dialect = tx.dialect();
    return new Place(
        dialect,
        schemaName == null
            ? TargetSchema.current(dialect, tx.connection())
            : TargetSchema.named(dialect, schemaName),
        files.apply(dialect.family()));
  }
}
