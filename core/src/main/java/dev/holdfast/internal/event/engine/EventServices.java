package dev.holdfast.internal.event.engine;

import dev.holdfast.BackgroundService;
import dev.holdfast.event.EventStats;
import dev.holdfast.event.Events;
import dev.holdfast.event.PayloadCodec;
import dev.holdfast.event.Queues;
import dev.holdfast.event.Worker;
import dev.holdfast.internal.Require;
import dev.holdfast.internal.event.store.EventStores;
import dev.holdfast.internal.sql.Dialect;
import dev.holdfast.transaction.Isolation;
import dev.holdfast.transaction.Transactions;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The event services of one {@link dev.holdfast.Holdfast}, which creates them. Immutable and
 * thread-safe.
 */
public final class EventServices {
  private final Events events;
  private final Queues queues;
  private final EventStats stats;
  private final EventBackend home;

  private EventServices(EventBackend home, Transactions joining) {
    this.home = home;
    this.events = new DefaultEvents(home, joining);
    this.queues = new DefaultQueues(home, joining);
    this.stats = new DefaultEventStats(home);
  }

  /**
   * The services of one database.
   *
   * @param joining of the same data source; only its current transaction counts, not its settings
   * @param schema the name of the schema in which Holdfast's tables are; null for the current one
   * @param shards see {@link dev.holdfast.Holdfast.Builder#shards}
   */
  public static EventServices of(
      Transactions joining,
      DataSource dataSource,
      Dialect dialect,
      @Nullable String schema,
      PayloadCodec codec,
      int shards) {
    Require.notNull(joining, "joining");
    Require.notNull(dataSource, "dataSource");
    Require.notNull(codec, "codec");
    String prefix = schema == null ? "" : dialect.quote(schema) + ".";
    // workers and statistics never join: only Events does
    Transactions any = Transactions.on(dataSource).requiresNew();
    Transactions own = dialect.locksGaps() ? any.isolation(Isolation.READ_COMMITTED) : any;
    return new EventServices(
        new EventBackend(
            dataSource,
            own,
            EventStores.of(dialect, prefix),
            EventStores.stats(dialect, prefix),
            EventStores.depths(dialect, prefix),
            codec,
            shards),
        joining);
  }

  public Events events() {
    return events;
  }

  public Queues queues() {
    return queues;
  }

  public EventStats stats() {
    return stats;
  }

  /**
   * A worker that other services run along with.
   *
   * @param scheduling makes what fires schedules
   * @param cleanup makes what deletes expired records
   */
  public Worker.Builder worker(
      Supplier<BackgroundService> scheduling, Supplier<BackgroundService> cleanup) {
    return new DefaultWorkerBuilder(home, scheduling, cleanup);
  }
}
