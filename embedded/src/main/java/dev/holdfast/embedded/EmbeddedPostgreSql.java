package dev.holdfast.embedded;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import dev.holdfast.embedded.internal.Binaries;
import dev.holdfast.embedded.internal.Detached;
import dev.holdfast.embedded.internal.PostgreSqlPrograms;
import dev.holdfast.embedded.internal.User;
import dev.holdfast.internal.Require;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A durable PostgreSQL as a child process, which keeps its data in a folder.
 *
 * <p>Guarantee: what is committed is there at the next start, however this one ended. There is
 * never more than one server on a folder: a second start is refused as long as the process lives
 * that made the first, and what a killed process has left running is stopped before another server
 * is started. It listens on the loopback address only, on another port after each start, with a
 * random password that only the owner of the folder can read. A supervised one is started again
 * when it ends, on the same port. Not guaranteed: that the server ends when this process is killed;
 * the next start takes care of it.
 *
 * <p>Settings are for a small machine: 64 MB of shared buffers, 100 connections, {@code fsync},
 * {@code synchronous_commit} and {@code full_page_writes} on. There is one for Linux on amd64 only.
 * Also for root, who runs it without privileges. Thread-safe.
 */
public final class EmbeddedPostgreSql implements AutoCloseable {
  private static final int MAJOR = 18;
  private static final int PORTS_TO_TRY = 5;
  private static final Duration INITIALIZE_LIMIT = Duration.ofMinutes(2);

  /** Recovery after a crash reads what was written since the last checkpoint. */
  private static final Duration START_LIMIT = Duration.ofMinutes(5);

  private static final Map<String, String> SETTINGS =
      Map.ofEntries(
          Map.entry("fsync", "on"),
          Map.entry("synchronous_commit", "on"),
          Map.entry("full_page_writes", "on"),
          Map.entry("shared_buffers", "64MB"),
          Map.entry("max_connections", "100"),
          Map.entry("jit", "off"),
          Map.entry("log_checkpoints", "off"),
          Map.entry("log_line_prefix", "%m "));

  private final FolderLock lock;
  private final Postmaster postmaster;
  private final EmbeddedAddress address;
  private final Server server;
  private volatile @Nullable Supervisor supervisor;

  private EmbeddedPostgreSql(
      FolderLock lock, Postmaster postmaster, EmbeddedAddress address, Server server) {
    this.lock = lock;
    this.postmaster = postmaster;
    this.address = address;
    this.server = server;
  }

  /** A server that was started, and what it takes to start it again. */
  private record Server(
      DataFolder data,
      PostgreSqlPrograms programs,
      Postmaster postmaster,
      int port,
      Process process) {

    /** On the same port, which is a part of the address. */
    Process startAgain() throws IOException, InterruptedException {
      postmaster.stop();
      postmaster.forgetIfGone();
      long logged = data.log().toFile().length();
      Process again =
          run(
              data,
              programs.serve(data.database(), port, SETTINGS),
              ProcessBuilder.Redirect.appendTo(data.log().toFile()));
      boolean ready = false;
      try {
        ready = awaitReady(data, again, () -> postmaster.port().isPresent());
      } finally {
        if (!ready) {
          again.destroyForcibly();
        }
      }
      if (!ready) {
        throw EmbeddedException.failed(
            "PostgreSQL ended with code %d in %s. It wrote:%n%s"
                .formatted(again.exitValue(), data.path(), data.logSince(logged)),
            null);
      }
      return again;
    }
  }

  /**
   * Starts it on a folder, which is made where it is missing, and returns when it is ready.
   *
   * @param cache where the programs are unpacked once
   * @param progress is told of what takes a moment
   * @throws EmbeddedException where the folder is used by another process or is not ours, or
   *     PostgreSQL does not start; the message says what to do
   */
  public static EmbeddedPostgreSql start(Path folder, Path cache, Consumer<String> progress) {
    Require.notNull(folder, "folder");
    Require.notNull(cache, "cache");
    Require.notNull(progress, "progress");
    DataFolder data = new DataFolder(folder.toAbsolutePath().normalize());
    FolderLock lock = null;
    boolean started = false;
    try {
      data.prepare();
      lock = FolderLock.take(data.path());
      EmbeddedPostgreSql server = start(data, lock, cache.toAbsolutePath(), progress);
      started = true;
      return server;
    } catch (IOException e) {
      throw EmbeddedException.failed("cannot keep data in " + folder + ": " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw EmbeddedException.failed("interrupted while starting PostgreSQL on " + folder, e);
    } finally {
      if (!started) {
        close(lock);
      }
    }
  }

  /** Where the one is that a process has running on this folder; empty where none runs. */
  public static Optional<EmbeddedAddress> running(Path folder) {
    DataFolder data = new DataFolder(folder.toAbsolutePath().normalize());
    try {
      if (!data.exists() || !FolderLock.isTaken(data.path()) || !Files.exists(data.database())) {
        return Optional.empty();
      }
      Optional<Integer> port = new Postmaster(data.database()).port();
      return port.isEmpty()
          ? Optional.empty()
          : Optional.of(EmbeddedAddress.of(port.get(), data.password()));
    } catch (IOException e) {
      throw EmbeddedException.failed("cannot read " + folder + ": " + e.getMessage(), e);
    }
  }

  /** Where programs are unpacked unless another folder is given: in the user's cache. */
  public static Path defaultCache() {
    if (User.isRoot()) {
      return Path.of("/var/cache/holdfast"); // the user nobody must be able to run them
    }
    String given = System.getenv("XDG_CACHE_HOME");
    Path base =
        given == null || given.isBlank()
            ? Path.of(System.getProperty("user.home"), ".cache")
            : Path.of(given);
    return base.resolve("holdfast");
  }

  /**
   * Starts it again whenever it ends before it is closed: killed, or because its disk is full. To
   * be called once.
   *
   * @param limit for how long it is tried, each time
   * @param log is told what happens
   * @param gaveUp is run once, by another thread, where it could not be started within the limit
   */
  public void supervise(Duration limit, Consumer<String> log, Runnable gaveUp) {
    Require.that(supervisor == null, () -> "an embedded database must be supervised once");
    supervisor = new Supervisor(server.process, server::startAgain, limit, log, gaveUp).begin();
  }

  /** For how long it is dead and could not be started again; empty where it is well. */
  public Optional<Duration> deadFor() {
    Supervisor watching = supervisor;
    return watching == null ? Optional.empty() : watching.deadFor();
  }

  public EmbeddedAddress address() {
    return address;
  }

  /** Stops it, with all that is committed written, and lets go of the folder. */
  @Override
  public void close() {
    Supervisor watching = supervisor;
    if (watching != null) {
      watching.close();
    }
    try {
      postmaster.stop();
    } catch (IOException e) {
      throw EmbeddedException.failed("cannot stop PostgreSQL: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      close(lock);
    }
  }

  /** As if this process had been killed, but for the lock, which a test lets go of. */
  FolderLock abandon() {
    return lock;
  }

  private static EmbeddedPostgreSql start(
      DataFolder data, FolderLock lock, Path cache, Consumer<String> progress)
      throws IOException, InterruptedException {
    data.makePassword();
    Binaries binaries = Binaries.in(cache, kind -> "give a database with --database-url", progress);
    Postmaster postmaster = new Postmaster(data.database());
    if (Files.exists(data.database())) {
      data.requireVersion(MAJOR);
      postmaster.stop();
      postmaster.forgetIfGone();
    }
    PostgreSqlPrograms programs = PostgreSqlPrograms.of(binaries, data.path());
    if (!Files.exists(data.database())) {
      initialize(data, programs, progress);
    }
    Server server = serve(data, programs, postmaster);
    return new EmbeddedPostgreSql(
        lock, postmaster, EmbeddedAddress.of(server.port, data.password()), server);
  }

  private static void initialize(
      DataFolder data, PostgreSqlPrograms programs, Consumer<String> progress)
      throws IOException, InterruptedException {
    progress.accept("making a database in " + data.path());
    Binaries.delete(data.unfinishedDatabase());
    Process process =
        run(
            data,
            programs.initialize(
                data.unfinishedDatabase(),
                List.of("--auth=scram-sha-256", "--pwfile=" + data.passwordFile())),
            data.newLog());
    if (!process.waitFor(INITIALIZE_LIMIT.toMillis(), MILLISECONDS)) {
      process.destroyForcibly();
      throw failed(data, "making a database has not ended within " + INITIALIZE_LIMIT);
    }
    if (process.exitValue() != 0) {
      throw failed(data, "making a database ended with code " + process.exitValue());
    }
    Files.move(data.unfinishedDatabase(), data.database(), StandardCopyOption.ATOMIC_MOVE);
  }

  /** Another process may take the free port before the server does: then it is tried again. */
  private static Server serve(DataFolder data, PostgreSqlPrograms programs, Postmaster postmaster)
      throws IOException, InterruptedException {
    for (int attempt = 1; ; attempt++) {
      int port = freePort();
      Process process = run(data, programs.serve(data.database(), port, SETTINGS), data.newLog());
      if (awaitReady(data, process, data::saysReady)) {
        return new Server(data, programs, postmaster, port, process);
      }
      if (attempt == PORTS_TO_TRY) {
        throw failed(data, "PostgreSQL ended with code " + process.exitValue());
      }
    }
  }

  private static Process run(DataFolder data, List<String> command, ProcessBuilder.Redirect output)
      throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(Detached.command(command))
            .directory(data.path().toFile())
            .redirectErrorStream(true)
            .redirectOutput(output);
    builder.environment().put("LC_ALL", "C");
    Process process = builder.start();
    process.getOutputStream().close();
    return process;
  }

  private interface Readiness {
    boolean isReady() throws IOException;
  }

  /** Returns false where the server has ended instead. */
  private static boolean awaitReady(DataFolder data, Process process, Readiness readiness)
      throws IOException, InterruptedException {
    long start = System.nanoTime();
    while (!readiness.isReady()) {
      if (process.waitFor(10, MILLISECONDS)) {
        return false;
      }
      if (System.nanoTime() - start > START_LIMIT.toNanos()) {
        process.destroyForcibly();
        throw failed(data, "PostgreSQL is not ready within " + START_LIMIT);
      }
    }
    return true;
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static EmbeddedException failed(DataFolder data, String what) throws IOException {
    return EmbeddedException.failed(
        "%s in %s. It wrote:%n%s".formatted(what, data.path(), Files.readString(data.log())), null);
  }

  private static void close(@Nullable FolderLock lock) {
    try {
      if (lock != null) {
        lock.close();
      }
    } catch (IOException e) {
      throw EmbeddedException.failed("cannot let go of the data folder: " + e.getMessage(), e);
    }
  }
}
