package dev.holdfast.server;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.internal.Require;
import dev.holdfast.web.access.Tokens;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ConfigurableApplicationContext;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Serves the API and the dashboard until it is told to stop. */
@Command(
    name = "serve",
    description = "Serve the API and the dashboard until SIGTERM or Ctrl-C.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    footer = {
      "",
      "Every setting can also be given as an environment variable, such as HOLDFAST_PORT or"
          + " HOLDFAST_DATABASE_URL, or in the file of --config, in lines such as port = 7411. The"
          + " command line goes before the environment, the environment before the file.",
      "",
      "/livez, /readyz and /metrics are for monitoring; /metrics needs a token unless"
          + " --metrics-open is set."
    })
final class ServeCommand implements Runnable {
  private static final int DEAD_PART = 10;

  private final @Nullable Settings settings;

  @Mixin DatabaseOptions database = new DatabaseOptions();

  @Option(
      names = "--port",
      paramLabel = "PORT",
      defaultValue = "7411",
      description = "where to listen; 0 for any that is free (default: ${DEFAULT-VALUE})")
  int port;

  @Option(
      names = "--host",
      paramLabel = "ADDRESS",
      defaultValue = "127.0.0.1",
      description =
          "the address to listen on; 0.0.0.0 for all, which a proxy with TLS should stand before"
              + " (default: ${DEFAULT-VALUE})")
  String host = "";

  @Option(
      names = "--health-port",
      paramLabel = "PORT",
      description =
          "a port for /livez and /readyz alone, with threads of its own; 0 for any that is free"
              + " (default: none, they are on --port)")
  @Nullable Integer healthPort;

  @Option(
      names = "--path",
      paramLabel = "PATH",
      defaultValue = "",
      description = "under which all is served, such as /holdfast (default: none)")
  String path = "";

  @Option(
      names = "--instance",
      paramLabel = "NAME",
      description = "what this instance is called (default: the host's name and the port)")
  @Nullable String instance;

  @Option(
      names = "--connections",
      paramLabel = "COUNT",
      defaultValue = "20",
      description = "how many connections to the database at most (default: ${DEFAULT-VALUE})")
  int connections;

  @Option(
      names = "--restart-limit",
      paramLabel = "SECONDS",
      defaultValue = "300",
      description =
          "for how long an embedded PostgreSQL that has ended is tried to be started again before"
              + " the server exits; /livez fails before that (default: ${DEFAULT-VALUE})")
  int restartLimit;

  @Option(
      names = "--shards",
      paramLabel = "COUNT",
      defaultValue = "1",
      description =
          "over how many shards events are spread, for a distributed database; the same for all"
              + " servers, for ever (default: ${DEFAULT-VALUE})")
  int shards;

  @Mixin AccessOptions access = new AccessOptions();

  @Mixin WebhookOptions webhooks = new WebhookOptions();

  @Option(
      names = "--shutdown-timeout",
      paramLabel = "SECONDS",
      defaultValue = "30",
      description = "how long stopping may take (default: ${DEFAULT-VALUE})")
  int shutdownTimeout;

  ServeCommand(@Nullable Settings settings) {
    this.settings = settings;
  }

  /** With these arguments, and the defaults for all else. */
  static ServeCommand parse(Settings settings, String... arguments) {
    ServeCommand command = new ServeCommand(settings);
    new CommandLine(command).parseArgs(arguments);
    return command;
  }

  @Override
  public void run() {
    long start = System.nanoTime();
    Require.between(port, 0, 65535, "port");
    if (healthPort != null) {
      Require.between(healthPort, 0, 65535, "health-port");
    }
    Require.between(connections, 10, 1000, "connections");
    Require.between(restartLimit, 1, 86_400, "restart-limit");
    Require.between(shutdownTimeout, 3, 3600, "shutdown-timeout");
    access.check();
    webhooks.check();
    InetAddress address = address();
    Stopping stopping = Stopping.install(Duration.ofSeconds(shutdownTimeout));
    Database serving =
        stopping.lastly(
            Database.start(database, Require.notNull(settings, "settings"), Progress::say)
                .supervised(Duration.ofSeconds(restartLimit), Stopping::exitLater));
    ConfigurableApplicationContext context =
        stopping.firstly(ServerApplication.start(this, address, serving));
    FirstToken token =
        FirstToken.make(
            context.getBean(Tokens.class),
            access.tokenFile(database),
            Boolean.getBoolean("holdfast.terminal"));
    new Greeting(
            address,
            ServerApplication.port(context),
            ServerApplication.healthPort(context),
            path,
            serving.described(database),
            database.again(),
            token)
        .print(System.out, Duration.ofNanos(System.nanoTime() - start));
    awaitSignal();
  }

  /** For how long an embedded database may be dead before this server is no longer alive. */
  Duration deadLimit() {
    return Duration.ofSeconds(restartLimit).dividedBy(DEAD_PART);
  }

  private InetAddress address() {
    try {
      return InetAddress.getByName(host);
    } catch (UnknownHostException e) {
      throw new InvalidArgumentException(
          "host must be an address or a name of this machine, was '" + host + "'", e);
    }
  }

  private static void awaitSignal() {
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
