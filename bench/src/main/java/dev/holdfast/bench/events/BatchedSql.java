package dev.holdfast.bench.events;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * What a queue costs at least: batches claimed and moved to history by hand-written SQL, on a few
 * connections, each claim and each move committed by itself, as it must be when handlers run in
 * between.
 */
abstract class BatchedSql implements Contender {
  static final String TYPE = "noop";
  static final String PAYLOAD = "{\"n\":1}";
  private static final int INSERT_BATCH = 2000;

  private final DataSource dataSource;
  private final Shape shape;

  /** On how many connections, and how many events at a time. */
  record Shape(int connections, int batch) {
    @Override
    public String toString() {
      return connections + "x" + batch;
    }
  }

  BatchedSql(DataSource dataSource, Shape shape) {
    this.dataSource = dataSource;
    this.shape = shape;
  }

  final Shape shape() {
    return shape;
  }

  /** The batches of one connection. */
  @FunctionalInterface
  interface Batches {
    /** Claims, counts and moves up to one batch of due events; answers how many they were. */
    int next(Handled handled) throws SQLException;
  }

  abstract Batches batches(Connection connection) throws SQLException;

  /** Stores this many events and commits. */
  abstract void insert(Connection connection, int events) throws SQLException;

  @Override
  public final void enqueue(int events) throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      for (int left = events; left > 0; left -= INSERT_BATCH) {
        insert(connection, Math.min(left, INSERT_BATCH));
      }
    }
  }

  @Override
  public final Duration drain(int events) throws InterruptedException, ExecutionException {
    Handled handled = new Handled(events);
    ExecutorService threads = Executors.newFixedThreadPool(shape.connections());
    try {
      List<Future<@Nullable Void>> workers = new ArrayList<>();
      for (int worker = 0; worker < shape.connections(); worker++) {
        workers.add(threads.submit(() -> work(handled)));
      }
      for (Future<@Nullable Void> worker : workers) {
        worker.get();
      }
      return handled.sinceFirst();
    } finally {
      threads.shutdownNow();
    }
  }

  /** Until nothing is due: what is not claimable then, the other connection has claimed. */
  private @Nullable Void work(Handled handled) throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      Batches batches = batches(connection);
      int moved;
      do {
        moved = batches.next(handled);
      } while (moved > 0);
    }
    return null;
  }

  @Override
  public final void close() {}

  static void requireAll(int written, int expected) {
    if (written != expected) {
      throw new IllegalStateException(
          "all %d rows of a batch must be written, was %d".formatted(expected, written));
    }
  }
}
