package dev.holdfast.internal.idempotency;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Deletes records whose retention is over, without waiting for those that a transaction is about to
 * replace.
 *
 * <p>PostgreSQL uses one statement. The other databases read the ids without locks, because InnoDB
 * would also lock the first record that is not expired. Then they delete all of them at once, or
 * one by one if some are locked.
 */
final class ExpiredRecords {
  private final RecordStatements sql;
  private final RecordInserter inserter;

  ExpiredRecords(RecordStatements sql, RecordInserter inserter) {
    this.sql = sql;
    this.inserter = inserter;
  }

  /** At limit so many of a shard; how many it were. Each statement is committed by itself. */
  int delete(Connection connection, int shard, int limit) throws SQLException {
    if (sql.deletesInOneStatement()) {
      return sql.table.update(connection, sql.deleteExpired, shard, limit);
    }
    List<byte[]> ids =
        sql.table.query(connection, sql.expired, row -> row.getBytes(1), shard, limit);
    if (ids.isEmpty()) {
      return 0;
    }
    int rows = delete(connection, shard, ids);
    if (rows != RecordInserter.NOT_FREE) {
      return rows;
    }
    rows = 0;
    for (byte[] id : ids) {
      rows += Math.max(0, delete(connection, shard, List.of(id)));
    }
    return rows;
  }

  private int delete(Connection connection, int shard, List<byte[]> ids) throws SQLException {
    List<@Nullable Object> values = new ArrayList<>(ids.size() + 1);
    values.add(shard);
    values.addAll(ids);
    return inserter.change(
        connection, Duration.ZERO, true, sql.deleteExpired(ids.size()), values.toArray());
  }
}
