package dev.holdfast.torture.cluster;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.embedded.internal.Binaries;
import dev.holdfast.torture.Options;
import dev.holdfast.torture.check.Checker;
import dev.holdfast.torture.check.Verdict;
import dev.holdfast.torture.history.Entry;
import dev.holdfast.torture.history.History;
import dev.holdfast.torture.history.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One run: starts the database and the nodes, injects faults under load, ends the load, waits until
 * everything is drained, writes down what is there, and has it judged.
 */
public final class TortureRun {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final long DRAIN_NANOS = 60 * SECOND;

  /** Five JVMs that start at once are slow; what they do is judged, but for how fast. */
  private static final long WARM_UP_NANOS = 15 * SECOND;

  private final Options options;
  private final History history;
  private final List<Node> nodes = new ArrayList<>();

  private TortureRun(Options options, History history) {
    this.options = options;
    this.history = history;
  }

  /** Makes the folder of the run anew. */
  public static TortureRun of(Options options) throws IOException {
    Binaries.delete(options.folder());
    Files.createDirectories(options.folder());
    return new TortureRun(options, History.open(options.folder(), "main"));
  }

  public Verdict run() throws IOException, InterruptedException {
    say(
        "seed %d, %.1f minutes, lease %.1f s, %d workers, %d schedulers, load of the machine %s"
            .formatted(
                options.seed(),
                options.minutes(),
                options.lease().toMillis() / 1000.0,
                options.workers(),
                options.schedulers(),
                loadAverage()));
    history.add(Kind.SETTING, "lease-millis", options.lease().toMillis());
    history.add(Kind.SETTING, "limit", Tables.LIMIT);
    try (Database database = Database.create(options.folder());
        HikariDataSource direct = direct(database)) {
      Thread hook = new Thread(this::killNodes, "torture-shutdown");
      Runtime.getRuntime().addShutdownHook(hook);
      try {
        Tables.create(direct);
        run(database, direct);
      } catch (SQLException e) {
        throw new IOException("the database of the run failed", e);
      } finally {
        killNodes();
        Runtime.getRuntime().removeShutdownHook(hook);
      }
    }
    say("checking; load of the machine " + loadAverage());
    history.close();
    return Checker.judge(History.readAll(options.folder()));
  }

  private static HikariDataSource direct(Database database) {
    HikariDataSource pool = new HikariDataSource();
    pool.setJdbcUrl(
        "jdbc:postgresql://127.0.0.1:"
            + database.port()
            + "/postgres?user=postgres&sslmode=disable&ApplicationName=torture&socketTimeout=30");
    pool.setMaximumPoolSize(3);
    pool.setMinimumIdle(0);
    return pool;
  }

  private void run(Database database, HikariDataSource direct)
      throws IOException, InterruptedException, SQLException {
    startNodes(database);
    await("the nodes do not start", 3 * 60, this::areReady);
    try (Observer observer = new Observer(database, history)) {
      observer.start();
      load(database, direct);
    }
    for (Node node : nodes) {
      node.tell("stop");
    }
    for (Node node : nodes) {
      if (!node.await(60)) {
        say(node.name() + " has not stopped within 60 s; it is killed");
      }
    }
    killNodes();
    long epoch = System.nanoTime() - System.currentTimeMillis() * 1_000_000L;
    try (Connection connection = direct.getConnection()) {
      Tables.dump(connection, history, epoch);
    }
  }

  private void load(Database database, HikariDataSource direct) throws InterruptedException {
    Tables.startSchedule(direct);
    TimeUnit.NANOSECONDS.sleep(WARM_UP_NANOS);
    history.add(Kind.LOAD_BEGIN);
    FaultInjector faults = new FaultInjector(options, nodes, database, history);
    Progress progress = Progress.start(options.folder(), faults::count);
    long until = System.nanoTime() + (long) (options.minutes() * 60 * SECOND);
    faults.run(until);
    sleepUntil(until);
    history.add(Kind.LOAD_END);
    say("draining");
    nodes.forEach(node -> node.tell("quiet"));
    Tables.endSchedule(direct);
    drain(database);
    progress.end();
  }

  private void startNodes(Database database) throws IOException {
    Path home = Path.of(System.getProperty("java.home"));
    Path ours = home.resolve("bin/java");
    Path newest = newest(home.getParent(), ours);
    List<String> arguments =
        List.of(Long.toString(options.lease().toMillis()), Long.toString(options.seed()));
    for (int i = 1; i <= options.workers() + options.schedulers(); i++) {
      boolean worker = i <= options.workers();
      String name = worker ? "w" + i : "s" + (i - options.workers());
      FaultProxy proxy = FaultProxy.start(name, database.port());
      Path java = i == 1 ? newest : ours;
      Node node = new Node(name, java, options.folder(), proxy, arguments);
      nodes.add(node);
      node.start();
    }
    say("w1 runs on " + newest + ", the others on " + ours);
  }

  /** A JDK 25 beside ours, where there is one. */
  private static Path newest(@Nullable Path folder, Path ours) throws IOException {
    if (folder == null) {
      return ours;
    }
    try (Stream<Path> beside = Files.list(folder)) {
      return beside
          .filter(jdk -> folder.relativize(jdk).toString().contains("25"))
          .map(jdk -> jdk.resolve("bin/java"))
          .filter(Files::isExecutable)
          .findFirst()
          .orElse(ours);
    }
  }

  private boolean areReady() {
    return nodes.stream()
        .allMatch(
            node -> {
              Path file = options.folder().resolve(node.processName() + ".history");
              try {
                return Files.exists(file)
                    && Files.readString(file).lines().map(Entry::parse).anyMatch(TortureRun::ready);
              } catch (IOException | IllegalArgumentException e) {
                return false;
              }
            });
  }

  private static boolean ready(Entry entry) {
    return entry.kind() == Kind.READY;
  }

  /** What does not end by itself is helped once, so that it is told apart from what is lost. */
  private void drain(Database database) throws InterruptedException {
    long limit = DRAIN_NANOS + 4 * options.lease().toNanos();
    if (!drained(database, limit)) {
      say("not drained; all sessions are ended once");
      nodes.forEach(node -> node.proxy().giveUpAll());
      database.terminateSessions();
      if (!drained(database, limit)) {
        say("still not drained");
      }
    }
  }

  private static boolean drained(Database database, long limitNanos) throws InterruptedException {
    long deadline = System.nanoTime() + limitNanos;
    while (System.nanoTime() - deadline < 0) {
      try (Connection connection = database.connect()) {
        if (Tables.live(connection) == 0) {
          return true;
        }
      } catch (SQLException e) {
        say("the database does not answer: " + e.getMessage());
      }
      Thread.sleep(500);
    }
    return false;
  }

  private static void await(String problem, int seconds, BooleanSupplier condition)
      throws InterruptedException {
    long deadline = System.nanoTime() + seconds * SECOND;
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        throw new IllegalStateException(problem + " within " + seconds + " s");
      }
      Thread.sleep(100);
    }
  }

  private static void sleepUntil(long nanos) throws InterruptedException {
    long left = nanos - System.nanoTime();
    if (left > 0) {
      TimeUnit.NANOSECONDS.sleep(left);
    }
  }

  private void killNodes() {
    for (Node node : nodes) {
      try {
        node.close();
      } catch (IOException e) {
        say(node.name() + " cannot be ended: " + e);
      }
    }
  }

  static String loadAverage() {
    try {
      return Files.readString(Path.of("/proc/loadavg")).split(" ", -1)[0];
    } catch (IOException e) {
      return "unknown";
    }
  }

  static void say(String text) {
    System.out.println("torture: " + text);
    System.out.flush();
  }
}
