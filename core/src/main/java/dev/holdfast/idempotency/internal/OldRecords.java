package dev.holdfast.idempotency.internal;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Removes records whose retention is over, without waiting for those that a transaction is just
 * about to replace.
 *
 * <p>PostgreSQL does so by one statement. The others look without locks, because InnoDB would also
 * lock the first record that is not over, remove all that they found at once, and one by one where
 * some of them are locked.
 */
final class OldRecords {
  private final RecordSql sql;
  private final Insertion insertion;

  OldRecords(RecordSql sql, Insertion insertion) {
    this.sql = sql;
    this.insertion = insertion;
  }

  /** At most so many of a shard; how many it were. Each statement is committed by itself. */
  int remove(Connection connection, int shard, int most) throws SQLException {
    if (sql.removesAtOnce()) {
      return sql.table.update(connection, sql.cleanUp, shard, most);
    }
    List<byte[]> ids =
        sql.table.query(connection, sql.expired, row -> row.getBytes(1), shard, most);
    if (ids.isEmpty()) {
      return 0;
    }
    int rows = delete(connection, shard, ids);
    if (rows != Insertion.NOT_FREE) {
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
    return insertion.change(
        connection, Duration.ZERO, true, sql.deleteExpired(ids.size()), values.toArray());
  }
}
