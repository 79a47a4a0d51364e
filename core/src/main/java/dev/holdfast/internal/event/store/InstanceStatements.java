package dev.holdfast.internal.event.store;

import dev.holdfast.event.InstanceRecord;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Statements about instances and their leases, the same on every database. Thread-safe. */
final class InstanceStatements {
  private final EventStatements sql;

  InstanceStatements(EventStatements sql) {
    this.sql = sql;
  }

  boolean renew(Connection connection, long instance, Duration lease) throws SQLException {
    return sql.update(
            connection,
            sql.text(
                "UPDATE {instance} SET expires_at = {now+} WHERE id = ? AND expires_at > {now} AND"
                    + " NOT stopped"),
            TimeUnit.MICROSECONDS.convert(lease),
            instance)
        == 1;
  }

  void release(Connection connection, long instance) throws SQLException {
    sql.update(
        connection,
        sql.text("UPDATE {instance} SET stopped = TRUE, expires_at = {now} WHERE id = ?"),
        instance);
  }

  List<InstanceRecord> known(Connection connection) throws SQLException {
    return sql.query(
        connection,
        sql.text(
            "SELECT id, name, started_at, expires_at, {now} FROM {instance} WHERE NOT stopped ORDER"
                + " BY id"),
        row -> {
          Duration left = Duration.between(sql.time(row, 5), sql.time(row, 4));
          return new InstanceRecord(
              row.getLong(1),
              row.getString(2),
              sql.time(row, 3),
              left.isNegative() ? Duration.ZERO : left);
        });
  }

  List<Long> expired(Connection connection) throws SQLException {
    return sql.query(
        connection,
        sql.text("SELECT id FROM {instance} WHERE expires_at <= {now} ORDER BY id"),
        row -> row.getLong(1));
  }

  int forget(Connection connection, int shards, Duration longAgo) throws SQLException {
    String delete = sql.text("DELETE FROM {instance} WHERE id = ? AND expires_at <= {now+}");
    int forgotten = 0;
    for (long instance : expired(connection)) {
      boolean busy = false;
      for (int shard = 0; shard < shards && !busy; shard++) {
        busy = owns(connection, shard, instance);
      }
      if (!busy) {
        long ago = -TimeUnit.MICROSECONDS.convert(longAgo);
        forgotten += sql.update(connection, delete, instance, ago);
      }
    }
    return forgotten;
  }

  private boolean owns(Connection connection, int shard, long instance) throws SQLException {
    return sql.first(
            connection,
            sql.text(
                "SELECT EXISTS (SELECT 1 FROM {event} WHERE shard = ? AND owner = ? AND status = 1)"),
            row -> row.getBoolean(1),
            shard,
            instance)
        .orElse(false);
  }
}
