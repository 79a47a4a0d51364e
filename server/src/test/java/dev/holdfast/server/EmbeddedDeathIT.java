package dev.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.server.HookReceiver.Line;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server whose embedded database is killed, and may not come back. */
@Timeout(240)
class EmbeddedDeathIT {
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(20);

  private final Path temporary;
  private final Path data;

  EmbeddedDeathIT(@TempDir Path temporary) throws IOException {
    Files.setPosixFilePermissions(temporary, PosixFilePermissions.fromString("rwxr-xr-x"));
    this.temporary = temporary;
    this.data = temporary.resolve("data");
  }

  @Test
  void restartsKilledDatabase() throws Exception {
    try (ServerProcess server = ServerProcess.serving(data, "--allow=127.0.0.1");
        ReceiverProcess receiver =
            ReceiverProcess.start(HooksIT.secret(server), temporary.resolve("received"))) {
      schedule(server, receiver, "before");
      awaitDelivered(receiver, "/before");

      killPostmaster();
      // refused or not: what is accepted must come
      await()
          .atMost(LIMIT)
          .ignoreExceptions()
          .untilAsserted(() -> schedule(server, receiver, "after"));
      awaitDelivered(receiver, "/after");
      assertThat(server.get("/livez", "").statusCode()).isEqualTo(200);
      assertThat(server.output())
          .contains("PostgreSQL ended with code", "PostgreSQL restarted after");
      assertThat(server.terminate().exitCode(STOP_LIMIT)).isZero();
    }
  }

  @Test
  void livenessFollowsDatabase() throws Exception {
    try (ServerProcess server = ServerProcess.serving(data, "--restart-limit=200")) {
      assertThat(server.get("/livez", "").statusCode()).isEqualTo(200);
      Path moved = makeUnstartable();
      killPostmaster();
      awaitLiveness(server, 503);

      Files.move(moved, control());
      awaitLiveness(server, 200);
      await()
          .atMost(LIMIT)
          .untilAsserted(
              () ->
                  assertThat(server.get("/v1/instances", server.token()).statusCode())
                      .isEqualTo(200));
    }
  }

  @Test
  void theServerExitsWhenItGivesUp() throws Exception {
    try (ServerProcess server = ServerProcess.serving(data, "--restart-limit=3")) {
      makeUnstartable();
      killPostmaster();
      assertThat(server.exitCode(LIMIT)).isEqualTo(1);
      assertThat(server.allOutput())
          .contains("could not be restarted within 3 s", "pg_control")
          .doesNotContain("not stopped within");
    }
  }

  @Test
  void itStopsPromptlyWhileTheDatabaseIsDead() throws Exception {
    try (ServerProcess server = ServerProcess.serving(data)) {
      makeUnstartable();
      killPostmaster();
      await().atMost(LIMIT).until(() -> server.output().contains("could not be started"));
      assertThat(server.terminate().exitCode(LIMIT)).isZero();
      assertThat(server.allOutput())
          .contains("holdfast: stopped")
          .doesNotContain("not stopped within");
    }
  }

  private static void schedule(ServerProcess server, ReceiverProcess receiver, String key)
      throws Exception {
    assertThat(
            server
                .send(
                    "PUT",
                    "/v1/events/" + key,
                    "{\"target\":{\"url\":\"" + receiver.url("/" + key) + "\"}}")
                .statusCode())
        .isBetween(200, 201);
  }

  private static void awaitDelivered(ReceiverProcess receiver, String path) {
    await()
        .atMost(LIMIT)
        .untilAsserted(
            () ->
                assertThat(
                        receiver.successes().stream().map(Line::path).collect(Collectors.toSet()))
                    .contains(path));
  }

  private static void awaitLiveness(ServerProcess server, int status) {
    await()
        .atMost(LIMIT)
        .untilAsserted(() -> assertThat(server.get("/livez", "").statusCode()).isEqualTo(status));
  }

  private Path control() {
    return data.resolve("postgresql/global/pg_control");
  }

  /** Without this file PostgreSQL does not start. */
  private Path makeUnstartable() throws IOException {
    return Files.move(control(), temporary.resolve("pg_control"));
  }

  private void killPostmaster() throws Exception {
    long process =
        Long.parseLong(Files.readAllLines(data.resolve("postgresql/postmaster.pid")).get(0));
    ProcessHandle postgres = ProcessHandle.of(process).orElseThrow();
    postgres.destroyForcibly();
    postgres.onExit().get();
  }
}
