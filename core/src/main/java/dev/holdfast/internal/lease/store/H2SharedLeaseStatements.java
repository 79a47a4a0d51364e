package dev.holdfast.internal.lease.store;

import dev.holdfast.internal.lease.store.SharedLeaseStore.LockedRow;
import dev.holdfast.lease.LeaseKey;
import dev.holdfast.transaction.SqlError;
import java.sql.Connection;
import java.sql.SQLException;

/** The statements of {@link SharedLeaseStore} on H2. */
final class H2SharedLeaseStatements extends SharedLeaseStatements {
  H2SharedLeaseStatements(LeaseSql sql) {
    super(sql);
  }

  @Override
  boolean isOfferedToOthers(LockedRow row, String holder) {
    return ReleaseFairness.isOfferedToOthers(row, holder);
  }

  @Override
  void make(Connection connection, LeaseKey key) throws SQLException {
    try {
      sql.update(connection, sql.text(MAKE), sql.shard(key), key.kind(), sql.name(key.name()));
    } catch (SQLException e) {
      // the transaction continues: only the statement is undone
      if (SqlError.of(e) != SqlError.UNIQUE_VIOLATION) {
        throw e;
      }
    }
  }
}
