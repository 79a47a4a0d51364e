package dev.holdfast.testing.event;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.Holdfast;
import dev.holdfast.event.EventContext;
import dev.holdfast.event.EventHandler;
import dev.holdfast.event.EventType;
import dev.holdfast.event.Worker;
import dev.holdfast.transaction.Transaction;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/**
 * An instance with a worker, as a process of its own. Says {@code ready}, then {@code begun} when a
 * handler of {@link #HELD} runs, which goes on when a line comes in and says {@code cancelled} or
 * {@code finished}, and {@code told} for each {@link #TOLD}. Ends when its input ends, or with
 * {@code exits} when a handler of {@link #EXIT} runs.
 */
final class WorkerProcess {
  /** ManualWorker.Result until somebody lets it go on. */
  static final EventType<String> HELD = EventType.of("held", String.class);

  /** Writes its payload into the table {@code effects}, in the transaction of its event. */
  static final EventType<String> EFFECT = EventType.of("effect", String.class);

  /** Said on its standard output, and done. */
  static final EventType<String> TOLD = EventType.of("told", String.class);

  /** Ends the process by {@link System#exit}, and so stops its worker as a framework would. */
  static final EventType<String> EXIT = EventType.of("exit", String.class);

  /** {@link #EXIT} fails after two crashes. */
  static final int TWO_CRASHES = 2;

  /** Besides the default one, a queue that only this process works on. */
  static final String OWN_QUEUE = "process";

  /** More than any test lets an event see. */
  static final int MAX_CRASHES = 100;

  static final Duration LEASE = Duration.ofSeconds(2);

  private static final CountDownLatch GO = new CountDownLatch(1);

  private WorkerProcess() {}

  public static void main(String[] args) throws IOException {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(args[0]);
    config.setUsername(args[1]);
    config.setPassword(args[2]);
    config.setMaximumPoolSize(8);
    try (HikariDataSource dataSource = new HikariDataSource(config)) {
      Worker worker =
          Holdfast.create(dataSource)
              .worker()
              .leaseDuration(LEASE)
              .pollInterval(Duration.ofMillis(50))
              .maxCrashes(MAX_CRASHES)
              .queue("default", 16)
              .queue(OWN_QUEUE, 1)
              .handle(TOLD, (text, context) -> say("told"))
              .handle(HELD, WorkerProcess::hold)
              .handle(EventHandler.of(EXIT, (text, context) -> exit()).maxCrashes(TWO_CRASHES))
              .handle(EventHandler.transactional(EFFECT, (text, tx, context) -> effect(tx, text)))
              .start();
      Runtime.getRuntime()
          .addShutdownHook(new Thread(() -> worker.stop(Duration.ofMillis(100)), "stopping"));
      say("ready");
      BufferedReader in =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      while (in.readLine() != null) {
        GO.countDown();
      }
      worker.stop(Duration.ofSeconds(10));
    }
  }

  private static void hold(String text, EventContext context) throws InterruptedException {
    say("begun");
    try {
      GO.await();
      say("finished");
    } catch (InterruptedException e) {
      say("cancelled " + context.isOwned());
      throw e;
    }
  }

  private static void exit() {
    say("exits");
    System.exit(0);
  }

  static void effect(Transaction tx, String text) throws SQLException {
    try (PreparedStatement insert =
        tx.connection().prepareStatement("insert into effects (text) values (?)")) {
      insert.setString(1, text);
      insert.executeUpdate();
    }
  }

  private static synchronized void say(String word) {
    System.out.println(word);
    System.out.flush();
  }
}
