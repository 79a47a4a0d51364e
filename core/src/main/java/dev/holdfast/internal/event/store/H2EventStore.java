package dev.holdfast.internal.event.store;

import dev.holdfast.internal.sql.Dialect;
import dev.holdfast.transaction.SqlError;
import java.sql.Connection;
import java.sql.SQLException;

/** Events on H2, for tests and single processes. Its clock stands still inside a transaction. */
final class H2EventStore extends MultiStatementEventStore {
  private static final MultiStatementSql WORDS =
      new MultiStatementSql(
          " USE INDEX (%s)",
          "",
          "DELETE FROM {event}",
          // in all of its modes, while LIMIT is refused in some
          " FETCH FIRST ? ROWS ONLY",
          // it has the order of the index already; asked to sort what it locks, H2 locks everything
          // before it sorts, and keeps a few
          "");

  H2EventStore(String prefix, Dialect dialect) {
    super(sql(prefix), WORDS, dialect);
  }

  static EventStatements sql(String prefix) {
    return new EventStatements(
        prefix,
        "CURRENT_TIMESTAMP(6)",
        "DATEADD(MICROSECOND, ?, CURRENT_TIMESTAMP(6))",
        EventStatements.WITH_OFFSET);
  }

  @Override
  boolean takeKey(Connection connection, int shard, String key, String fingerprint)
      throws SQLException {
    try {
      return sql.update(
              connection,
              text(
                  "INSERT INTO {event_key} (shard, event_key, id, fingerprint, created_at) VALUES"
                      + " (?, ?, "
                      + NO_EVENT_YET
                      + ", ?, {now})"),
              shard,
              key,
              fingerprint)
          == 1;
    } catch (SQLException e) {
      // the transaction goes on: only the statement is undone
      if (SqlError.of(e) == SqlError.UNIQUE_VIOLATION) {
        return false;
      }
      throw e;
    }
  }
}
