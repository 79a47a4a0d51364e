package dev.holdfast.race.internal.jdbc;

import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;

/** What drivers say of a connection that is gone, and PostgreSQL of a transaction that is. */
final class LostConnection {
  private LostConnection() {}

  static SQLException now() {
    return new SQLNonTransientConnectionException(
        "the connection was lost (by the race finder)", "08006");
  }

  static SQLException before() {
    return new SQLNonTransientConnectionException(
        "the connection is closed: it was lost (by the race finder)", "08003");
  }

  static SQLException closed() {
    return new SQLNonTransientConnectionException("the connection is closed", "08003");
  }

  static SQLException transactionAborted() {
    return new SQLException(
        "current transaction is aborted, commands ignored until end of transaction block", "25P02");
  }
}
