package dev.holdfast.lease.internal;

import dev.holdfast.lease.LeaseKey;
import dev.holdfast.sql.Isolation;
import dev.holdfast.sql.SqlFailedException;
import dev.holdfast.sql.Transactions;
import dev.holdfast.sql.internal.Autocommit;
import dev.holdfast.sql.internal.SqlText;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * Where the leases are, and how statements about them are run.
 *
 * @param what what the statements are about, for messages
 */
record LeaseHome(DataSource dataSource, Transactions transactions, LeaseSql sql, String what) {
  private static final int MOST_TRIES = 10;

  LeaseHome(DataSource dataSource, LeaseSql sql) {
    this(dataSource, sql, "the lease");
  }

  LeaseHome(DataSource dataSource, LeaseSql sql, String what) {
    this(dataSource, Transactions.on(dataSource).isolation(Isolation.READ_COMMITTED), sql, what);
  }

  /** Statements that answer something. */
  interface Statements<T> {
    T run(Connection connection) throws SQLException;
  }

  /** Runs one statement outside of any transaction, and again where it certainly did nothing. */
  <T> T step(String doing, LeaseKey key, Statements<T> step) {
    try {
      return Autocommit.retrying(dataSource, step::run);
    } catch (SQLException e) {
      throw new SqlFailedException(doing + " " + what + " " + key, e);
    }
  }

  /** Runs statements in a transaction of their own, and again where it was rolled back. */
  <T> T call(String doing, LeaseKey key, Statements<T> statements) {
    return transactions
        .retrying(MOST_TRIES)
        .<T, RuntimeException>call(
            tx -> {
              try {
                return statements.run(tx.connection());
              } catch (SQLException e) {
                throw SqlText.failed(tx, doing + " " + what + " " + key, e);
              }
            });
  }
}
