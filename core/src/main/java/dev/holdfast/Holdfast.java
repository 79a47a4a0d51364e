package dev.holdfast;

import dev.holdfast.event.EventStats;
import dev.holdfast.event.Events;
import dev.holdfast.event.PayloadCodec;
import dev.holdfast.event.Queues;
import dev.holdfast.event.Worker;
import dev.holdfast.event.json.JacksonCodec;
import dev.holdfast.guard.ConflictRates;
import dev.holdfast.idempotency.Idempotency;
import dev.holdfast.idempotency.IdempotencyOptions;
import dev.holdfast.internal.Excerpt;
import dev.holdfast.internal.Require;
import dev.holdfast.internal.event.engine.EventServices;
import dev.holdfast.internal.job.DefaultJobs;
import dev.holdfast.internal.lease.engine.DefaultLeases;
import dev.holdfast.internal.lease.store.SqlFence;
import dev.holdfast.internal.lease.store.SqlLeaseStore;
import dev.holdfast.internal.schedule.DefaultSchedules;
import dev.holdfast.internal.sql.Dialect;
import dev.holdfast.internal.sql.DistributedTables;
import dev.holdfast.job.Jobs;
import dev.holdfast.lease.Fence;
import dev.holdfast.lease.Leases;
import dev.holdfast.lease.spi.LeaseStore;
import dev.holdfast.schedule.Schedules;
import dev.holdfast.schema.Migrations;
import dev.holdfast.transaction.ConflictListener;
import dev.holdfast.transaction.DatabaseException;
import dev.holdfast.transaction.GuardKind;
import dev.holdfast.transaction.Transactions;
import dev.holdfast.transaction.spi.TransactionContext;
import dev.holdfast.workflow.Workflows;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Holdfast on one database: gives access to all services.
 *
 * <pre>{@code
 * Holdfast holdfast = Holdfast.create(dataSource);
 * holdfast.transactions().run(tx -> Update.table("cart_items")…applyOrThrow(tx));
 * }</pre>
 *
 * <p>Create one for each data source and keep it: it counts conflicts from then on. It opens
 * connections only when a service needs them, starts no threads, and needs not be closed; the data
 * source stays the caller's. Immutable and thread-safe.
 */
public final class Holdfast {
  private final DataSource dataSource;
  private final Dialect dialect;
  private final @Nullable String schema;
  private final @Nullable String instanceName;
  private final ConflictRates conflictRates = ConflictRates.create();
  private final Transactions transactions;
  private final Migrations migrations;

  private final EventServices eventServices;
  private final Schedules schedules;
  private final Leases leases;
  private final Idempotency idempotency;
  private final Workflows workflows;

  private Holdfast(Builder builder, Dialect dialect) {
    this.dataSource = builder.dataSource;
    this.dialect = dialect;
    this.schema = builder.schema;
    this.instanceName = builder.instanceName;
    this.migrations = builder.migrations;
    this.transactions =
        Transactions.on(dataSource)
            .listener(listener(builder.conflictListener))
            .context(builder.transactionContext);
    PayloadCodec codec = builder.codec == null ? new JacksonCodec() : builder.codec;
    this.eventServices =
        EventServices.of(transactions, dataSource, dialect, schema, codec, builder.shards);
    // conflicts of schedules are no conflicts of guards
    this.schedules =
        DefaultSchedules.create(
            transactions.listener(ConflictListener.NONE), dialect, schema, eventServices.events());
    this.leases = leases(builder, dialect, transactions);
    this.idempotency =
        Idempotency.in(
            dataSource, transactions, dialect, schema, builder.shards, builder.idempotency);
    this.workflows =
        Workflows.in(
            dataSource, transactions, dialect, schema, builder.shards, builder.idempotency);
  }

  private ConflictListener listener(@Nullable ConflictListener other) {
    return other == null ? conflictRates : new BothListeners(conflictRates, other);
  }

  private static Leases leases(Builder builder, Dialect dialect, Transactions transactions) {
    LeaseStore store =
        builder.leaseStore != null
            ? builder.leaseStore
            : SqlLeaseStore.create(
                builder.dataSource,
                builder.leaseRenewalDataSource == null
                    ? builder.dataSource
                    : builder.leaseRenewalDataSource,
                dialect,
                builder.schema,
                builder.shards);
    return DefaultLeases.create(store, builder.instanceName, transactions);
  }

  /**
   * Holdfast on this data source, with the default settings. Connects once, to detect the database.
   *
   * @throws DatabaseException if it is not a supported one, or if Citus distributes tables of
   *     Holdfast
   * @throws DatabaseException if there is no connection to it
   */
  public static Holdfast create(DataSource dataSource) {
    return builder(dataSource).build();
  }

  /**
   * Leases in a store without a database, such as on Redis; the instance name is made from the host
   * and the process id. Create one object per store and keep it: its threads and its subscription
   * are shared by all callers.
   */
  public static Leases createLeases(LeaseStore store) {
    return DefaultLeases.create(store, null, null);
  }

  /**
   * As {@link #createLeases(LeaseStore)}, with an instance name for operators.
   *
   * @param instanceName at most 100 characters, without control characters and without a leading
   *     asterisk; need not be unique
   */
  public static Leases createLeases(LeaseStore store, String instanceName) {
    return DefaultLeases.create(store, Require.notNull(instanceName, "instanceName"), null);
  }

  /** The settings of a Holdfast on this data source. Nothing is connected before {@code build}. */
  public static Builder builder(DataSource dataSource) {
    return new Builder(Require.notNull(dataSource, "dataSource"));
  }

  /** The data source of its tables. What joins its transactions must use the same one. */
  public DataSource dataSource() {
    return dataSource;
  }

  /** Schedules, finds and changes events. */
  public Events events() {
    return eventServices.events();
  }

  /** Pauses and limits queues and types of events. */
  public Queues queues() {
    return eventServices.queues();
  }

  /**
   * Builds the service that handles events. It also fires schedules and deletes expired idempotency
   * records.
   */
  public Worker.Builder worker() {
    Worker.Builder worker = eventServices.worker(schedules::runner, idempotency::cleaner);
    return instanceName == null ? worker : worker.instanceName(instanceName);
  }

  /** Numbers about events, queues and the instances of workers. */
  public EventStats stats() {
    return eventServices.stats();
  }

  /** Recurrences that make events; nothing fires before they are started. */
  public Schedules schedules() {
    return schedules;
  }

  /** Exclusive and shared rights to a name for a time. */
  public Leases leases() {
    return leases;
  }

  /** Executes requests once, with their records in the same transaction as their changes. */
  public Idempotency idempotency() {
    return idempotency;
  }

  /** Runs requests in recorded steps, for effects outside of the database. */
  public Workflows workflows() {
    return workflows;
  }

  /** Jobs that run on one instance at a time, however many are deployed. */
  public Jobs jobs() {
    return DefaultJobs.create(dataSource, dialect, schema, leases);
  }

  /** Rejects writes with a token that is older than the newest one. */
  public Fence fence() {
    return SqlFence.create(dialect, schema, transactions);
  }

  /** Creates, upgrades and checks the tables of Holdfast in its schema. */
  public Migrations migrations() {
    return migrations;
  }

  private static void refuseDistributed(Connection connection, Dialect dialect)
      throws SQLException {
    Set<String> tables = DistributedTables.find(connection, dialect, null);
    if (!tables.isEmpty()) {
      throw DatabaseException.unsupported(
          dialect
              + " with the distributed tables "
              + String.join(", ", tables)
              + ": "
              + DistributedTables.ADVICE);
    }
  }

  private static Connection connect(DataSource dataSource) throws SQLException {
    try {
      return dataSource.getConnection();
    } catch (RuntimeException e) {
      // a pool that is made when first needed may fail with an exception of its own
      throw new SQLException(e.getMessage(), e);
    }
  }

  /**
   * Runs work in the current transaction of the data source, or else in a new one; conflicts in
   * them count in the rates.
   */
  public Transactions transactions() {
    return transactions;
  }

  /** How often the guards in {@link #transactions()} had conflicts, and what to do about it. */
  public ConflictRates conflictRates() {
    return conflictRates;
  }

  /** The database that was detected, such as {@code PostgreSQL 18.6}. */
  public String databaseName() {
    return dialect.product();
  }

  /** The SQL of the database; for the modules of Holdfast. */
  public Dialect dialect() {
    return dialect;
  }

  @Override
  public String toString() {
    return "Holdfast on " + dialect;
  }

  /** The conflict rates of this Holdfast, and the listener of the application. */
  private record BothListeners(ConflictListener first, ConflictListener second)
      implements ConflictListener {
    @Override
    public void attempted(GuardKind kind, String guard, boolean conflict) {
      first.attempted(kind, guard, conflict);
      second.attempted(kind, guard, conflict);
    }

    @Override
    public void retrying(GuardKind kind, String guard) {
      first.retrying(kind, guard);
      second.retrying(kind, guard);
    }
  }

  /**
   * The settings of a {@link Holdfast}. All instances that share a database must use the same
   * schema and the same number of shards. Not thread-safe.
   */
  public static final class Builder {
    private static final int MAX_SHARDS = 1024;
    private static final int MAX_INSTANCE_NAME = 100;

    private final DataSource dataSource;
    private @Nullable String schema;
    private Migrations migrations;
    private int shards = 1;
    private @Nullable String instanceName;
    private @Nullable DataSource leaseRenewalDataSource;
    private @Nullable LeaseStore leaseStore;
    private @Nullable ConflictListener conflictListener;
    private @Nullable PayloadCodec codec;
    private TransactionContext transactionContext = TransactionContext.NONE;
    private IdempotencyOptions idempotency = IdempotencyOptions.ofDefaults();

    private Builder(DataSource dataSource) {
      this.dataSource = dataSource;
      this.migrations = Migrations.of(dataSource, null);
    }

    /**
     * The schema of Holdfast's tables (on MariaDB and MySQL: the database), which {@link
     * Migrations#migrate()} creates if it does not exist. The default is the current schema of the
     * connection. A plain name is folded as in SQL; a name in quotes keeps its case.
     */
    public Builder schema(String name) {
      this.migrations = Migrations.of(dataSource, Require.notBlank(name, "the name of a schema"));
      this.schema = name;
      return this;
    }

    /**
     * The number of shards that events and leases are spread over, from 1 to 1024; 1 by default.
     * For a database that distributes its tables by shard, of which none is supported yet (tables
     * that Citus distributes are refused). On a single server it is slower, because each shard is
     * claimed from by a statement of its own. Priority and due order are kept within a shard, and
     * all shards take turns. An event that has both a key and another ordering key is refused,
     * because the latter chooses the shard and a key is unique within its shard; the events of
     * schedules are not refused, because the schedule itself makes each of them once.
     *
     * <p>All instances must use the same number, and it must not change: a key and an ordering key
     * choose the shard of their event. With another number a key that is taken can be scheduled
     * once more, and events of one ordering key that are in different shards do not wait for each
     * other. Raise it only while no keys matter; with a lower number events of the higher shards
     * are not seen at all, until it is raised again.
     */
    public Builder shards(int count) {
      this.shards = Require.between(count, 1, MAX_SHARDS, "the number of shards");
      return this;
    }

    /**
     * The name of this instance, as workers and leases show it to operators; by default the host
     * and the number of the process. At most 100 characters, no control characters, and no asterisk
     * at the beginning.
     */
    public Builder instanceName(String name) {
      Require.notBlank(name, "the name of an instance");
      Require.between(name.length(), 1, MAX_INSTANCE_NAME, "the length of the name of an instance");
      Require.that(
          !name.startsWith("*") && name.chars().noneMatch(Character::isISOControl),
          () ->
              "the name of an instance must have no control characters and no asterisk at the"
                  + " beginning, was "
                  + Excerpt.quoted(name));
      this.instanceName = name;
      return this;
    }

    /**
     * Joins the transactions of this framework: calls without a transaction run in its current one.
     */
    public Builder transactionContext(TransactionContext context) {
      this.transactionContext = Require.notNull(context, "context");
      return this;
    }

    /**
     * Renews leases through connections of this data source, which must be one of the same database
     * and the same current schema; by default through those of the work. A pool of one or two
     * connections is enough: then leases are renewed also while the work uses all connections of
     * its own pool.
     */
    public Builder leaseRenewalDataSource(DataSource renewals) {
      this.leaseRenewalDataSource = Require.notNull(renewals, "the data source for renewals");
      return this;
    }

    /**
     * Where {@link Holdfast#leases()}, and the leases of {@link Holdfast#jobs()}, are kept, such as
     * on Redis; by default in the tables of Holdfast. All instances must use the same store.
     */
    public Builder leaseStore(LeaseStore store) {
      this.leaseStore = Require.notNull(store, "leaseStore");
      return this;
    }

    /** The options of {@link Holdfast#idempotency()} and {@link Holdfast#workflows()}. */
    public Builder idempotency(IdempotencyOptions options) {
      this.idempotency = Require.notNull(options, "options");
      return this;
    }

    /** Reports the conflicts of all guards, and retries, in addition to the conflict rates. */
    public Builder conflictListener(ConflictListener listener) {
      this.conflictListener = Require.notNull(listener, "conflictListener");
      return this;
    }

    /** Converts payloads to text and back; by default as JSON, with Jackson. */
    public Builder codec(PayloadCodec codec) {
      this.codec = Require.notNull(codec, "codec");
      return this;
    }

    /**
     * Connects once, to detect the database.
     *
     * @throws DatabaseException if it is not a supported one, or if Citus distributes tables of
     *     Holdfast
     * @throws DatabaseException if there is no connection to it
     */
    public Holdfast build() {
      Require.that(
          leaseStore == null || leaseRenewalDataSource == null,
          () -> "a data source for renewals must be given to the lease store that is set");
      try (Connection connection = connect(dataSource)) {
        Dialect dialect = Dialect.of(connection);
        refuseDistributed(connection, dialect);
        return new Holdfast(this, dialect);
      } catch (SQLException e) {
        throw new DatabaseException("connecting to the database of Holdfast", e);
      }
    }
  }
}
