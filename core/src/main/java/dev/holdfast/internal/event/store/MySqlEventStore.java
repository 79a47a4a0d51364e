package dev.holdfast.internal.event.store;

import dev.holdfast.internal.sql.Dialect;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * Events on MariaDB from 10.6 on and MySQL from 8.0 on. Made for READ COMMITTED: from REPEATABLE
 * READ on, locking reads also lock the gaps that others insert into.
 *
 * <p>Indexes are forced: on short tables the optimizer prefers others, or reads all rows, and what
 * it reads it locks.
 */
final class MySqlEventStore extends MultiStatementEventStore {
  /** In UTC, whatever the zones of the session and of this JVM. */
  private static final EventStatements.Times TIMES =
      new EventStatements.Times() {
        @Override
        public void set(PreparedStatement statement, int index, Instant time) throws SQLException {
          Instant kept = time.truncatedTo(ChronoUnit.MICROS);
          statement.setObject(index, LocalDateTime.ofInstant(kept, ZoneOffset.UTC));
        }

        @Override
        public @Nullable Instant get(ResultSet row, int index) throws SQLException {
          LocalDateTime time = row.getObject(index, LocalDateTime.class);
          return time == null ? null : time.toInstant(ZoneOffset.UTC);
        }
      };

  private static final MultiStatementSql WORDS =
      new MultiStatementSql(
          " FORCE INDEX (%s)",
          " FORCE INDEX (PRIMARY)",
          // in the form for several tables, the only one that takes an index
          "DELETE e FROM {event} e FORCE INDEX (PRIMARY)",
          " LIMIT ?",
          " ORDER BY e.due_at, e.id");

  private final Dialect dialect;

  MySqlEventStore(String prefix, Dialect dialect) {
    super(sql(prefix), WORDS, dialect);
    this.dialect = dialect;
  }

  static EventStatements sql(String prefix) {
    return new EventStatements(
        prefix, "UTC_TIMESTAMP(6)", "(UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND)", TIMES);
  }

  /**
   * With an update that changes nothing where the key is there: then the row is locked for changes.
   * A plain {@code INSERT} that fails locks it for reading, and of several who have done so and go
   * on to change it, or to insert it when the first is rolled back, all but one are the victim of a
   * deadlock. The count of rows does not tell, as it depends on the settings of the driver.
   */
  @Override
  boolean takeKey(Connection connection, int shard, String key, String fingerprint)
      throws SQLException {
    String insert =
        text(
            "INSERT INTO {event_key} (shard, event_key, id, fingerprint, created_at) VALUES (?, ?, "
                + NO_EVENT_YET
                + ", ?, {now}) ON DUPLICATE KEY UPDATE id = id");
    long id;
    if (dialect.insertReturnsRow()) {
      String returning = dialect.returning(insert, "id");
      id = sql.query(connection, returning, row -> row.getLong(1), shard, key, fingerprint).get(0);
    } else {
      sql.update(connection, insert, shard, key, fingerprint);
      String read = "SELECT id FROM {event_key} WHERE shard = ? AND event_key = ? FOR UPDATE";
      id = sql.query(connection, text(read), row -> row.getLong(1), shard, key).get(0);
    }
    return id == NO_EVENT_YET;
  }
}
