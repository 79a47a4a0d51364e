package dev.holdfast.internal.event.store;

import dev.holdfast.internal.sql.Dialect;

/** Finds the store of a database. */
public final class EventStores {
  private EventStores() {}

  /** The tables in this schema, which is quoted and has a dot behind it, or is empty. */
  public static EventStore of(Dialect dialect, String prefix) {
    return switch (dialect.family()) {
      case "postgresql" -> new PostgreSqlEventStore(prefix);
      case "mysql" -> new MySqlEventStore(prefix, dialect);
      case "h2" -> new H2EventStore(prefix, dialect);
      default -> throw new UnsupportedOperationException("events on " + dialect);
    };
  }

  /** What workers have done, in the same schema. */
  public static StatsStatements stats(Dialect dialect, String prefix) {
    return StatsStatements.of(dialect, sql(dialect, prefix));
  }

  /** How much there is to do, in the same schema. */
  public static QueueDepthStatements depths(Dialect dialect, String prefix) {
    return QueueDepthStatements.of(dialect, sql(dialect, prefix));
  }

  private static EventStatements sql(Dialect dialect, String prefix) {
    return switch (dialect.family()) {
      case "postgresql" -> PostgreSqlEventStore.sql(prefix);
      case "mysql" -> MySqlEventStore.sql(prefix);
      default -> H2EventStore.sql(prefix);
    };
  }
}
