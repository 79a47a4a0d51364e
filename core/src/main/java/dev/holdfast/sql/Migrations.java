package dev.holdfast.sql;

import dev.holdfast.internal.Require;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Holdfast's own tables: creates and upgrades them, checks them, or prints the SQL for others to
 * run.
 *
 * <pre>{@code
 * Migrations.on(dataSource).schema("holdfast").migrate();
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
 * at once while something is being applied. By default the schema is the current one of the
 * connection, and waiting for other instances, or for locks on tables, ends after two minutes.
 * Immutable and thread-safe: every setting makes a copy.
 */
public final class Migrations {
  private static final Duration DEFAULT_LIMIT = Duration.ofMinutes(2);

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

  public static Migrations on(DataSource dataSource) {
    return on(dataSource, MigrationFiles::of);
  }

  /** With other migrations than Holdfast's own, by family, so that tests can have several. */
  static Migrations on(DataSource dataSource, Function<String, List<MigrationFile>> files) {
    Require.notNull(dataSource, "dataSource");
    return new Migrations(dataSource, files, null, DEFAULT_LIMIT);
  }

  /**
   * In the schema of this name (on MariaDB and MySQL: database), which {@link #migrate()} creates
   * where it is missing. A plain name means what it means in SQL; one in quotes keeps its case.
   */
  public Migrations schema(String name) {
    return new Migrations(dataSource, files, MigrationSchema.check(name), limit);
  }

  /** Waiting no longer than this, in all, for other instances and for locks on tables. */
  public Migrations within(Duration limit) {
    Require.between(limit, Duration.ofMillis(1), Duration.ofDays(1), "limit");
    return new Migrations(dataSource, files, schemaName, limit);
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
            ? new OneTransactionMigrator(
                dataSource, limit, place.dialect, place.schema, place.files)
            : new TwoConnectionMigrator(
                dataSource, limit, place.dialect, place.schema, place.files);
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
              SchemaState state = SchemaState.read(tx, place.schema);
              return new MigrationCheck(
                      place.dialect.scriptFamily(), place.schema, place.files, state)
                  .status();
            });
  }

  /**
   * All migrations as SQL for Flyway, Liquibase or an administrator; {@link #validate()} accepts
   * what it makes.
   *
   * @param family {@code postgresql}, {@code mariadb}, {@code mysql} or {@code h2}
   * @param schema null for the schema that is current where the script runs
   */
  public static String script(String family, @Nullable String schema) {
    return scriptAfter(0, family, schema);
  }

  /** As {@link #script}, for a schema that is at {@code version}: only what has come after it. */
  public static String scriptAfter(int version, String family, @Nullable String schema) {
    return MigrationScript.of(MigrationFiles::of, family, schema, version);
  }

  private record Place(Dialect dialect, MigrationSchema schema, List<MigrationFile> files) {}

  private Place place(Transaction tx) {
    Dialect dialect = tx.dialect();
    return new Place(
        dialect,
        schemaName == null
            ? MigrationSchema.current(dialect, tx.connection())
            : MigrationSchema.named(dialect, schemaName),
        files.apply(dialect.family()));
  }
}
