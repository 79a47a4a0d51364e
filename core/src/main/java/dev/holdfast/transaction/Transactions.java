package dev.holdfast.transaction;

import dev.holdfast.internal.Require;
import dev.holdfast.internal.sql.Dialect;
import dev.holdfast.transaction.spi.TransactionContext;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Runs work in transactions: in the current one of the thread, or else in a new one.
 *
 * <p>A new transaction takes a connection, commits when the work returns, rolls back when it
 * throws, restores everything that it changed on the connection, and returns it. What the work
 * throws reaches the caller as it is; an error while rolling back is added to it as suppressed. A
 * commit whose answer was lost is a {@link CommitUnknownException}, never a success.
 *
 * <p>The current transaction is the innermost one on the data source that the thread is in: one of
 * {@code Transactions} whose work is running, or one that a framework reports through its {@link
 * TransactionContext}. Work in it is committed or rolled back by its owner, and sees what the
 * transaction has not committed yet. {@link #requiresNew} opens another one in any case: that takes
 * a further connection, for which a pool must have room, cannot see what the outer one has not
 * committed, and waits for its locks.
 *
 * <p>The data source must hand out connections that are in no transaction; one that hands out that
 * of a surrounding transaction, as Spring's {@code TransactionAwareDataSourceProxy} does, would
 * have it committed.
 *
 * <p>By default isolation, read-only and time limits are as the connection has them. Immutable and
 * thread-safe: every setting makes a copy.
 */
public final class Transactions {
  private static final Duration MIN_TIMEOUT = Duration.ofMillis(1);
  private static final Duration MAX_TIMEOUT = Duration.ofDays(1);

  private final CurrentTransactions current;
  private final TransactionSettings settings;
  private final ConflictListener listener;
  private final boolean requiresNew;

  private Transactions(
      CurrentTransactions current,
      TransactionSettings settings,
      ConflictListener listener,
      boolean requiresNew) {
    this.current = current;
    this.settings = settings;
    this.listener = listener;
    this.requiresNew = requiresNew;
  }

  public static Transactions on(DataSource dataSource) {
    return new Transactions(
        new CurrentTransactions(
            Require.notNull(dataSource, "dataSource"),
            TransactionContext.NONE,
            ConflictListener.NONE),
        TransactionSettings.AS_IT_IS,
        ConflictListener.NONE,
        false);
  }

  /**
   * Joining the transactions of a framework too. The listener of this hears of the conflicts in
   * them. Set it once per data source: two contexts do not share what they know of a transaction.
   */
  public Transactions context(TransactionContext context) {
    return new Transactions(
        new CurrentTransactions(
            current.dataSource(), Require.notNull(context, "context"), listener),
        settings,
        listener,
        requiresNew);
  }

  /**
   * Always in a new transaction on another connection, also inside a transaction. It commits or
   * rolls back independently of the outer one, and waits for its locks: where both touch the same
   * row, the inner one waits until its lock timeout.
   */
  public Transactions requiresNew() {
    return new Transactions(current, settings, listener, true);
  }

  /**
   * The current transaction of the thread; the same object for the same transaction. Use it only
   * until that ends.
   *
   * @throws TransactionStateException if there is none, or if one of another data source is active
   */
  public Transaction current() {
    CurrentTransactions.Found found = current.find(true);
    if (found == null) {
      throw TransactionStateException.required("transactions().current()");
    }
    current.release(found);
    return found.tx();
  }

  /** Whether there is a current transaction that calls on this thread would join. */
  public boolean isActive() {
    CurrentTransactions.Found found = current.find(false);
    if (found == null) {
      return false;
    }
    current.release(found);
    return true;
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
    return new Transactions(current, settings, Require.notNull(listener, "listener"), requiresNew);
  }

  /**
   * With up to {@code attempts} attempts, each in a new transaction, for what a new one may cure.
   * Refused inside a current transaction, which no attempt could repeat, unless {@link
   * #requiresNew}.
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

  /** Whether a transaction that Holdfast has opened on this data source runs on this thread. */
  public static boolean isOpenOnThisThread(DataSource dataSource) {
    return OpenTransactions.hasOwn(dataSource);
  }

  /**
   * Runs {@code work} in the current transaction, or else in a new one, and returns what it
   * returns.
   *
   * @throws TransactionStateException if the current transaction has another isolation level than
   *     this asks for, or if a transaction is active that does not use this data source
   * @throws TransactionRolledBackException if a guard inside has failed and its error was swallowed
   */
  public <T extends @Nullable Object, X extends Exception> T call(TransactionCallback<T, X> work)
      throws X {
    Require.notNull(work, "work");
    CurrentTransactions.Found found = requiresNew ? null : current.find(!settings.readOnly());
    if (found == null) {
      return call(work, 1);
    }
    try {
      return joined(found.tx(), found.framework(), work);
    } finally {
      current.release(found);
    }
  }

  /** Runs {@code work} in the current transaction, or else in a new one. */
  public <X extends Exception> void run(TransactionCallback.WithoutResult<X> work) throws X {
    call(answerless(work));
  }

  /**
   * Runs {@code work} as a part of {@code tx}, with the time limits of this, and returns what it
   * returns. Never commits or rolls back.
   *
   * @throws TransactionRolledBackException if a guard inside has failed and its error was
   *     swallowed: the owner of the transaction must roll it back
   */
  public <T extends @Nullable Object, X extends Exception> T call(
      Transaction tx, TransactionCallback<T, X> work) throws X {
    Require.notNull(work, "work");
    Require.notNull(tx, "tx").requireOpen(() -> "work in a given transaction");
    return joined(tx, tx.isOfHoldfast() ? null : current.framework(), work);
  }

  /** Runs {@code work} as a part of {@code tx}. */
  public <X extends Exception> void run(Transaction tx, TransactionCallback.WithoutResult<X> work)
      throws X {
    call(tx, answerless(work));
  }

  private <T extends @Nullable Object, X extends Exception> T joined(
      Transaction tx, @Nullable Connection framework, TransactionCallback<T, X> work) throws X {
    refuseOtherIsolation(tx);
    Transaction part = tx.part(settings.readOnly(), listener);
    T answer = joining(part, framework, settings, work);
    Throwable reason = part.rollbackReason();
    if (reason != null) {
      throw new TransactionRolledBackException(reason);
    }
    return answer;
  }

  private <T extends @Nullable Object, X extends Exception> T joining(
      Transaction tx,
      @Nullable Connection framework,
      TransactionSettings limits,
      TransactionCallback<T, X> work)
      throws X {
    boolean own = tx.isOfHoldfast();
    OpenTransactions.Entry entry =
        new OpenTransactions.Entry(current.dataSource(), tx, own, own ? null : framework);
    return new JoinedTransactionRunner(entry, limits).call(work);
  }

  /** What a call does without a current transaction. */
  public interface Alone<T extends @Nullable Object, X extends Exception> {
    T run() throws X;
  }

  /**
   * For a call of Holdfast that writes: joins the current transaction, with the settings that it
   * has, or else does something {@code alone}.
   *
   * @param what names the call in errors
   * @throws TransactionStateException if the current transaction is read-only, or if a transaction
   *     is active that does not use this data source
   */
  public <T extends @Nullable Object, X extends Exception> T joinToWrite(
      String what, TransactionCallback<T, X> work, Alone<T, X> alone) throws X {
    return join(what, true, work, alone);
  }

  /** As {@link #joinToWrite}, for a call that only reads; never refused. */
  public <T extends @Nullable Object, X extends Exception> T joinToRead(
      TransactionCallback<T, X> work, Alone<T, X> alone) throws X {
    return join("", false, work, alone);
  }

  private <T extends @Nullable Object, X extends Exception> T join(
      String what, boolean write, TransactionCallback<T, X> work, Alone<T, X> alone) throws X {
    CurrentTransactions.Found found = current.find(write);
    if (found == null) {
      return alone.run();
    }
    try {
      if (write && found.tx().isReadOnly()) {
        throw TransactionStateException.readOnly(what);
      }
      if (write) {
        refuseOtherIsolation(found.tx());
      }
      return joining(found.tx(), found.framework(), TransactionSettings.AS_IT_IS, work);
    } finally {
      current.release(found);
    }
  }

  /**
   * For a call of Holdfast that must not be made inside a transaction.
   *
   * @param what names the call in the error
   * @throws TransactionStateException if there is a current transaction
   */
  public void requireNone(String what) {
    if (isActive()) {
      throw TransactionStateException.active(what);
    }
  }

  /** For retries: each attempt needs a transaction that it can repeat. */
  void requireRepeatable(String what) {
    if (requiresNew) {
      return;
    }
    CurrentTransactions.Found found = current.find(!settings.readOnly());
    if (found != null) {
      current.release(found);
      throw TransactionStateException.active(what);
    }
  }

  static void requireTimeout(Duration timeout, String name) {
    Require.between(timeout, MIN_TIMEOUT, MAX_TIMEOUT, name);
  }

  ConflictListener listener() {
    return listener;
  }

  <T extends @Nullable Object, X extends Exception> T call(
      TransactionCallback<T, X> work, int attempt) throws X {
    Require.notNull(work, "work");
    return new NewTransactionRunner(current.dataSource(), settings, listener).call(work, attempt);
  }

  static <X extends Exception> TransactionCallback<@Nullable Void, X> answerless(
      TransactionCallback.WithoutResult<X> work) {
    Require.notNull(work, "work");
    return tx -> {
      work.in(tx);
      return null;
    };
  }

  private void refuseOtherIsolation(Transaction tx) {
    Isolation asked = settings.isolation();
    if (asked == null) {
      return;
    }
    try {
      Connection connection = tx.connection();
      Isolation actual = Isolation.ofJdbcLevel(connection.getTransactionIsolation());
      if (actual != asked && !isSame(connection, actual, asked)) {
        throw new TransactionStateException(
            TransactionStateException.Reason.ISOLATION,
            "the joined transaction must be "
                + asked.sql()
                + ", was "
                + actual.sql()
                + "; its owner has to set the isolation before it begins, or use requiresNew()");
      }
    } catch (SQLException e) {
      throw new DatabaseException("reading the isolation level", e);
    }
  }

  /** On PostgreSQL, READ UNCOMMITTED is READ COMMITTED by another name. */
  private static boolean isSame(Connection connection, Isolation actual, Isolation asked) {
    return actual == Isolation.READ_UNCOMMITTED
        && asked == Isolation.READ_COMMITTED
        && !Dialect.of(connection).readsUncommitted();
  }

  private Transactions with(TransactionSettings changed) {
    return new Transactions(current, changed, listener, requiresNew);
  }
}
