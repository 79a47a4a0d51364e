package dev.holdfast.torture.cluster;

import dev.holdfast.torture.history.History;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Samples the queues four times a second, past the proxies, while the database answers. */
final class Observer implements AutoCloseable {
  private final Database database;
  private final History history;
  private final CountDownLatch closed = new CountDownLatch(1);

  Observer(Database database, History history) {
    this.database = database;
    this.history = history;
  }

  void start() {
    FaultProxy.thread("torture-observer", this::run);
  }

  private void run() {
    try {
      while (!closed.await(250, TimeUnit.MILLISECONDS)) {
        try (Connection connection = database.connect()) {
          while (!closed.await(250, TimeUnit.MILLISECONDS)) {
            Tables.sample(connection, history);
          }
        } catch (SQLException e) {
          // away: the next round connects anew
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    closed.countDown();
  }
}
