package dev.holdfast.internal.event.store;

import java.sql.Array;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;

/** Takes events out of the hands of dead instances, in one statement. */
final class PostgreSqlRecovery {
  private static final String RESCUE =
      "WITH lost AS MATERIALIZED (SELECT id FROM {event} WHERE shard = ? AND status = 1 AND owner ="
          + " ANY(?::bigint[]) LIMIT ? FOR UPDATE SKIP LOCKED) UPDATE {event} e SET status = 0,"
          + " version = e.version + 1, crashes = e.crashes + CASE WHEN e.crashes = 0 OR e.begun ="
          + " e.version THEN 1 ELSE 0 END, attempts = e.attempts - CASE WHEN e.crashes = 0 OR"
          + " e.begun = e.version THEN 0 ELSE 1 END, begun = CASE WHEN e.begun = e.version THEN "
          + AbstractEventStore.BEGUN_AND_CRASHED
          + " ELSE e.begun END, owner = NULL, error = ? WHERE e.shard = ? AND"
          + " e.id = ANY(ARRAY(SELECT id FROM lost)) AND e.status <> 0";

  private final EventStatements sql;
  private final String rescue;

  PostgreSqlRecovery(EventStatements sql) {
    this.sql = sql;
    this.rescue = sql.text(RESCUE);
  }

  int run(Connection connection, int shard, Collection<Long> expired, int most)
      throws SQLException {
    Array owners = connection.createArrayOf("bigint", expired.toArray());
    return sql.update(connection, rescue, shard, owners, most, AbstractEventStore.STOPPED, shard);
  }
}
