package dev.holdfast.internal.lease.store;

import dev.holdfast.StoreException;
import dev.holdfast.internal.sql.AutocommitRunner;
import dev.holdfast.internal.sql.Dialect;
import dev.holdfast.internal.sql.NetworkTimeout;
import dev.holdfast.internal.sql.SqlBuilder;
import dev.holdfast.internal.sql.TableStatements;
import dev.holdfast.lease.LeaseKey;
import dev.holdfast.transaction.CommitUnknownException;
import dev.holdfast.transaction.DatabaseException;
import dev.holdfast.transaction.Isolation;
import dev.holdfast.transaction.SqlError;
import dev.holdfast.transaction.Transactions;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.zip.CRC32C;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tables of leases and jobs in one database: completes and binds their statements, and runs
 * them within limits of time. Thread-safe.
 */
public final class LeaseTables {
  private static final Logger LOG = LoggerFactory.getLogger(LeaseTables.class);
  private static final int MAX_TRIES = 20;

  /** How long a statement waits for the response of the server, beyond any wait for a lock. */
  private static final Duration RESPONSE_TIMEOUT = Duration.ofSeconds(5);

  private static final Duration MIN_RENEWAL_TIMEOUT = Duration.ofSeconds(1);

  /** For statements that delete old rows, of which there may be many. */
  static final Duration CLEANING = Duration.ofMinutes(5);

  /** The condition for the row of a key, which is bound as one value. */
  static final String KEY = " shard = ? AND kind = ? AND name = ? ";

  private final DataSource dataSource;
  private final DataSource renewals;
  private final Transactions transactions;
  private final Dialect dialect;
  private final TableStatements table;
  private final int shards;
  private final String what;

  /**
   * @param renewals the data source for renewals: the same one, or another one
   * @param schema the schema of Holdfast's tables; null for the current one
   * @param shards over how many shards the names are spread
   * @param what the kind of thing that the statements change, for messages
   */
  public LeaseTables(
      DataSource dataSource,
      DataSource renewals,
      Dialect dialect,
      @Nullable String schema,
      int shards,
      String what) {
    this.dataSource = dataSource;
    this.renewals = renewals;
    this.transactions =
        Transactions.on(dataSource).requiresNew().isolation(Isolation.READ_COMMITTED);
    this.dialect = dialect;
    this.table = TableStatements.of(dialect, schema == null ? "" : dialect.quote(schema) + ".");
    this.shards = shards;
    this.what = what;
  }

  Dialect dialect() {
    return dialect;
  }

  /** A statement with the schema, the clock and the remaining time filled in. */
  public String text(String template) {
    return table.text(
        template
            .replace("{micros}", table.micros(table.now()))
            .replace("{left}", table.microsUntil("expires_at"))
            .replace("{waited}", table.microsUntil("waiting_until")));
  }

  /** The time in a column, in microseconds since 1970. */
  public String micros(String column) {
    return table.micros(column);
  }

  /** Statements with a result. */
  public interface Statements<T> {
    T run(Connection connection) throws SQLException;
  }

  /**
   * How long a transaction may block others, and others may block it.
   *
   * @param lockWait how long it waits for a lock of another one
   * @param idle how long the server waits for its next statement, before it ends the transaction
   *     and its locks: its process may be suspended or cut off
   */
  record Limits(Duration lockWait, Duration idle) {
    private static final Duration MIN_LOCK_WAIT = Duration.ofSeconds(1);

    /** Longer than another transaction can be idle, so that its lock is waited for to the end. */
    private static final Duration MAX_LOCK_WAIT = Duration.ofSeconds(3);

    private static final Duration MIN_IDLE = Duration.ofMillis(500);
    private static final Duration MAX_IDLE = Duration.ofSeconds(2);

    static final Limits STANDARD = new Limits(MAX_LOCK_WAIT, MAX_IDLE);

    /**
     * For an acquisition: it blocks others for about the requested duration at most.
     *
     * @param wait how long the caller waits; null for any time
     */
    static Limits acquiring(Duration duration, @Nullable Duration wait) {
      return new Limits(
          wait == null ? MAX_LOCK_WAIT : between(MIN_LOCK_WAIT, wait, MAX_LOCK_WAIT),
          between(MIN_IDLE, duration, MAX_IDLE));
    }

    private static Duration between(Duration min, Duration value, Duration max) {
      Duration raised = value.compareTo(min) < 0 ? min : value;
      return raised.compareTo(max) > 0 ? max : raised;
    }
  }

  /** Runs one statement outside of any transaction, and again if it certainly did nothing. */
  public <T> T step(String doing, LeaseKey key, Statements<T> step) {
    return step(doing, key, Limits.STANDARD.lockWait.plus(RESPONSE_TIMEOUT), step);
  }

  /**
   * As {@link #step(String, LeaseKey, Statements)}.
   *
   * @param timeout how long the server may take to respond before the connection is abandoned; null
   *     for any time
   */
  <T> T step(String doing, LeaseKey key, @Nullable Duration timeout, Statements<T> step) {
    return step(dataSource, doing, key, timeout, step);
  }

  /**
   * Runs the statement of a renewal; its row count says whether it succeeded. It waits for a
   * response for a quarter of the duration, so that there is time for a retry.
   */
  boolean renewal(LeaseKey key, Duration duration, Statements<Integer> renewal) {
    Duration timeout =
        Limits.between(
            MIN_RENEWAL_TIMEOUT,
            duration.dividedBy(4),
            Limits.STANDARD.lockWait.plus(RESPONSE_TIMEOUT));
    return step(renewals, "renewing", key, timeout, renewal) == 1;
  }

  private <T> T step(
      DataSource source,
      String doing,
      LeaseKey key,
      @Nullable Duration timeout,
      Statements<T> step) {
    try {
      return AutocommitRunner.retrying(source, connection -> limited(connection, timeout, step));
    } catch (SQLException e) {
      throw new DatabaseException(doing + " " + what + " " + key, e);
    }
  }

  private static <T> T limited(
      Connection connection, @Nullable Duration timeout, Statements<T> step) throws SQLException {
    NetworkTimeout limit = NetworkTimeout.limit(connection, timeout);
    try {
      return step.run(connection);
    } finally {
      try {
        limit.restore();
      } catch (SQLException e) {
        LOG.debug("could not restore the network timeout of a connection", e);
      }
    }
  }

  /**
   * Runs statements in a new transaction, and again if it certainly did nothing. Other failures are
   * handled by the engine, which knows how long it may retry. That includes an unknown commit
   * outcome, because each of these transactions may be repeated.
   */
  <T> T call(String doing, LeaseKey key, Limits limits, Statements<T> statements) {
    Transactions limited =
        transactions
            .lockTimeout(limits.lockWait)
            .idleTimeout(limits.idle)
            .networkTimeout(limits.lockWait.plus(RESPONSE_TIMEOUT));
    String step = doing + " " + what + " " + key;
    for (int tries = 1; ; tries++) {
      try {
        return limited.<T, RuntimeException>call(
            tx -> {
              try {
                return statements.run(tx.connection());
              } catch (SQLException e) {
                throw SqlBuilder.failed(tx, step, e);
              }
            });
      } catch (CommitUnknownException e) {
        throw new StoreException("lease-store", step, "the commit outcome is unknown", true, e);
      } catch (DatabaseException e) {
        if (e.error() == SqlError.LOCK_TIMEOUT) {
          LOG.warn(
              "lease-row-locked: {} waited {} for a row that a transaction of another process has"
                  + " locked; callers that still wait retry, the server ends idle transactions",
              step,
              limits.lockWait);
        }
        if (tries == MAX_TRIES || !AutocommitRunner.didNothing(e.error())) {
          throw e;
        }
      }
      AutocommitRunner.pauseAfter(tries);
    }
  }

  public int update(Connection connection, String sql, @Nullable Object... values)
      throws SQLException {
    return table.update(connection, sql, bound(values));
  }

  public <T> List<T> query(
      Connection connection,
      String sql,
      TableStatements.Reader<T> reader,
      @Nullable Object... values)
      throws SQLException {
    return table.query(connection, sql, reader, bound(values));
  }

  public <T> Optional<T> first(
      Connection connection,
      String sql,
      TableStatements.Reader<T> reader,
      @Nullable Object... values)
      throws SQLException {
    return table.first(connection, sql, reader, bound(values));
  }

  /** As {@link TableStatements#last}: for statements that change a row and return it. */
  <T> Optional<T> last(
      Connection connection,
      String sql,
      TableStatements.Reader<T> reader,
      @Nullable Object... values)
      throws SQLException {
    return table.last(connection, sql, reader, bound(values));
  }

  /** A key takes three parameters: its shard, its kind and its name. */
  private @Nullable Object[] bound(@Nullable Object... values) {
    List<@Nullable Object> bound = new ArrayList<>(values.length + 4);
    for (Object value : values) {
      if (value instanceof LeaseKey key) {
        bound.add(shard(key.name()));
        bound.add(code(key.kind()));
        bound.add(name(key.name()));
      } else {
        bound.add(value);
      }
    }
    return bound.toArray();
  }

  private int shard(String name) {
    if (shards == 1) {
      return 0;
    }
    CRC32C hash = new CRC32C();
    hash.update(name.getBytes(StandardCharsets.UTF_8));
    return (int) (hash.getValue() % shards);
  }

  /** A name as its column stores it. */
  public Object name(String name) {
    return table.name(name);
  }

  public String name(ResultSet row, int index) throws SQLException {
    return table.name(row, index);
  }

  @Nullable UUID owner(ResultSet row, int index) throws SQLException {
    return table.uuid(row, index);
  }

  /** The stored number of a kind. */
  static int code(LeaseKey.Kind kind) {
    return switch (kind) {
      case EXCLUSIVE -> 0;
      case READ_WRITE -> 1;
      case SEMAPHORE -> 2;
    };
  }

  /** The kind with a stored number. */
  static LeaseKey.Kind kind(int code) {
    return switch (code) {
      case 0 -> LeaseKey.Kind.EXCLUSIVE;
      case 1 -> LeaseKey.Kind.READ_WRITE;
      case 2 -> LeaseKey.Kind.SEMAPHORE;
      default -> throw new IllegalStateException("unknown kind of lease: " + code);
    };
  }

  /** A duration from microseconds, at least zero. */
  static Duration time(long micros) {
    return micros <= 0 ? Duration.ZERO : Duration.ofNanos(micros * 1000);
  }
}
