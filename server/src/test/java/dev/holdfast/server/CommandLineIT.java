package dev.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What the command line says and refuses, without a database. */
@Timeout(120)
class CommandLineIT {
  private record Ended(int code, String output) {}

  @Test
  void helpListsEverySetting() throws Exception {
    Ended help = run("serve", "--help");

    assertThat(help.code).isZero();
    assertThat(help.output)
        .contains("--data", "--database-url", "--port", "--host", "--instance", "--config")
        .contains("7411", "HOLDFAST_PORT", "HOLDFAST_DATABASE_PASSWORD");
    for (var option : new CommandLine(new ServeCommand(null)).getCommandSpec().options()) {
      assertThat(help.output).contains(option.longestName());
    }
  }

  @Test
  void anUnknownOptionIsRefusedWithASuggestion() throws Exception {
    Ended refused = run("serve", "--prot=1");

    assertThat(refused.code).isEqualTo(2);
    assertThat(refused.output).contains("Unknown option: '--prot=1'", "Did you mean '--port'?");
  }

  @Test
  void rejectsUnknownStatus() throws Exception {
    for (String command : new String[] {"list", "replay"}) {
      Ended refused = run("events", command, "--status", "FAILED,NOPE");

      assertThat(refused.code).as(refused.output).isEqualTo(2);
      assertThat(refused.output)
          .startsWith("holdfast: Invalid value for option '--status'")
          .contains("PENDING, PROCESSING, COMPLETED, FAILED, CANCELLED", "but was 'NOPE'");
    }
    assertThat(run("events", "list", "--help").output)
        .contains("PENDING, PROCESSING, COMPLETED, FAILED, CANCELLED;");
  }

  @Test
  void aCommandWithoutASubcommandListsThem() throws Exception {
    Ended listed = run("token");

    assertThat(listed.code).isZero();
    assertThat(listed.output).contains("Usage: holdfast token", "create", "list", "revoke");
    assertThat(listed.output).contains("make a token and print it");
  }

  @Test
  void anUnknownSettingInTheFileIsRefused(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("holdfast.conf"), "prot = 1\n");
    Ended refused = run("serve", "--config=" + file);

    assertThat(refused.code).isEqualTo(2);
    assertThat(refused.output).contains("not known: [prot]", "port");
  }

  @Test
  void rejectsInvalidSettingInOneLine() throws Exception {
    Ended refused = run("serve", "--port=70000");

    assertThat(refused.code).isEqualTo(1);
    assertThat(refused.output).isEqualTo("holdfast: port must be from 0 to 65535, was 70000\n");
  }

  @Test
  void rejectsConcurrencyBeyondHeap() throws Exception {
    Ended refused = run("serve", "--concurrency=8000");

    assertThat(refused.code).isEqualTo(1);
    assertThat(refused.output)
        .contains("a concurrency of 8000 webhooks", "MiB", "at most 2", "-Xmx")
        .hasLineCount(1);
  }

  @Test
  void aDatabaseThatIsNotThereIsSaidInOneLine() throws Exception {
    Ended refused = run("serve", "--database-url=jdbc:postgresql://127.0.0.1:1/none");

    assertThat(refused.code).isEqualTo(1);
    assertThat(refused.output).contains("127.0.0.1:1 refused").hasLineCount(1);
  }

  @Test
  void aDatabaseWithoutADriverIsSaidInOneLine() throws Exception {
    Ended refused = run("serve", "--database-url=jdbc:nosuch://db/holdfast?password=secret");

    assertThat(refused.code).isEqualTo(1);
    assertThat(refused.output)
        .startsWith("holdfast: there is no driver for jdbc:nosuch:")
        .contains("jdbc:postgresql:", "jdbc:mariadb:")
        .doesNotContain("secret", "connection")
        .hasLineCount(1);
  }

  @Test
  void aPortThatIsTakenIsSaidInOneLine(@TempDir Path folder) throws Exception {
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Ended refused =
          run(
              "serve",
              "--port=" + taken.getLocalPort(),
              "--data=" + folder.resolve("data"),
              "--cache=" + ServerProcess.CACHE);

      assertThat(refused.code).isEqualTo(1);
      assertThat(refused.output)
          .contains("port " + taken.getLocalPort() + " must be free")
          .doesNotContain("Exception");
    }
  }

  @Test
  void theSqlOfTheTablesIsPrinted() throws Exception {
    Ended printed = run("migrate", "--print", "--schema=mine");

    assertThat(printed.code).isZero();
    assertThat(printed.output).contains("CREATE TABLE IF NOT EXISTS", "\"mine\".holdfast_event (");
  }

  @Test
  void theVersionIsSaid() throws Exception {
    assertThat(run("version").output).startsWith("Holdfast 0.").contains("Java ");
  }

  private static Ended run(String... arguments) throws IOException, InterruptedException {
    try (ServerProcess process = ServerProcess.start(Map.of(), arguments)) {
      String output = process.allOutput();
      return new Ended(process.exitCode(Duration.ofSeconds(60)), output);
    }
  }
}
