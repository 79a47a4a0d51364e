package dev.holdfast.transaction;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.internal.Require;
import dev.holdfast.internal.sql.CommitStatement;
import dev.holdfast.internal.sql.Dialect;
import dev.holdfast.internal.sql.DialectDetector;
import dev.holdfast.transaction.spi.TransactionContext;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A transaction that is open: the user's connection, and what Holdfast knows of it.
 *
 * <p>Made by {@link Transactions}, or by {@link #of} over a connection whose transaction somebody
 * else, such as a framework, begins and ends. Like its connection, it is for one thread at a time,
 * and is not to be used after the transaction has ended.
 */
public final class Transaction {
  private final Connection connection;
  private final Connection physical;
  private final Dialect dialect;
  private final TransactionSettings settings;
  private final int attempt;
  private final ConflictListener listener;
  private final Memory memory;
  private @Nullable Isolation isolation;
  private boolean own;
  private @Nullable CommitStatement last;

  /**
   * What is known of a transaction, whoever joins it: by physical connection, for the time that one
   * of {@link Transactions} is open on it.
   */
  private static final Map<Connection, Memory> OPEN =
      Collections.synchronizedMap(new WeakHashMap<>());

  private static final class Memory {
    private final Map<Class<?>, Object> states = new HashMap<>(2);
    private @Nullable Throwable rollbackReason;
    private boolean holdfast;
    private boolean over;
  }

  Transaction(
      Connection connection,
      Dialect dialect,
      TransactionSettings settings,
      int attempt,
      ConflictListener listener) {
    this.connection = connection;
    this.dialect = dialect;
    this.isolation = settings.isolation();
    this.settings = settings;
    this.attempt = attempt;
    this.listener = listener;
    // asked for now: a connection that was lost cannot tell any more
    this.physical = DialectDetector.physical(connection);
    Memory known = OPEN.get(physical);
    this.memory = known == null ? new Memory() : known;
  }

  /** The same transaction, for a part of its work. */
  private Transaction(Transaction whole, boolean readOnly, ConflictListener listener) {
    this.connection = whole.connection;
    this.physical = whole.physical;
    this.dialect = whole.dialect;
    this.isolation = whole.isolation;
    this.settings = whole.settings.withReadOnly(readOnly);
    this.attempt = whole.attempt;
    this.listener = listener;
    this.memory = whole.memory;
  }

  /**
   * This transaction for a part of its work that may be read-only or have a listener of its own.
   */
  Transaction part(boolean refusingWrites, ConflictListener other) {
    boolean readOnly = settings.readOnly() || refusingWrites;
    ConflictListener hears = other == ConflictListener.NONE ? listener : other;
    return readOnly == settings.readOnly() && hears == listener
        ? this
        : new Transaction(this, readOnly, hears);
  }

  /** From now on, whoever joins this transaction by its connection shares what is known of it. */
  Transaction opened() {
    own = true;
    memory.holdfast = true;
    shared();
    return this;
  }

  void shared() {
    OPEN.put(physical, memory);
  }

  void ended() {
    memory.over = true;
    OPEN.remove(physical, memory);
  }

  /**
   * The transaction that {@code connection} is in. Its owner commits it or rolls it back.
   *
   * @throws InvalidArgumentException if the connection is closed or in autocommit mode: then there
   *     is no transaction to join
   */
  public static Transaction of(Connection connection) {
    return of(connection, ConflictListener.NONE);
  }

  /** As {@link #of(Connection)}, with a listener for the conflicts of its guards. */
  public static Transaction of(Connection connection, ConflictListener listener) {
    return joining(
        Require.notNull(connection, "connection"), false, Require.notNull(listener, "listener"));
  }

  /** One that a framework has begun and will end. */
  static Transaction ofFramework(TransactionContext.Current current, ConflictListener listener) {
    return joining(current.connection(), current.readOnly(), listener);
  }

  private static Transaction joining(
      Connection connection, boolean readOnly, ConflictListener listener) {
    try {
      Require.that(!connection.isClosed(), "connection must be open, was closed: take a new one");
      Require.that(
          !connection.getAutoCommit(),
          "connection must be in a transaction, was in autocommit mode: call setAutoCommit(false),"
              + " or let Transactions open one");
      return new Transaction(
          connection,
          Dialect.of(connection),
          TransactionSettings.AS_IT_IS.withReadOnly(readOnly || connection.isReadOnly()),
          1,
          listener);
    } catch (SQLException e) {
      throw new DatabaseException("joining the transaction of a connection", e);
    }
  }

  /**
   * The connection to run one's own statements on. Do not commit, roll back or close it, nor turn
   * autocommit on, which commits: nothing after that is part of the transaction. And let their
   * errors pass: MariaDB, MySQL and H2 undo all of a transaction that lost a deadlock, and would
   * run and commit what follows as if nothing had happened.
   */
  public Connection connection() {
    return connection;
  }

  public Dialect dialect() {
    return dialect;
  }

  /** Which attempt of the retry runner this is, from 1 on. */
  public int attempt() {
    return attempt;
  }

  /** Who hears of conflicts in this transaction. */
  public ConflictListener listener() {
    return listener;
  }

  /** The isolation level in force. */
  public Isolation isolation() {
    Isolation known = isolation;
    if (known == null) {
      try {
        known = Isolation.ofJdbcLevel(connection.getTransactionIsolation());
      } catch (SQLException e) {
        throw new DatabaseException("reading the isolation level", e);
      }
      isolation = known;
    }
    return known;
  }

  /**
   * Refuses a write that is certain to fail, or to be no part of a transaction. Costs no statement.
   *
   * @throws TransactionStateException if this transaction is read-only or has ended, or its
   *     connection is in autocommit mode
   */
  public void requireWritable(Supplier<String> what) {
    requireOpen(what);
    try {
      if (connection.getAutoCommit()) {
        throw TransactionStateException.endedByAutocommit(what.get());
      }
    } catch (SQLException e) {
      DatabaseException failure = new DatabaseException(what.get(), e);
      setRollbackOnly(failure);
      throw failure;
    }
    if (settings.readOnly()) {
      throw TransactionStateException.readOnly(what.get());
    }
  }

  void requireOpen(Supplier<String> what) {
    if (memory.over) {
      throw TransactionStateException.ended(what.get());
    }
  }

  /**
   * Runs {@code work} as a part of this transaction, waiting no longer than {@code timeout} for
   * each lock inside it. MariaDB and MySQL count whole seconds, rounded up.
   */
  public <T extends @Nullable Object, X extends Exception> T callWithLockTimeout(
      Duration timeout, TransactionCallback<T, X> work) throws X {
    Transactions.requireTimeout(timeout, "lockTimeout");
    return new JoinedTransactionRunner(
            new OpenTransactions.Entry(null, this, false, null),
            TransactionSettings.waiting(timeout))
        .call(work);
  }

  /** What a capability remembers for the time of this transaction. */
  public <S> S state(Class<S> type, Supplier<S> fresh) {
    return type.cast(memory.states.computeIfAbsent(type, ignored -> fresh.get()));
  }

  /**
   * Makes sure that a transaction of {@link Transactions} is not committed, even where {@code
   * reason} is swallowed on its way up. A joined transaction is its owner's to roll back.
   */
  public void setRollbackOnly(Throwable reason) {
    if (memory.rollbackReason == null) {
      memory.rollbackReason = reason;
    }
  }

  /**
   * Refuses what must only be written where the transaction can be committed.
   *
   * @throws TransactionRolledBackException where {@link #setRollbackOnly} was called before
   */
  public void requireCommittable() {
    Throwable reason = memory.rollbackReason;
    if (reason != null) {
      throw new TransactionRolledBackException(reason);
    }
  }

  /**
   * Makes a transaction of {@link Transactions} end with this statement: it runs when the work has
   * returned, where the database can do so in one round trip with the commit.
   *
   * @return whether it will; a joined transaction, and one that has a last statement already, have
   *     no place for it, and it is the caller's to run
   */
  public boolean endWith(CommitStatement change) {
    if (!own || last != null) {
      return false;
    }
    last = change;
    return true;
  }

  /** Rolls back, and begins anew with the same settings; for transactions of Transactions only. */
  public void beginAgain() throws SQLException {
    Require.that(own, "only an own transaction can be begun again");
    connection.rollback();
    dialect.settings().insideOwn(connection, settings);
  }

  /** Whether one of {@link Transactions} has begun it and will end it. */
  boolean isOfHoldfast() {
    return memory.holdfast;
  }

  boolean isReadOnly() {
    return settings.readOnly();
  }

  @Nullable CommitStatement last() {
    return last;
  }

  @Nullable Throwable rollbackReason() {
    return memory.rollbackReason;
  }
}
