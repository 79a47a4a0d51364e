package dev.holdfast.internal.lease.store;

import dev.holdfast.internal.lease.store.SharedLeaseStore.LockedRow;
import dev.holdfast.lease.LeaseKey;
import java.sql.Connection;
import java.sql.SQLException;

/** The statements of {@link SharedLeaseStore} on MariaDB and MySQL. */
final class MySqlSharedLeaseStatements extends SharedLeaseStatements {
  MySqlSharedLeaseStatements(LeaseSql sql) {
    super(sql);
  }

  @Override
  boolean isOfferedToOthers(LockedRow row, String holder) {
    return ReleaseFairness.isOfferedToOthers(row, holder);
  }

  /** With an update that changes nothing: a plain insert would lock an existing row for reading. */
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
