package dev.holdfast.server;

import dev.holdfast.HoldfastException;
import dev.holdfast.InvalidArgumentException;
import dev.holdfast.server.remote.EventsCommand;
import dev.holdfast.server.remote.QueuesCommand;
import dev.holdfast.server.remote.SchedulesCommand;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.springframework.boot.web.server.PortInUseException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.OptionSpec;

/** Holdfast's program: reads the command line, runs the command, and exits with its code. */
@Command(
    name = "holdfast",
    description = "Durable work for services that run as more than one instance.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    synopsisSubcommandLabel = "COMMAND")
public final class Main implements Runnable {
  private Main() {}

  /** Exits with 0 when all went well, 1 when not, 2 when the command line is wrong. */
  public static void main(String[] arguments) {
    if (arguments.length > 0 && arguments[0].equals("token")) {
      System.setProperty("holdfast.audit.level", "OFF");
    }
    int code = run(List.of(arguments), System.getenv());
    Stopping.exit(code);
  }

  private static int run(List<String> arguments, Map<String, String> environment) {
    Settings settings;
    try {
      settings = Settings.of(arguments, environment, settingNames());
    } catch (InvalidArgumentException e) {
      System.err.println("holdfast: " + e.getMessage());
      return CommandLine.ExitCode.USAGE;
    }
    CommandLine line =
        new CommandLine(new Main())
            .addSubcommand(new ServeCommand(settings))
            .addSubcommand(new MigrateCommand(settings))
            .addSubcommand(TokenCommand.line(settings))
            .addSubcommand(new VersionCommand())
            .addSubcommand(new TrainCommand(settings));
    line.setExecutionExceptionHandler((exception, failed, parsed) -> fail(exception, failed));
    line.setParameterExceptionHandler((exception, unread) -> refuse(exception));
    line.setDefaultValueProvider(settings);
    // after that: the settings of a service are none of theirs
    line.addSubcommand(new EventsCommand())
        .addSubcommand(new SchedulesCommand())
        .addSubcommand(new QueuesCommand());
    line.setUsageHelpAutoWidth(true);
    line.setCaseInsensitiveEnumValuesAllowed(true);
    return line.execute(arguments.toArray(String[]::new));
  }

  /** Says what is wrong and what may have been meant, rather than all that is possible. */
  private static int refuse(CommandLine.ParameterException exception) {
    CommandLine line = exception.getCommandLine();
    line.getErr().println("holdfast: " + exception.getMessage());
    if (exception instanceof CommandLine.UnmatchedArgumentException unmatched) {
      String typed = unmatched.getUnmatched().get(0).replaceFirst("=.*", "");
      Set<String> known = new TreeSet<>(line.getCommandSpec().optionsMap().keySet());
      known.addAll(line.getSubcommands().keySet());
      Closest.to(typed, known)
          .ifPresent(meant -> line.getErr().println("Did you mean '" + meant + "'?"));
    }
    line.getErr().println("See ./" + line.getCommandSpec().qualifiedName() + " --help");
    line.getErr().flush();
    return CommandLine.ExitCode.USAGE;
  }

  /** One line for what somebody can do something about; everything for what nobody expected. */
  private static int fail(Exception exception, CommandLine line) {
    PrintWriter errors = line.getErr();
    Optional<String> known = known(exception);
    if (known.isPresent()) {
      errors.println("holdfast: " + known.get());
    } else {
      errors.println("holdfast: this was not expected, please report it:");
      exception.printStackTrace(errors);
    }
    errors.flush();
    return CommandLine.ExitCode.SOFTWARE;
  }

  private static Optional<String> known(Exception exception) {
    for (Throwable cause = exception; cause != null; cause = cause.getCause()) {
      if (cause instanceof HoldfastException || cause instanceof InvalidArgumentException) {
        return Optional.of(String.valueOf(cause.getMessage()));
      }
      if (cause instanceof PortInUseException taken) {
        return Optional.of(
            "port %d must be free, is in use: give another one with --port"
                .formatted(taken.getPort()));
      }
    }
    return Optional.empty();
  }

  private static Set<String> settingNames() {
    return new CommandLine(new ServeCommand(null))
        .getCommandSpec().options().stream()
            .map(OptionSpec::longestName)
            .filter(name -> !Set.of("--help", "--version", "--config").contains(name))
            .map(name -> name.substring(2))
            .collect(Collectors.toSet());
  }

  @Override
  public void run() {
    CommandLine.usage(this, System.out);
  }
}
