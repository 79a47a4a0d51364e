package dev.holdfast.server;

import dev.holdfast.InvalidArgumentException;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * What is not said on the command line: by environment variables, and by a file of lines such as
 * {@code port = 7411}. The command line goes before the environment, the environment before the
 * file.
 */
final class Settings implements IDefaultValueProvider {
  /** Never on the command line, where other users of the machine could see it. */
  static final String PASSWORD = "database-password";

  private static final Set<String> WITHOUT_DEFAULT = Set.of("help", "version", "config");

  private final Map<String, String> environment;
  private final Properties file;

  private Settings(Map<String, String> environment, Properties file) {
    this.environment = environment;
    this.file = file;
  }

  /**
   * Reads the file that {@code --config} or {@code HOLDFAST_CONFIG} names, if any.
   *
   * @throws InvalidArgumentException where it cannot be read or says something that is not known
   */
  static Settings of(List<String> arguments, Map<String, String> environment, Set<String> known) {
    Properties file = new Properties();
    Optional<String> path =
        given(arguments).or(() -> Optional.ofNullable(environment.get(variable("config"))));
    path.ifPresent(name -> read(Path.of(name), file));
    Set<String> unknown = new TreeSet<>(file.stringPropertyNames());
    unknown.removeAll(known);
    unknown.remove(PASSWORD);
    if (!unknown.isEmpty()) {
      throw new InvalidArgumentException(
          "the settings in %s must be among %s; not known: %s"
              .formatted(path.orElse(""), new TreeSet<>(known), unknown));
    }
    return new Settings(environment, file);
  }

  /** The environment variable of a setting. */
  static String variable(String name) {
    return "HOLDFAST_" + name.toUpperCase(Locale.ROOT).replace('-', '_');
  }

  Optional<String> get(String name) {
    return Optional.ofNullable(environment.get(variable(name)))
        .or(() -> Optional.ofNullable(file.getProperty(name)))
        .map(String::strip)
        .filter(value -> !value.isEmpty());
  }

  @Override
  public @Nullable String defaultValue(ArgSpec argument) {
    if (!(argument instanceof OptionSpec option)) {
      return null;
    }
    String name = option.longestName().substring(2);
    return WITHOUT_DEFAULT.contains(name) ? null : get(name).orElse(null);
  }

  private static Optional<String> given(List<String> arguments) {
    for (int i = 0; i < arguments.size(); i++) {
      String argument = arguments.get(i);
      if (argument.startsWith("--config=")) {
        return Optional.of(argument.substring("--config=".length()));
      }
      if (argument.equals("--config") && i + 1 < arguments.size()) {
        return Optional.of(arguments.get(i + 1));
      }
    }
    return Optional.empty();
  }

  private static void read(Path path, Properties into) {
    try (Reader reader = Files.newBufferedReader(path)) {
      into.load(reader);
    } catch (IOException | IllegalArgumentException e) {
      throw new InvalidArgumentException("cannot read the settings in " + path + ": " + e, e);
    }
  }
}
