package dev.holdfast.sql;

import dev.holdfast.internal.Require;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Runs work in transactions: its own, or a part of the caller's.
 *
 * <p>An own transaction takes a connection, commits when the work returns, rolls back when it
 * throws, puts back everything that it changed on the connection, and gives it back. What the work
 * throws reaches the caller as it is; an error while rolling back is added to it as suppressed. A
 * commit whose answer was lost is a {@link CommitUnknownException}, never a success.
 *
 * <p>An own transaction is independent of one that it is run in: it takes a further connection, for
 * which a pool must have room, and cannot see what the outer one has not committed. To be a part of
 * the outer one, pass its connection. The data source must give connections that are in no
 * transaction; one that gives that of a surrounding transaction, as Spring's {@code
 * TransactionAwareDataSourceProxy} does, would have it committed.
 *
 * <p>By default isolation, read-only and time limits are as the connection has them. Immutable and
 * thread-safe: every setting makes a copy.
 */
public final class Transactions {
  private static final Duration SHORTEST_TIMEOUT = Duration.ofMillis(1);
  private static final Duration LONGEST_TIMEOUT = Duration.ofDays(1);

  private final DataSource dataSource;
  private final TransactionSettings settings;
  private final ConflictListener listener;

  private Transactions(
      DataSource dataSource, TransactionSettings settings, ConflictListener listener) {
    this.dataSource = dataSource;
    this.settings = settings;
    this.listener = listener;
  }

  public static Transactions on(DataSource dataSource) {
    return new Transactions(
        Require.notNull(dataSource, "dataSource"),
        TransactionSettings.AS_IT_IS,
        ConflictListener.NONE);
  }

  /** With this isolation level. A joined transaction must have it already. */
  public Transactions isolation(Isolation isolation) {
    Require.notNull(isolation, "isolation");
    Require.that(
        isolation != Isolation.READ_UNCOMMITTED,
        "isolation must be READ COMMITTED or stricter, was READ UNCOMMITTED");
    return with(settings.withIsolation(isolation));
  }

  /**
   * Refusing writes: the guards refuse them on every database; PostgreSQL, MariaDB and MySQL refuse
   * other statements too, in own transactions.
   */
  public Transactions readOnly() {
    return with(settings.withReadOnly(true));
  }

  /**
   * Ending each statement that takes longer, with {@link SqlError#STATEMENT_TIMEOUT}. MySQL: only
   * SELECT.
   */
  public Transactions statementTimeout(Duration timeout) {
    requireTimeout(timeout, "statementTimeout");
    return with(settings.withStatementTimeout(timeout));
  }

  /**
   * Waiting no longer than this for each lock, then failing with {@link SqlError#LOCK_TIMEOUT}.
   * MariaDB and MySQL count whole seconds, rounded up.
   */
  public Transactions lockTimeout(Duration timeout) {
    requireTimeout(timeout, "lockTimeout");
    return with(settings.withLockTimeout(timeout));
  }

  /**
   * Ends an own transaction, and its connection, when the server waits longer than this for its
   * next statement: then a process that is suspended or cut off holds its row locks no longer than
   * that. Joined transactions ignore it. MariaDB and MySQL count whole seconds, rounded up; MySQL
   * ends any idle session ({@code wait_timeout}); H2 has no such limit.
   */
  public Transactions idleTimeout(Duration timeout) {
    requireTimeout(timeout, "idleTimeout");
    return with(settings.withIdleTimeout(timeout));
  }

  /**
   * Fails a statement of an own transaction, and closes its connection, when the server sends
   * nothing for this long ({@link Connection#setNetworkTimeout}): the network may drop packets
   * silently, and then a driver waits without a limit. A shorter limit that the connection already
   * has is kept. Choose it longer than every statement and lock wait of the transaction. Joined
   * transactions ignore it; so does H2.
   */
  public Transactions networkTimeout(Duration timeout) {
    requireTimeout(timeout, "networkTimeout");
    return with(settings.withNetworkTimeout(timeout));
  }

  /** Telling {@code listener} of the conflicts of all guards inside, and of retries. */
  public Transactions listener(ConflictListener listener) {
    return new Transactions(dataSource, settings, Require.notNull(listener, "listener"));
  }

  /**
   * With up to {@code attempts} attempts, each in a fresh transaction, for what a fresh one may
   * cure.
   */
  public Retrying retrying(int attempts) {
    return Retrying.of(this, attempts);
  }

  /**
   * Whether work of any {@code Transactions}, own or joined, runs on this thread: then what it
   * writes is not visible to others yet.
   */
  public static boolean isOpenOnThisThread() {
    return OpenTransactions.any();
  }

  /** Runs {@code work} in a transaction of its own and answers what it answers. */
  public <T extends @Nullable Object, X extends Exception> T call(Work<T, X> work) throws X {
    return call(work, 1);
  }

  /** Runs {@code work} in a transaction of its own. */
  public <X extends Exception> void run(Work.Silent<X> work) throws X {
    call(answerless(work));
  }

  /**
   * Runs {@code work} as a part of {@code tx}, with the time limits of this, and returns what it
   * returns. Never commits or rolls back.
   *
   * @throws RolledBackException if a guard inside has failed and its error was swallowed: the owner
   *     of the transaction must roll it back
   */
  public <T extends @Nullable Object, X extends Exception> T call(Transaction tx, Work<T, X> work)
      throws X {
    Require.notNull(work, "work");
    Require.notNull(tx, "tx").requireOpen(() -> "work in a given transaction");
    return joined(tx, work);
  }

  /** Runs {@code work} as a part of {@code tx}. */
  public <X extends Exception> void run(Transaction tx, Work.Silent<X> work) throws X {
    call(tx, answerless(work));
  }

  private <T extends @Nullable Object, X extends Exception> T joined(
      Transaction tx, Work<T, X> work) throws X {
    refuseOtherIsolation(tx.connection());
    Transaction part = tx.part(settings.readOnly(), listener);
    T answer = new JoinedTransaction(part, settings).call(work);
    Throwable reason = part.rollbackReason();
    if (reason != null) {
      throw new RolledBackException(reason);
    }
    return answer;
  }

  static void requireTimeout(Duration timeout, String name) {
    Require.between(timeout, SHORTEST_TIMEOUT, LONGEST_TIMEOUT, name);
  }

  ConflictListener listener() {
    return listener;
  }

  <T extends @Nullable Object, X extends Exception> T call(Work<T, X> work, int attempt) throws X {
    Require.notNull(work, "work");
    return new OwnTransaction(dataSource, settings, listener).call(work, attempt);
  }

  static <X extends Exception> Work<@Nullable Void, X> answerless(Work.Silent<X> work) {
    Require.notNull(work, "work");
    return tx -> {
      work.in(tx);
      return null;
    };
  }

  private void refuseOtherIsolation(Connection connection) {
    Isolation asked = settings.isolation();
    if (asked == null) {
      return;
    }
    try {
      Isolation actual = Isolation.ofJdbcLevel(connection.getTransactionIsolation());
      Require.that(
          actual == asked || isSame(connection, actual, asked),
          "the joined transaction must be "
              + asked.sql()
              + ", was "
              + actual.sql()
              + "; its owner has to set the isolation before it begins");
    } catch (SQLException e) {
      throw new SqlFailedException("reading the isolation level", e);
    }
  }

  /** On PostgreSQL, READ UNCOMMITTED is READ COMMITTED by another name. */
  private static boolean isSame(Connection connection, Isolation actual, Isolation asked) {
    return actual == Isolation.READ_UNCOMMITTED
        && asked == Isolation.READ_COMMITTED
        && !Dialect.of(connection).readsUncommitted();
  }

  private Transactions with(TransactionSettings changed) {
    return new Transactions(dataSource, changed, listener);
  }
}
