package dev.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.embedded.EmbeddedAddress;
import dev.holdfast.embedded.EmbeddedPostgreSql;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server whose embedded database has no space left on its disk: a small file system of its own,
 * which only root can mount. Skipped where it cannot be mounted.
 */
@Timeout(300)
class FullDiskIT {
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final String SIZE = "200m";

  @TempDir private Path temporary;
  private Path disk;
  private Path data;
  private Path filler;

  @BeforeEach
  void mount() throws Exception {
    Files.setPosixFilePermissions(temporary, PosixFilePermissions.fromString("rwxr-xr-x"));
    disk = Files.createDirectory(temporary.resolve("disk"));
    data = disk.resolve("data");
    filler = disk.resolve("filler");
    assumeTrue(
        run(
            "mount",
            "-t",
            "tmpfs",
            "-o",
            "mode=0755,size=" + SIZE,
            "holdfast-test",
            disk.toString()),
        "a file system can be mounted");
  }

  /** A killed server leaves its database running, which would keep the file system. */
  @AfterEach
  void unmount() throws Exception {
    Path pid = data.resolve("postgresql/postmaster.pid");
    if (Files.exists(pid)) {
      ProcessHandle.of(Long.parseLong(Files.readAllLines(pid).get(0)))
          .ifPresent(ProcessHandle::destroyForcibly);
    }
    run("umount", "--lazy", disk.toString());
  }

  @Test
  void recoversFromFullDisk() throws Exception {
    try (ServerProcess server = serving("--restart-limit=150")) {
      assertThat(schedule(server, "before")).isEqualTo(201);
      exhaustDisk();
      await().atMost(LIMIT).until(() -> server.get("/livez", "").statusCode() == 503);
      assertThat(server.get("/readyz", "").statusCode()).isEqualTo(503);
      assertThat(server.output()).contains("No space left on device");

      Files.delete(filler);
      await().atMost(LIMIT).until(() -> server.get("/livez", "").statusCode() == 200);
      await().atMost(LIMIT).until(() -> server.get("/readyz", "").statusCode() == 200);
      assertThat(schedule(server, "before")).as("it is still there").isEqualTo(200);
      assertThat(schedule(server, "after")).isEqualTo(201);
    }
  }

  @Test
  void itExitsWhenThereIsNoSpaceWithinTheLimit() throws Exception {
    try (ServerProcess server = serving("--restart-limit=3")) {
      exhaustDisk();
      assertThat(server.exitCode(LIMIT)).isEqualTo(1);
      assertThat(server.allOutput())
          .contains("could not be restarted within 3 s", "No space left on device");
    }
  }

  private ServerProcess serving(String option) throws IOException {
    return ServerProcess.serving(data, option, "--token-file=" + temporary.resolve("token"));
  }

  private static int schedule(ServerProcess server, String key) throws Exception {
    return server
        .send(
            "PUT",
            "/v1/events/" + key,
            "{\"target\":{\"url\":\"https://example.com/\"},\"at\":\"2100-01-01T00:00:00Z\"}")
        .statusCode();
  }

  /** Fills the disk, and makes PostgreSQL need more of it: it ends by that. */
  private void exhaustDisk() throws IOException {
    EmbeddedAddress address = EmbeddedPostgreSql.running(data).orElseThrow();
    try (OutputStream out = Files.newOutputStream(filler)) {
      byte[] some = new byte[64 * 1024];
      while (true) {
        out.write(some);
      }
    } catch (IOException full) {
      assertThat(full).hasMessageContaining("No space left");
    }
    try (Connection connection =
            DriverManager.getConnection(address.url(), address.user(), address.password());
        Statement statement = connection.createStatement()) {
      for (int segment = 0; segment < 100; segment++) {
        statement.execute("SELECT pg_logical_emit_message(false, 'x', 'x'), pg_switch_wal()");
      }
    } catch (SQLException ended) {
      assertThat(ended.getSQLState()).as("disk full, or connection lost").matches("53100|08.*");
    }
  }

  private static boolean run(String... command) throws IOException, InterruptedException {
    try {
      return new ProcessBuilder(command).inheritIO().start().waitFor() == 0;
    } catch (IOException noSuchProgram) {
      return false;
    }
  }
}
