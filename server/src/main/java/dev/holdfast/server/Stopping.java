package dev.holdfast.server;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * How the server stops, by a signal or by an error: first the application, which stops its worker
 * before its web server, then the database. Whatever has not come to an end within the limit is
 * left behind. After a signal the exit code is 0, where all came to its end.
 */
final class Stopping {
  private static final int LATE = 1;
  private static final int CANNOT_GO_ON = 1;
  private static volatile boolean exiting;

  private final Duration limit;
  private @Nullable ConfigurableApplicationContext application;
  private @Nullable Database database;

  private Stopping(Duration limit) {
    this.limit = limit;
  }

  /** From now on what is added here is stopped when the JVM ends. */
  static Stopping install(Duration limit) {
    Stopping stopping = new Stopping(limit);
    Runtime.getRuntime().addShutdownHook(new Thread(stopping::run, "holdfast-stop"));
    return stopping;
  }

  /** Ends the JVM with this code. */
  static void exit(int code) {
    exiting = true;
    System.exit(code);
  }

  /** Ends the JVM because it cannot go on, by another thread: this one may have to end first. */
  static void exitLater() {
    new Thread(() -> exit(CANNOT_GO_ON), "holdfast-exit").start();
  }

  synchronized ConfigurableApplicationContext firstly(ConfigurableApplicationContext started) {
    application = started;
    return started;
  }

  synchronized Database lastly(Database started) {
    database = started;
    return started;
  }

  private void run() {
    Thread watch = new Thread(this::endLate, "holdfast-stop-limit");
    watch.setDaemon(true);
    watch.start();
    synchronized (this) {
      if (application != null) {
        if (database != null && database.deadFor().isPresent()) {
          // whoever waits for a connection would do so until the limit
          application.getBean(HikariDataSource.class).close();
        }
        application.close();
      }
      if (database != null) {
        database.close();
      }
    }
    if (!exiting) {
      Progress.say("stopped");
      // else the exit code would be that of the signal
      Runtime.getRuntime().halt(0);
    }
  }

  private void endLate() {
    try {
      Thread.sleep(limit.toMillis());
      Progress.say("not stopped within " + limit.toSeconds() + " s; ending anyway");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    Runtime.getRuntime().halt(LATE);
  }
}
