package dev.holdfast.torture.cluster;

import dev.holdfast.embedded.internal.Binaries;
import dev.holdfast.embedded.internal.PostgreSqlPrograms;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A durable PostgreSQL as a process of its own, which can be killed, frozen and started again on
 * the same port. For one thread, but for {@link #connect}.
 */
final class Database implements AutoCloseable {
  private static final long START_LIMIT_NANOS = TimeUnit.MINUTES.toNanos(3);
  private static final Map<String, String> DURABLE =
      Map.ofEntries(
          Map.entry("fsync", "on"),
          Map.entry("synchronous_commit", "on"),
          Map.entry("full_page_writes", "on"),
          Map.entry("shared_buffers", "64MB"),
          Map.entry("max_connections", "300"),
          Map.entry("jit", "off"),
          Map.entry("log_line_prefix", "%m [%p] "));

  private final Path data;
  private final Path log;
  private final PostgreSqlPrograms programs;
  private final int port;
  private @Nullable Process process;

  private Database(Path data, Path log, PostgreSqlPrograms programs, int port) {
    this.data = data;
    this.log = log;
    this.programs = programs;
    this.port = port;
  }

  static Database create(Path folder) throws IOException, InterruptedException {
    Path data = folder.toAbsolutePath().normalize().resolve("postgresql");
    Files.createDirectories(folder);
    Binaries binaries =
        Binaries.in(
            Path.of(System.getProperty("java.io.tmpdir"), "holdfast-torture-binaries"),
            kind -> "torture needs Linux on amd64",
            line -> {});
    PostgreSqlPrograms programs = PostgreSqlPrograms.of(binaries, folder);
    Database database = new Database(data, folder.resolve("postgresql.log"), programs, freePort());
    Process initialize =
        database.run(programs.initialize(data, List.of("--auth=trust", "--no-sync")));
    if (initialize.waitFor() != 0) {
      throw new IOException("initdb has failed: " + Files.readString(database.log));
    }
    database.start();
    return database;
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private Process run(List<String> command) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    builder.environment().put("LC_ALL", "C");
    return builder.start();
  }

  int port() {
    return port;
  }

  /** Without a proxy; a statement that takes longer than 5 s fails. */
  Connection connect() throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("user", "postgres");
    properties.setProperty("sslmode", "disable");
    properties.setProperty("connectTimeout", "3");
    properties.setProperty("socketTimeout", "5");
    properties.setProperty("ApplicationName", "torture");
    return DriverManager.getConnection(
        "jdbc:postgresql://127.0.0.1:" + port + "/postgres", properties);
  }

  /**
   * Starts it, again and again where the processes before have not quite gone, until it answers.
   */
  void start() throws IOException, InterruptedException {
    long deadline = System.nanoTime() + START_LIMIT_NANOS;
    while (true) {
      if (process == null || !process.isAlive()) {
        process = run(programs.serve(data, port, DURABLE));
      }
      if (process.waitFor(100, TimeUnit.MILLISECONDS)) {
        Thread.sleep(200);
      } else if (answers()) {
        return;
      }
      if (System.nanoTime() - deadline > 0) {
        throw new IOException("PostgreSQL does not start; see " + log);
      }
    }
  }

  private boolean answers() {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      return statement.execute("SELECT 1");
    } catch (SQLException e) {
      return false;
    }
  }

  private List<Long> pids() {
    Process running = process;
    if (running == null) {
      return List.of();
    }
    List<Long> pids = new ArrayList<>();
    pids.add(running.pid());
    try (Stream<ProcessHandle> children = running.descendants()) {
      children.map(ProcessHandle::pid).forEach(pids::add);
    }
    return pids;
  }

  void killAll() throws IOException, InterruptedException {
    // stopped first, so that it starts no process that is not seen
    Signals.send("STOP", pids().subList(0, 1));
    Signals.send("KILL", pids());
    awaitEnd();
    killRemaining();
  }

  /** The others end by themselves when they notice. */
  void killPostmaster() throws IOException, InterruptedException {
    Signals.send("KILL", pids().subList(0, 1));
    awaitEnd();
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(2);
    while (!remaining().isEmpty() && System.nanoTime() - deadline < 0) {
      Thread.sleep(50);
    }
    killRemaining();
  }

  void stopImmediately() throws IOException, InterruptedException {
    Signals.send("QUIT", pids().subList(0, 1));
    awaitEnd();
    killRemaining();
  }

  /** What one process of the server still holds, another may wait for without end: none is left. */
  private void killRemaining() throws IOException, InterruptedException {
    for (List<Long> left = remaining(); !left.isEmpty(); left = remaining()) {
      Signals.send("KILL", left);
      Thread.sleep(50);
    }
  }

  /** The processes that work in the folder of the data, whoever is their parent now. */
  private List<Long> remaining() {
    try (Stream<ProcessHandle> all = ProcessHandle.allProcesses()) {
      return all.map(ProcessHandle::pid).filter(this::worksHere).toList();
    }
  }

  private boolean worksHere(long pid) {
    try {
      return Files.readSymbolicLink(Path.of("/proc/" + pid + "/cwd")).equals(data);
    } catch (IOException e) {
      // it has ended, or is another user's
      return false;
    }
  }

  void freeze() throws IOException, InterruptedException {
    // twice: a process that was being started is found the second time
    Signals.send("STOP", pids());
    Signals.send("STOP", pids());
  }

  void thaw() throws IOException, InterruptedException {
    Signals.send("CONT", pids());
  }

  void terminateSessions() {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute(
          """
          SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
            AND application_name <> 'torture'""");
    } catch (SQLException e) {
      // it is away, which is worse
    }
  }

  private void awaitEnd() throws InterruptedException {
    Process running = process;
    if (running != null) {
      running.waitFor(1, TimeUnit.MINUTES);
    }
  }

  @Override
  public void close() throws IOException {
    try {
      if (process != null && process.isAlive()) {
        thaw();
        Signals.send("QUIT", pids().subList(0, 1));
        awaitEnd();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
