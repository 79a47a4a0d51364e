package dev.holdfast.event.internal;

import java.sql.Array;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;

/** Takes events out of the hands of dead instances, in one statement. */
final class PostgreSqlRescue {
  private static final String DIED = "its instance died while it was being handled";

  /** {@code fails} is null where nobody has noted that it was begun. */
  private static final String LOST =
      "WITH lost AS MATERIALIZED (SELECT id, begun = version AND crashes + 1 >= ? AS fails FROM"
          + " {event} WHERE shard = ? AND status = 1 AND owner = ANY(?::bigint[]) LIMIT ? FOR UPDATE SKIP LOCKED)";

  private static final String BACK =
      ", back AS (UPDATE {event} e SET status = 0, version = e.version + 1, crashes = e.crashes +"
          + " CASE WHEN e.crashes = 0 OR e.begun = e.version THEN 1 ELSE 0 END, attempts = e.attempts"
          + " - CASE WHEN e.crashes = 0 OR e.begun = e.version THEN 0 ELSE 1 END, due_at ="
          + " greatest(e.due_at, statement_timestamp()), owner = NULL, error = ? WHERE e.shard = ? AND"
          + " e.id = ANY(ARRAY(SELECT id FROM lost WHERE fails IS NOT TRUE)) AND e.status <> 0"
          + " RETURNING e.id)";

  private static final String FAIL =
      ", gone AS (DELETE FROM {event} e WHERE e.shard = ? AND e.id = ANY(ARRAY(SELECT id FROM lost"
          + " WHERE fails)) AND e.status <> 0 RETURNING "
          + EventColumns.of("e", EventColumns.MOVED)
          + "), ended AS (INSERT INTO {event_history} AS h ("
          + EventColumns.MOVED
          + ", status, error, ended_at) SELECT "
          + EventColumns.MOVED.replace("version", "version + 1").replace("crashes", "crashes + 1")
          + ", 3, ?, {now} FROM gone RETURNING h.id)";

  private final EventSql sql;
  private final String rescue;

  PostgreSqlRescue(EventSql sql) {
    this.sql = sql;
    this.rescue =
        sql.text(
            LOST
                + BACK
                + FAIL
                + " SELECT (SELECT count(*) FROM back), (SELECT count(*) FROM ended)");
  }

  Rescued run(Connection connection, int shard, Collection<Long> expired, int mostCrashes, int most)
      throws SQLException {
    Array owners = connection.createArrayOf("bigint", expired.toArray());
    return sql.query(
            connection,
            rescue,
            row -> new Rescued(row.getInt(1), row.getInt(2)),
            mostCrashes,
            shard,
            owners,
            most,
            DIED,
            shard,
            shard,
            DIED)
        .get(0);
  }
}
