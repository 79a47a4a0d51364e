package dev.holdfast.event;

import dev.holdfast.BackgroundService;
import dev.holdfast.event.internal.EventStores;
import dev.holdfast.internal.Require;
import dev.holdfast.sql.Dialect;
import dev.holdfast.sql.Isolation;
import dev.holdfast.sql.Transactions;
import java.util.List;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Where events are scheduled and handled on one database. Made by {@link dev.holdfast.Holdfast};
 * make one yourself for another {@link PayloadCodec}. Immutable and thread-safe.
 */
public final class EventDesk {
  private static final int MOST_SHARDS = 1024;

  private final Events events;
  private final EventStats stats;
  private final EventHome home;

  private EventDesk(EventHome home) {
    this.home = home;
    this.events = new Events(home);
    this.stats = new EventStats(home);
  }

  /**
   * The events of one database.
   *
   * @param schema the name of the schema in which Holdfast's tables are; null for the current one
   */
  public static EventDesk of(
      DataSource dataSource, Dialect dialect, @Nullable String schema, PayloadCodec codec) {
    return of(dataSource, dialect, schema, codec, 1);
  }

  /** As the other one, with so many shards; see {@link dev.holdfast.Holdfast#shards}. */
  public static EventDesk of(
      DataSource dataSource,
      Dialect dialect,
      @Nullable String schema,
      PayloadCodec codec,
      int shards) {
    Require.between(shards, 1, MOST_SHARDS, "the number of shards");
    Require.notNull(dataSource, "dataSource");
    Require.notNull(codec, "codec");
    String prefix = schema == null ? "" : dialect.quote(schema) + ".";
    Transactions any = Transactions.on(dataSource);
    Transactions own = dialect.locksGaps() ? any.isolation(Isolation.READ_COMMITTED) : any;
    return new EventDesk(
        new EventHome(
            dataSource,
            own,
            EventStores.of(dialect, prefix),
            EventStores.stats(dialect, prefix),
            EventStores.depths(dialect, prefix),
            codec,
            shards));
  }

  public Events events() {
    return events;
  }

  /** What workers have done, and how much there is to do. */
  public EventStats stats() {
    return stats;
  }

  /** The instances of all workers on this database that are alive, or were a short time ago. */
  public List<InstanceRecord> instances() {
    return home.step(() -> "reading the instances", home.store()::instances);
  }

  public Worker.Builder worker() {
    return new Worker.Builder(home, null, null);
  }

  /**
   * A worker that other services run along with.
   *
   * @param scheduling makes what fires schedules
   * @param cleanup makes what deletes expired records
   */
  public Worker.Builder worker(
      Supplier<BackgroundService> scheduling, Supplier<BackgroundService> cleanup) {
    return new Worker.Builder(
        home, Require.notNull(scheduling, "scheduling"), Require.notNull(cleanup, "cleanup"));
  }
}
