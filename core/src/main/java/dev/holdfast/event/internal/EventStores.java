package dev.holdfast.event.internal;

import dev.holdfast.sql.Dialect;

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
}
