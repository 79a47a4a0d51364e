package dev.holdfast.lease.internal;

import dev.holdfast.lease.LeaseStore.Acquired;
import dev.holdfast.lease.LeaseStore.Request;
import java.sql.ResultSet;
import java.sql.SQLException;

/** What a row says after an acquisition that takes the lease or leaves a mark. */
final class MarkedRow {
  private MarkedRow() {}

  /** From its owner, its token, and how many microseconds are left. */
  static Acquired answer(LeaseSql sql, ResultSet row, Request request) throws SQLException {
    return request.owner().equals(sql.owner(row, 1))
        ? new Acquired.Granted(row.getLong(2))
        : new Acquired.Taken(LeaseSql.time(row.getLong(3)));
  }
}
