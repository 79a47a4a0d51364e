package dev.holdfast;

import dev.holdfast.event.EventDesk;
import dev.holdfast.event.EventStats;
import dev.holdfast.event.Events;
import dev.holdfast.event.InstanceRecord;
import dev.holdfast.event.Worker;
import dev.holdfast.event.json.JacksonCodec;
import dev.holdfast.guard.ConflictRates;
import dev.holdfast.idempotency.Idempotency;
import dev.holdfast.internal.Require;
import dev.holdfast.lease.ExclusiveJobs;
import dev.holdfast.lease.Fence;
import dev.holdfast.lease.LeaseStore;
import dev.holdfast.lease.Leases;
import dev.holdfast.schedule.Schedules;
import dev.holdfast.sql.Dialect;
import dev.holdfast.sql.SqlFailedException;
import dev.holdfast.sql.Transactions;
import dev.holdfast.sql.UnsupportedDatabaseException;
import dev.holdfast.sql.internal.DistributedTables;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The entrance: what Holdfast offers on one database.
 *
 * <pre>{@code
 * Holdfast holdfast = Holdfast.using(dataSource);
 * holdfast.transactions().run(tx -> Update.table("cart_items")…applyOrThrow(tx));
 * }</pre>
 *
 * <p>Make one for each data source and keep it: it counts conflicts from then on. It opens
 * connections only when asked to do something, starts no threads, and needs not be closed; the data
 * source stays the caller's. Immutable and thread-safe.
 */
public final class Holdfast {
  private final DataSource dataSource;
  private final Dialect dialect;
  private final ConflictRates conflictRates = ConflictRates.create();
  private final Transactions transactions;

  private final EventDesk eventDesk;
  private final Schedules schedules;
  private final Leases leases;
  private final Idempotency idempotency;

  private final @Nullable String schema;
  private final int shards;

  private final DataSource renewals;
  private final UnaryOperator<Idempotency> idempotencySettings;

  private Holdfast(
      DataSource dataSource,
      DataSource renewals,
      Dialect dialect,
      @Nullable String schema,
      int shards,
      UnaryOperator<Idempotency> idempotencySettings) {
    this.schema = schema;
    this.renewals = renewals;
    this.idempotencySettings = idempotencySettings;
    this.shards = shards;
    this.dataSource = dataSource;
    this.dialect = dialect;
    this.transactions = Transactions.on(dataSource).listener(conflictRates);
    this.eventDesk = EventDesk.of(dataSource, dialect, schema, new JacksonCodec(), shards);
    this.schedules = Schedules.of(Transactions.on(dataSource), dialect, schema, eventDesk.events());
    this.leases = Leases.on(LeaseStore.in(dataSource, renewals, dialect, schema, shards));
    this.idempotency =
        Require.notNull(
            idempotencySettings.apply(
                Idempotency.in(dataSource, transactions, dialect, schema, shards)),
            "idempotency");
  }

  /**
   * With Holdfast's own tables in the schema of this name, as {@link
   * dev.holdfast.sql.Migrations#schema} has made them; by default in the current one of the
   * connection.
   */
  public Holdfast schema(String name) {
    return new Holdfast(
        dataSource,
        renewals,
        dialect,
        Require.notBlank(name, "the name of a schema"),
        shards,
        idempotencySettings);
  }

  /**
   * With events spread over so many shards, 1 by default and at most 1024: for a database that
   * distributes its tables by shard, of which none is supported yet (tables that Citus distributes
   * are refused). On a single server it is slower, because each shard is claimed from by a
   * statement of its own. Priority and due order are kept within a shard, and all shards get their
   * turns. An event that has both a key and another ordering key is refused, because the latter
   * chooses the shard and a key is unique within its shard; the events of schedules are not, of
   * which each is made once by the schedule itself.
   *
   * <p>All instances must say the same number, and it must stay: a key and an ordering key choose
   * the shard of their event. With another number a key that is taken can be scheduled once more,
   * and events of one ordering key that are in different shards do not wait for each other. Raise
   * it only while no keys matter; with a lower number events of the higher shards are not seen at
   * all, until it is raised again.
   */
  public Holdfast shards(int count) {
    return new Holdfast(dataSource, renewals, dialect, schema, count, idempotencySettings);
  }

  /**
   * With these settings for {@link #idempotency()}, such as {@code all ->
   * all.retention(Duration.ofDays(7))}, so that everybody who asks for it has the same.
   */
  public Holdfast idempotency(UnaryOperator<Idempotency> settings) {
    return new Holdfast(
        dataSource, renewals, dialect, schema, shards, Require.notNull(settings, "settings"));
  }

  /**
   * Renewing leases through connections of this data source, which is one of the same database and
   * the same current schema; by default through those of the work. A pool of one or two will do:
   * then leases are renewed also while the work has all its connections in use.
   */
  public Holdfast renewals(DataSource renewals) {
    return new Holdfast(
        dataSource,
        Require.notNull(renewals, "the data source for renewals"),
        dialect,
        schema,
        shards,
        idempotencySettings);
  }

  /** Where its tables are: what joins its transactions has to be on the same one. */
  public DataSource dataSource() {
    return dataSource;
  }

  /** Schedules, finds and changes events. */
  public Events events() {
    return eventDesk.events();
  }

  /**
   * Builds the service that handles events. It also fires schedules and deletes expired idempotency
   * records.
   */
  public Worker.Builder worker() {
    return eventDesk.worker(schedules::runner, idempotency::cleaner);
  }

  /** What workers have done, and how much there is to do: to look at. */
  public EventStats stats() {
    return eventDesk.stats();
  }

  /** The instances of all workers on this database that are alive, or were a short time ago. */
  public List<InstanceRecord> instances() {
    return eventDesk.instances();
  }

  /** Recurrences that make events; nothing fires before they are started. */
  public Schedules schedules() {
    return schedules;
  }

  /** Exclusive and shared rights to a name for a time. */
  public Leases leases() {
    return leases;
  }

  /** Requests that take effect once, however often they come. */
  public Idempotency idempotency() {
    return idempotency;
  }

  /** Jobs that run on one instance at a time, however many are deployed. */
  public ExclusiveJobs jobs() {
    return ExclusiveJobs.in(dataSource, dialect, schema, leases);
  }

  /** What refuses writes with a token that is older than the newest seen. */
  public Fence fence() {
    return Fence.in(dialect, schema);
  }

  /**
   * Connects once, to find out the database.
   *
   * @throws UnsupportedDatabaseException where it is not a supported one, or where Citus
   *     distributes tables of Holdfast
   * @throws SqlFailedException where there is no connection to it
   */
  public static Holdfast using(DataSource dataSource) {
    Require.notNull(dataSource, "dataSource");
    try (Connection connection = connect(dataSource)) {
      Dialect dialect = Dialect.of(connection);
      refuseDistributed(connection, dialect);
      return new Holdfast(dataSource, dataSource, dialect, null, 1, UnaryOperator.identity());
    } catch (SQLException e) {
      throw new SqlFailedException("connecting to the database of Holdfast", e);
    }
  }

  private static void refuseDistributed(Connection connection, Dialect dialect)
      throws SQLException {
    Set<String> tables = DistributedTables.find(connection, dialect, null);
    if (!tables.isEmpty()) {
      throw new UnsupportedDatabaseException(
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

  /** Runs work in transactions on the data source; their conflicts count in the rates. */
  public Transactions transactions() {
    return transactions;
  }

  /** How often the guards in {@link #transactions()} met somebody else, and what to do about it. */
  public ConflictRates conflictRates() {
    return conflictRates;
  }

  /** The database that was found. */
  public Dialect dialect() {
    return dialect;
  }

  @Override
  public String toString() {
    return "Holdfast on " + dialect;
  }
}
