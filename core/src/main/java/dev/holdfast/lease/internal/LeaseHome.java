package dev.holdfast.lease.internal;

import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.LeaseStoreException;
import dev.holdfast.sql.CommitUnknownException;
import dev.holdfast.sql.Isolation;
import dev.holdfast.sql.SqlError;
import dev.holdfast.sql.SqlFailedException;
import dev.holdfast.sql.Transactions;
import dev.holdfast.sql.internal.Autocommit;
import dev.holdfast.sql.internal.NetworkTimeout;
import dev.holdfast.sql.internal.SqlText;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where the leases are, and how statements about them are run.
 *
 * @param renewals where the connections for renewals are from: the same data source, or one apart
 * @param what what the statements are about, for messages
 */
record LeaseHome(
    DataSource dataSource,
    DataSource renewals,
    Transactions transactions,
    LeaseSql sql,
    String what) {
  private static final Logger LOG = LoggerFactory.getLogger(LeaseHome.class);
  private static final int MOST_TRIES = 20;

  /** How long a statement waits for the answer of the server, beyond any wait for a lock. */
  private static final Duration ANSWER = Duration.ofSeconds(5);

  /** For statements that delete old rows, of which there may be many. */
  static final Duration CLEANING = Duration.ofMinutes(5);

  private static final Duration SHORTEST_RENEWAL = Duration.ofSeconds(1);

  LeaseHome(DataSource dataSource, DataSource renewals, LeaseSql sql) {
    this(dataSource, renewals, sql, "the lease");
  }

  LeaseHome(DataSource dataSource, DataSource renewals, LeaseSql sql, String what) {
    this(
        dataSource,
        renewals,
        Transactions.on(dataSource).requiresNew().isolation(Isolation.READ_COMMITTED),
        sql,
        what);
  }

  /** Statements that answer something. */
  interface Statements<T> {
    T run(Connection connection) throws SQLException;
  }

  /**
   * How long a transaction may hold up others, and others may hold up it.
   *
   * @param lockWait how long it waits for a lock of another one
   * @param idle how long the server waits for its next statement, before it ends the transaction
   *     and its locks: its process may be suspended or cut off
   */
  record Limits(Duration lockWait, Duration idle) {
    private static final Duration SHORTEST_LOCK_WAIT = Duration.ofSeconds(1);

    /** Longer than another one can be idle, so that its lock is waited for to the end. */
    private static final Duration LONGEST_LOCK_WAIT = Duration.ofSeconds(3);

    private static final Duration SHORTEST_IDLE = Duration.ofMillis(500);
    private static final Duration LONGEST_IDLE = Duration.ofSeconds(2);

    static final Limits STANDARD = new Limits(LONGEST_LOCK_WAIT, LONGEST_IDLE);

    /**
     * For an acquisition: nobody is held up for longer than about the lease that it asks for.
     *
     * @param wait how long the caller waits; null for as long as it takes
     */
    static Limits acquiring(Duration lease, @Nullable Duration wait) {
      return new Limits(
          wait == null ? LONGEST_LOCK_WAIT : between(SHORTEST_LOCK_WAIT, wait, LONGEST_LOCK_WAIT),
          between(SHORTEST_IDLE, lease, LONGEST_IDLE));
    }

    private static Duration between(Duration least, Duration value, Duration most) {
      Duration atLeast = value.compareTo(least) < 0 ? least : value;
      return atLeast.compareTo(most) > 0 ? most : atLeast;
    }
  }

  /** Runs one statement outside of any transaction, and again where it certainly did nothing. */
  <T> T step(String doing, LeaseKey key, Statements<T> step) {
    return step(doing, key, Limits.STANDARD.lockWait.plus(ANSWER), step);
  }

  /**
   * As {@link #step(String, LeaseKey, Statements)}.
   *
   * @param answer how long the server may take to answer, before the connection is given up; null
   *     for any time
   */
  <T> T step(String doing, LeaseKey key, @Nullable Duration answer, Statements<T> step) {
    return step(dataSource, doing, key, answer, step);
  }

  /**
   * Runs the statement of a renewal, whose row count says whether it has worked. An answer is
   * waited for during a quarter of the lease, so that there is time for another try.
   */
  boolean renewal(LeaseKey key, Duration lease, Statements<Integer> renewal) {
    Duration answer =
        Limits.between(SHORTEST_RENEWAL, lease.dividedBy(4), Limits.STANDARD.lockWait.plus(ANSWER));
    return step(renewals, "renewing", key, answer, renewal) == 1;
  }

  private <T> T step(
      DataSource source,
      String doing,
      LeaseKey key,
      @Nullable Duration answer,
      Statements<T> step) {
    try {
      return Autocommit.retrying(source, connection -> limited(connection, answer, step));
    } catch (SQLException e) {
      throw new SqlFailedException(doing + " " + what + " " + key, e);
    }
  }

  private static <T> T limited(Connection connection, @Nullable Duration answer, Statements<T> step)
      throws SQLException {
    NetworkTimeout limit = NetworkTimeout.limit(connection, answer);
    try {
      return step.run(connection);
    } finally {
      try {
        limit.restore();
      } catch (SQLException e) {
        LOG.debug("the network timeout of a connection could not be restored", e);
      }
    }
  }

  /**
   * Runs statements in a transaction of their own, and again where it certainly did nothing. Other
   * failures are for the engine, which knows how long it may go on: also a commit whose answer was
   * lost, since each of these transactions may be repeated.
   */
  <T> T call(String doing, LeaseKey key, Limits limits, Statements<T> statements) {
    Transactions limited =
        transactions
            .lockTimeout(limits.lockWait)
            .idleTimeout(limits.idle)
            .networkTimeout(limits.lockWait.plus(ANSWER));
    String step = doing + " " + what + " " + key;
    for (int tries = 1; ; tries++) {
      try {
        return limited.<T, RuntimeException>call(
            tx -> {
              try {
                return statements.run(tx.connection());
              } catch (SQLException e) {
                throw SqlText.failed(tx, step, e);
              }
            });
      } catch (CommitUnknownException e) {
        throw new LeaseStoreException(step, "the answer to its commit was lost", true, e);
      } catch (SqlFailedException e) {
        if (e.error() == SqlError.LOCK_TIMEOUT) {
          LOG.warn(
              "{} has waited {} for its row, which a transaction of another process has locked;"
                  + " the server ends that one when it is idle, and this is tried again by whoever"
                  + " still wants it",
              step,
              limits.lockWait);
        }
        if (tries == MOST_TRIES || !Autocommit.didNothing(e.error())) {
          throw e;
        }
      }
      Autocommit.pauseAfter(tries);
    }
  }
}
