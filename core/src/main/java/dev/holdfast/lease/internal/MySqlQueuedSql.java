package dev.holdfast.lease.internal;

import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.internal.QueuedLeases.LockedRow;
import java.sql.Connection;
import java.sql.SQLException;

/** The statements of {@link QueuedLeases} on MariaDB and MySQL. */
final class MySqlQueuedSql extends QueuedSql {
  MySqlQueuedSql(LeaseSql sql) {
    super(sql);
  }

  @Override
  boolean isOfferedToOthers(LockedRow row, String holder) {
    return OthersFirst.isOfferedToOthers(row, holder);
  }

  /** With an update that changes nothing where it is there: a plain one locks it for reading. */
  @Override
  void make(Connection connection, LeaseKey key) throws SQLException {
    sql.update(
        connection,
        sql.text(MAKE + " ON DUPLICATE KEY UPDATE arrivals = arrivals"),
        sql.shard(key),
        key.kind(),
        sql.name(key.name()));
  }
}
