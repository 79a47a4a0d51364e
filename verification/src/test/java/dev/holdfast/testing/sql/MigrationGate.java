package dev.holdfast.testing.sql;

import static java.util.concurrent.TimeUnit.SECONDS;

import dev.holdfast.testing.InterceptingDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

/** Stops a migrator, with all that it has locked, before one of its statements. */
final class MigrationGate implements InterceptingDataSource.Watch {
  /** What a migrator dies of whose process is killed. */
  static final class Killed extends Error {
    private static final long serialVersionUID = 1L;
  }

  private final String statement;
  private final CountDownLatch reached = new CountDownLatch(1);
  private final CountDownLatch decided = new CountDownLatch(1);
  private final Set<Connection> connections = ConcurrentHashMap.newKeySet();
  private volatile boolean killed;

  MigrationGate(String statement) {
    this.statement = statement;
  }

  void awaitReached() throws InterruptedException {
    if (!reached.await(30, SECONDS)) {
      throw new AssertionError("no migrator has come to: " + statement);
    }
  }

  void open() {
    decided.countDown();
  }

  /** The migrator loses its connections and runs nothing any more. */
  void kill() {
    killed = true;
    decided.countDown();
  }

  @Override
  public void before(Connection connection, String sql) throws SQLException {
    connections.add(connection);
    if (!sql.contains(statement)) {
      return;
    }
    reached.countDown();
    try {
      if (!decided.await(60, SECONDS)) {
        throw new AssertionError("nobody has opened the gate before: " + statement);
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    if (killed) {
      for (Connection lost : connections) {
        lost.abort(Runnable::run);
        lost.close();
      }
      throw new Killed();
    }
  }
}
