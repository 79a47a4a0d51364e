package dev.holdfast.testing.contract;

import dev.holdfast.transaction.TransactionStateException;
import dev.holdfast.transaction.spi.TransactionContext;
import java.sql.Connection;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/** A small framework with transactions on one thread, as Holdfast sees one. */
final class Framework implements TransactionContext {
  private final DataSource dataSource;
  private final Deque<Open> open = new ArrayDeque<>();
  private int acquired;

  Framework(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  private static final class Open {
    private final Connection connection;
    private final boolean readOnly;
    private final List<Callback> callbacks = new ArrayList<>();
    private boolean completing;

    Open(Connection connection, boolean readOnly) {
      this.connection = connection;
      this.readOnly = readOnly;
    }
  }

  /** What an application does in a transaction. */
  interface Work {
    void in(Connection connection) throws Exception;
  }

  void commit(Work work) throws Exception {
    run(false, true, work, () -> {});
  }

  void rollBack(Work work) throws Exception {
    run(false, false, work, () -> {});
  }

  void readOnly(Work work) throws Exception {
    run(true, true, work, () -> {});
  }

  /** With a callback after the commit, while the transaction is still the one of the thread. */
  void commit(Work work, Runnable afterCommit) throws Exception {
    run(false, true, work, afterCommit);
  }

  private void run(boolean readOnly, boolean commit, Work work, Runnable afterCommit)
      throws Exception {
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      Open mine = new Open(connection, readOnly);
      open.push(mine);
      boolean committed = false;
      try {
        work.in(connection);
        if (commit) {
          mine.callbacks.forEach(Callback::beforeCommit);
          mine.completing = true;
          connection.commit();
          committed = true;
          afterCommit.run();
        }
      } finally {
        mine.completing = true;
        if (!committed) {
          connection.rollback();
        }
        open.pop();
        for (Callback each : mine.callbacks) {
          each.afterCompletion(committed);
        }
        connection.setAutoCommit(true);
      }
    }
  }

  /** How many connections Holdfast has not returned. */
  int acquired() {
    return acquired;
  }

  /** How often Holdfast has registered with the current transaction. */
  int registrations() {
    return open.getFirst().callbacks.size();
  }

  @Override
  public Optional<Current> acquire(DataSource asked) {
    Open current = open.peek();
    if (current == null || current.completing) {
      return Optional.empty();
    }
    if (asked != dataSource) {
      throw new TransactionStateException(
          TransactionStateException.Reason.MISMATCH, "a transaction of another data source");
    }
    acquired++;
    return Optional.of(new Current(current.connection, current.readOnly));
  }

  @Override
  public void release(Connection connection, DataSource asked) {
    acquired--;
  }

  @Override
  public void register(Callback callback) {
    open.getFirst().callbacks.add(callback);
  }
}
