package dev.holdfast.server;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.Holdfast;
import dev.holdfast.InvalidArgumentException;
import dev.holdfast.web.access.TokenRecord;
import dev.holdfast.web.access.Tokens;
import java.util.function.Consumer;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Makes, lists and revokes the tokens of the service, also while it runs. */
@Command(
    name = "token",
    description = "make, list and revoke tokens of the service",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    synopsisSubcommandLabel = "(create | list | revoke)")
final class TokenCommand implements Runnable {
  private static final int CONNECTIONS = 1;

  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  static CommandLine line(Settings settings) {
    return new CommandLine(new TokenCommand())
        .addSubcommand(new Create(settings))
        .addSubcommand(new List(settings))
        .addSubcommand(new Revoke(settings));
  }

  @Override
  public void run() {
    spec.commandLine().usage(System.out);
  }

  /** Prints nothing but the token, so that a script can take it. */
  @Command(
      name = "create",
      description = "make a token and print it, the only time that it is shown",
      mixinStandardHelpOptions = true,
      versionProvider = Version.class)
  static final class Create extends InDatabase {
    @Parameters(paramLabel = "NAME", description = "what it is for")
    private String name = "";

    Create(Settings settings) {
      super(settings);
    }

    @Override
    public void run() {
      with(tokens -> System.out.println(tokens.make(name).text()));
    }
  }

  @Command(
      name = "list",
      description = "list the tokens, without their secrets",
      mixinStandardHelpOptions = true,
      versionProvider = Version.class)
  static final class List extends InDatabase {
    List(Settings settings) {
      super(settings);
    }

    @Override
    public void run() {
      with(
          tokens -> {
            for (TokenRecord token : tokens.list()) {
              System.out.println("hf_%s_…  %s".formatted(token.id(), token.name()));
            }
          });
    }
  }

  @Command(
      name = "revoke",
      description = "end a token and its sessions, within some seconds",
      mixinStandardHelpOptions = true,
      versionProvider = Version.class)
  static final class Revoke extends InDatabase {
    @Parameters(paramLabel = "NAME", description = "its name, as listed")
    private String name = "";

    Revoke(Settings settings) {
      super(settings);
    }

    @Override
    public void run() {
      with(
          tokens -> {
            TokenRecord token =
                tokens.list().stream()
                    .filter(known -> known.name().equals(name))
                    .findFirst()
                    .orElseThrow(
                        () -> new InvalidArgumentException("there is no token '" + name + "'"));
            tokens.revoke(token.id());
          });
    }
  }

  /** What needs the database. */
  abstract static class InDatabase implements Runnable {
    private final Settings settings;

    @Mixin private DatabaseOptions database = new DatabaseOptions();

    InDatabase(Settings settings) {
      this.settings = settings;
    }

    final void with(Consumer<Tokens> work) {
      try (Database used = Database.existing(database, settings, Progress::say);
          HikariDataSource pool = used.pool(CONNECTIONS)) {
        work.accept(Tokens.of(Holdfast.create(pool), database.schema));
      }
    }
  }
}
