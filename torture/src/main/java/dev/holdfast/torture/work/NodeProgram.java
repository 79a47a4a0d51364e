package dev.holdfast.torture.work;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.Holdfast;
import dev.holdfast.torture.history.History;
import dev.holdfast.torture.history.Kind;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * The program of a node: a worker or a scheduler, by its name. Arguments: the folder of the
 * histories, the name of the process, the port of its proxy, the lease in milliseconds, the seed.
 *
 * <p>Its JDBC URL has no {@code socketTimeout}. Holdfast has a pool of its own; what the program
 * does by itself in transactions (business rows, fenced writes) uses another one, whose sessions
 * end after a lease without a statement, as a careful application would have it.
 */
public final class NodeProgram {
  private static final int POOL = 30;
  private static final int OWN_POOL = 8;
  private static final long MAX_SLEEP_MILLIS = 1000;

  private NodeProgram() {}

  public static void main(String[] arguments) throws Exception {
    Path folder = Path.of(arguments[0]);
    String process = arguments[1];
    // without loginTimeout the pool waits without a limit for a handshake that gets no answer
    String url =
        "jdbc:postgresql://127.0.0.1:"
            + arguments[2]
            + "/postgres?user=postgres&sslmode=disable&loginTimeout=5";
    Duration lease = Duration.ofMillis(Long.parseLong(arguments[3]));
    Random random = new Random(Long.parseLong(arguments[4]) ^ process.hashCode());
    History history = History.open(folder, process);
    HikariDataSource pool = pool(url, POOL);
    String timeouts = "-c%20idle_in_transaction_session_timeout=%1$d%20-c%20lock_timeout=%1$d";
    HikariDataSource own =
        pool(url + "&options=" + timeouts.replace("%1$d", "" + lease.toMillis()), OWN_POOL);
    Context context = new Context(process, history, connect(pool), own, lease, random, new Pace());
    watchForPauses(history);
    if (process.startsWith("w")) {
      WorkerNode node = new WorkerNode(context);
      node.start();
      history.add(Kind.READY);
      obey(pool, context.pace(), node::stop);
    } else {
      SchedulerNode node = new SchedulerNode(context);
      node.start();
      history.add(Kind.READY);
      obey(pool, context.pace(), () -> {});
    }
    // threads that hang in a silent connection must not keep the process
    Runtime.getRuntime().halt(0);
  }

  /** A machine that is overloaded suspends processes as SIGSTOP does; the checker has to know. */
  private static void watchForPauses(History history) {
    daemon(
        "torture-pauses",
        () -> {
          long before = System.nanoTime();
          while (true) {
            Thread.sleep(100);
            long now = System.nanoTime();
            long millis = (now - before) / 1_000_000;
            if (millis > MAX_SLEEP_MILLIS) {
              history.addAt(now, Kind.PAUSED, millis);
            }
            before = now;
          }
        });
  }

  /** What a thread of a node does. */
  private interface Task {
    void run() throws InterruptedException;
  }

  private static void daemon(String name, Task task) {
    Thread thread =
        new Thread(
            () -> {
              try {
                task.run();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            },
            name);
    thread.setDaemon(true);
    thread.start();
  }

  private static HikariDataSource pool(String url, int size) {
    HikariDataSource pool = new HikariDataSource();
    pool.setJdbcUrl(url);
    pool.setMaximumPoolSize(size);
    pool.setMinimumIdle(2);
    pool.setInitializationFailTimeout(-1);
    return pool;
  }

  /** The database may be away when a process starts. */
  private static Holdfast connect(HikariDataSource pool) throws InterruptedException {
    while (true) {
      try {
        return Holdfast.create(pool);
      } catch (RuntimeException e) {
        Thread.sleep(100);
      }
    }
  }

  private static void obey(HikariDataSource pool, Pace pace, Runnable stop) throws IOException {
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        String[] words = line.split(" ", -1);
        switch (words[0]) {
          case "hold" -> hold(pool, Long.parseLong(words[1]));
          case "quiet" -> pace.end();
          case "stop" -> {
            stop.run();
            return;
          }
          default -> throw new IllegalArgumentException(line);
        }
      }
    }
  }

  /** Takes as many connections of the pool as there are, for some time. */
  private static void hold(HikariDataSource pool, long millis) {
    long end = System.nanoTime() + millis * 1_000_000;
    for (int i = 0; i < POOL; i++) {
      daemon("torture-hold-" + i, () -> holdOne(pool, end));
    }
  }

  /** One that comes too late, because others hold it, is given back at once. */
  private static void holdOne(HikariDataSource pool, long end) throws InterruptedException {
    try (Connection connection = pool.getConnection()) {
      long left = end - System.nanoTime();
      if (left > 0 && !connection.isClosed()) {
        TimeUnit.NANOSECONDS.sleep(left);
      }
    } catch (SQLException e) {
      // it was cut, or others were faster
    }
  }
}
