package dev.holdfast.internal.lease.store;

import dev.holdfast.lease.spi.LeaseStore.AcquireResult;
import dev.holdfast.lease.spi.LeaseStore.Request;
import java.sql.ResultSet;
import java.sql.SQLException;

/** The row of a lease after an acquisition, which has the lease or has registered a waiter. */
final class AcquireRow {
  private AcquireRow() {}

  /** From the columns owner, token, and microseconds left. */
  static AcquireResult result(LeaseSql sql, ResultSet row, Request request) throws SQLException {
    return request.ownerId().equals(sql.owner(row, 1))
        ? new AcquireResult.Granted(row.getLong(2))
        : new AcquireResult.Rejected(LeaseSql.time(row.getLong(3)));
  }
}
