package dev.holdfast.race.internal.explore;

import dev.holdfast.race.internal.run.ThreadSnapshot;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.sql.DataSource;

/**
 * A connection that the race finder needs for itself, from the data source under test. If its pool
 * has none left, that is said at once, and not after the pool's own timeout.
 */
final class OwnConnection {
  private static final long LOOK_AFTER_SECONDS = 2;

  private OwnConnection() {}

  static Connection of(DataSource dataSource) {
    CompletableFuture<Connection> taken = new CompletableFuture<>();
    Thread taker = new Thread(() -> take(dataSource, taken), "race finder");
    taker.setDaemon(true);
    taker.start();
    try {
      return await(taken, taker);
    } catch (ExecutionException failed) {
      throw new Unexplorable(
          "the data source provides no connection: " + messageOf(failed.getCause()),
          failed.getCause());
    } catch (InterruptedException e) {
      giveUp(taken, taker);
      Thread.currentThread().interrupt();
      throw new Unexplorable("the race finder was interrupted");
    }
  }

  private static String messageOf(@org.jspecify.annotations.Nullable Throwable cause) {
    return cause == null ? "" : String.valueOf(cause.getMessage());
  }

  private static Connection await(CompletableFuture<Connection> taken, Thread taker)
      throws ExecutionException, InterruptedException {
    while (true) {
      try {
        return taken.get(LOOK_AFTER_SECONDS, TimeUnit.SECONDS);
      } catch (TimeoutException notYet) {
        if (ThreadSnapshot.at(taker).waitsForPool()) {
          giveUp(taken, taker);
          throw new Unexplorable(
              "the pool has no connection left for the race finder, which needs two in addition to"
                  + " those of the actors: raise its size (maximumPoolSize) for this test, and"
                  + " close the connections that the test itself has taken");
        }
      }
    }
  }

  private static void take(DataSource dataSource, CompletableFuture<Connection> taken) {
    try {
      Connection connection = dataSource.getConnection();
      if (!taken.complete(connection)) {
        connection.close();
      }
    } catch (SQLException | RuntimeException failed) {
      taken.completeExceptionally(failed);
    }
  }

  /** A connection that arrives later is closed. */
  private static void giveUp(CompletableFuture<Connection> taken, Thread taker) {
    taken.cancel(false);
    taker.interrupt();
  }
}
