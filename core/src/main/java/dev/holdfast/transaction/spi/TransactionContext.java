package dev.holdfast.transaction.spi;

import dev.holdfast.transaction.TransactionStateException;
import java.sql.Connection;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * Connects Holdfast to the transactions of a framework, so that its calls join them. Never begins,
 * commits or rolls back a transaction. Implementations must be thread-safe.
 */
public interface TransactionContext {
  /** Knows of no transactions: calls join those of Holdfast only. */
  TransactionContext NONE =
      new TransactionContext() {
        @Override
        public Optional<Current> acquire(DataSource dataSource) {
          return Optional.empty();
        }

        @Override
        public void release(Connection connection, DataSource dataSource) {}

        @Override
        public void register(Callback callback) {
          throw new UnsupportedOperationException("there is no transaction");
        }
      };

  /**
   * The transaction that the calling thread is in on this data source. Empty if there is none, or
   * if it has started to commit or to roll back. Its connection must stay usable until the
   * transaction is completed, also after {@link #release}.
   *
   * @throws TransactionStateException if a transaction is active that does not use this data
   *     source; Holdfast reports it for writes and ignores it for reads
   */
  Optional<Current> acquire(DataSource dataSource);

  /**
   * The transaction that a thread is in.
   *
   * @param readOnly whether Holdfast must refuse to write in it
   */
  record Current(Connection connection, boolean readOnly) {}

  /** Returns the connection after one call of Holdfast. The framework keeps owning it. */
  void release(Connection connection, DataSource dataSource);

  /**
   * Registers a callback with the transaction that was acquired. Called at most once per
   * transaction, and always while it is acquired.
   */
  void register(Callback callback);

  /** Learns about the end of a transaction. */
  interface Callback {
    /** Before the framework commits. An exception must make it roll back. */
    void beforeCommit();

    /** After the end, whatever it was. Must always be called, by the thread of the transaction. */
    void afterCompletion(boolean committed);
  }
}
