package dev.holdfast.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server with its embedded database: started, killed, started again, stopped. */
@Timeout(180)
class ServeIT {
  private static final Duration STOP_LIMIT = Duration.ofSeconds(20);

  private final Path data;

  ServeIT(@TempDir Path temporary) throws IOException {
    Files.setPosixFilePermissions(temporary, PosixFilePermissions.fromString("rwxr-xr-x"));
    this.data = temporary.resolve("data");
  }

  @Test
  void aServerKeepsItsDataThroughKillsAndStops() throws Exception {
    String token;
    try (ServerProcess first = ServerProcess.serving(data)) {
      token = first.token();
      assertThat(first.printedAToken()).as("a journal would keep it").isFalse();
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(first.tokenFile())))
          .isEqualTo("rw-------");
      assertThat(bash(first.told("try"))).contains("\"items\":[{\"id\":\"");
      assertASecondOneIsRefused();
      assertTokensAreMadeWhileItRuns(first);
      first.kill();
    }

    try (ServerProcess second = ServerProcess.serving(data)) {
      assertThat(second.toldAToken()).isFalse();
      assertThat(second.get("/v1/instances", token).statusCode()).isEqualTo(200);

      assertThat(second.terminate().exitCode(STOP_LIMIT)).isZero();
      assertThat(second.allOutput()).contains("holdfast: stopped");
    }

    try (ServerProcess third = ServerProcess.serving(data)) {
      assertThat(third.toldAToken()).isFalse();
      assertThat(third.told("try")).contains("$HOLDFAST_TOKEN");
      assertThat(third.get("/v1/instances", token).statusCode()).isEqualTo(200);
      // the database was stopped cleanly: there was nothing to recover
      assertThat(Files.readString(data.resolve("postgresql.log"))).doesNotContain("recovery");
      third.terminate().exitCode(STOP_LIMIT);
    }
  }

  @Test
  void aTerminalShowsTheFirstToken() throws Exception {
    try (ServerProcess server =
        ServerProcess.start(
                Map.of("JDK_JAVA_OPTIONS", "-Dholdfast.terminal=true"),
                "serve",
                "--port=0",
                "--data=" + data,
                "--cache=" + ServerProcess.CACHE)
            .awaitReady()) {
      assertThat(server.output()).contains(Files.readString(data.resolve("first-token")).strip());
      assertThat(server.told("try")).contains("$(cat '" + data.resolve("first-token") + "')");
    }
  }

  private void assertASecondOneIsRefused() throws Exception {
    try (ServerProcess other =
        ServerProcess.start(
            Map.of(), "serve", "--port=0", "--data=" + data, "--cache=" + ServerProcess.CACHE)) {
      assertThat(other.exitCode(Duration.ofSeconds(60))).isEqualTo(1);
      assertThat(other.allOutput())
          .startsWith("holdfast: the data in " + data + " must be used by one Holdfast at a time")
          .hasLineCount(1);
    }
  }

  private void assertTokensAreMadeWhileItRuns(ServerProcess server) throws Exception {
    try (ServerProcess making =
        ServerProcess.start(Map.of("HOLDFAST_DATA", data.toString()), "token", "create", "ci")) {
      assertThat(making.exitCode(Duration.ofSeconds(60))).isZero();
      String made = making.lastLine();
      assertThat(server.get("/v1/session", made).body()).isEqualTo("{\"name\":\"ci\"}");
    }
  }

  private static String bash(String line) throws IOException, InterruptedException {
    Process shell = new ProcessBuilder("bash", "-c", line).start();
    String answer = new String(shell.getInputStream().readAllBytes(), UTF_8);
    assertThat(shell.waitFor()).isZero();
    return answer;
  }
}
