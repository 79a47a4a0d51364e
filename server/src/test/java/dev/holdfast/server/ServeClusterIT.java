package dev.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.embedded.EmbeddedAddress;
import dev.holdfast.embedded.EmbeddedPostgreSql;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two servers on one database; the second has its settings from the environment and a file. */
@Timeout(180)
class ServeClusterIT {
  private static final Duration LIMIT = Duration.ofSeconds(40);

  @TempDir private static Path temporary;

  private static ServerProcess one;
  private static ServerProcess other;

  @BeforeAll
  static void start() throws IOException {
    Files.setPosixFilePermissions(temporary, PosixFilePermissions.fromString("rwxr-xr-x"));
    one = ServerProcess.serving(data());
    EmbeddedAddress database = EmbeddedPostgreSql.running(data()).orElseThrow();
    Path file =
        Files.writeString(
            temporary.resolve("holdfast.conf"),
            """
            host = 0.0.0.0
            port = 1
            instance = of the file
            path = /under
            metrics-open = true
            trusted-proxies = 127.0.0.1,10.0.0.0/8
            """);
    other =
        ServerProcess.start(
                Map.of(
                    "HOLDFAST_CONFIG", file.toString(),
                    "HOLDFAST_DATABASE_URL", database.url(),
                    "HOLDFAST_DATABASE_USER", database.user(),
                    "HOLDFAST_DATABASE_PASSWORD", database.password(),
                    "HOLDFAST_INSTANCE", "of the environment",
                    "HOLDFAST_PORT", "2"),
                "serve",
                "--port=0")
            .awaitReady();
  }

  @AfterAll
  static void stop() throws IOException, InterruptedException {
    other.terminate().exitCode(LIMIT);
    one.terminate().exitCode(LIMIT);
  }

  private static Path data() {
    return temporary.resolve("data");
  }

  @Test
  void bothSeeEachOther() throws Exception {
    assertThat(other.toldAToken()).isFalse();
    for (ServerProcess server : List.of(one, other)) {
      await()
          .atMost(LIMIT)
          .untilAsserted(
              () ->
                  assertThat(server.get("/v1/instances", one.token()).body())
                      .contains("\"name\":\"of the environment\"")
                      .containsPattern("\"name\":\"[^\"]+:0\""));
    }
  }

  @Test
  void optionPrecedesEnvironmentAndFile() {
    assertThat(other.told("address")).matches("http://127.0.0.1:\\d{4,5}/under/");
    assertThat(other.told("note")).contains("0.0.0.0", "TLS");
    assertThat(other.told("data")).startsWith("jdbc:postgresql://127.0.0.1:");
  }

  @Test
  void aWrongTokenIsAProblem() throws Exception {
    for (ServerProcess server : List.of(one, other)) {
      HttpResponse<String> refused = server.get("/v1/instances", "hf_wrong");
      assertThat(refused.statusCode()).isEqualTo(401);
      assertThat(refused.headers().firstValue("Content-Type")).contains("application/problem+json");
      assertThat(server.get("/nothing", "").body()).contains("urn:holdfast:problem:not-found");
      assertThat(one.get("/a%00b", "").body()).contains("\"status\":400");
    }
  }

  @Test
  void anEncodedSlashIsNoWayAroundAToken() throws Exception {
    for (String path :
        List.of("/a%2Fb", "/v1%2Finstances", "/%2Fv1/instances", "/metrics%2F", "/ui%2F..%2Fv1")) {
      assertThat(one.get(path, "", "X-Forwarded-For", "192.0.2.1").body())
          .as(path)
          .contains("urn:holdfast:problem:not-found");
    }
    for (String path :
        List.of("/v1/events/a%2Fb", "/v1/events/..%2F..%2Fmetrics", "/v1/events/a%5Cb")) {
      assertThat(one.get(path, "").statusCode()).as(path).isEqualTo(401);
      assertThat(one.get(path, one.token()).statusCode()).as(path).isEqualTo(404);
    }
  }

  @Test
  void metricsNeedATokenUnlessTheyAreOpened() throws Exception {
    HttpResponse<String> refused = one.get("/metrics", "");
    assertThat(refused.statusCode()).isEqualTo(401);
    assertThat(refused.body()).doesNotContain("holdfast_worker_lease");
    // beside the path of the other
    URI opened = URI.create(other.told("address")).resolve("/metrics");
    assertThat(
            HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(opened).build(), BodyHandlers.ofString())
                .body())
        .contains("holdfast_worker_lease 1.0");
    assertThat(one.get("/metrics", one.token()).body())
        .contains(
            "holdfast_worker_lease 1.0",
            "holdfast_webhook_attempts_total{outcome=\"completed\"} 0.0",
            "holdfast_webhook_in_flight 0.0",
            "holdfast_webhook_open_circuits 0.0");
  }

  @Test
  void cookieIsSecureBehindTrustedProxy() throws Exception {
    String[] byHttps = {"X-Forwarded-Proto", "https", "X-Forwarded-For", "192.0.2.1"};
    assertThat(cookie(one)).doesNotContain("Secure");
    assertThat(cookie(other)).doesNotContain("Secure");
    assertThat(cookie(other, byHttps)).contains("; Secure");
    assertThat(cookie(one, byHttps)).as("without --trusted-proxies").doesNotContain("Secure");
  }

  /** That of a session. */
  private static String cookie(ServerProcess server, String... headers) throws Exception {
    HttpRequest.Builder signIn =
        HttpRequest.newBuilder(URI.create(server.told("address") + "v1/session"))
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString("{\"token\":\"" + one.token() + "\"}"));
    if (headers.length > 0) {
      signIn.headers(headers);
    }
    return HttpClient.newHttpClient()
        .send(signIn.build(), BodyHandlers.ofString())
        .headers()
        .firstValue("Set-Cookie")
        .orElseThrow();
  }

  @Test
  void theStreamOfARevokedTokenEnds() throws Exception {
    String token;
    try (ServerProcess making = token("create", "listener")) {
      token = making.lastLine();
    }
    HttpResponse<InputStream> stream =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(URI.create(one.told("address") + "v1/stream"))
                    .header("Authorization", "Bearer " + token)
                    .build(),
                BodyHandlers.ofInputStream());
    assertThat(stream.statusCode()).isEqualTo(200);
    assertThat(stream.body().read()).isPositive();
    try (ServerProcess revoking = token("revoke", "listener")) {
      assertThat(revoking.exitCode(LIMIT)).isZero();
    }
    CompletableFuture<Long> end =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return stream.body().transferTo(OutputStream.nullOutputStream());
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
    assertThat(end).succeedsWithin(LIMIT);
  }

  private static ServerProcess token(String... arguments) throws IOException {
    return ServerProcess.start(
        Map.of("HOLDFAST_DATA", data().toString()),
        Stream.concat(Stream.of("token"), Stream.of(arguments)).toArray(String[]::new));
  }

  @Test
  void readinessReportsDatabase() throws Exception {
    assertThat(one.get("/readyz", "").statusCode()).isEqualTo(200);
    signal("STOP");
    try {
      awaitReadiness(503);
      assertThat(one.get("/livez", "").statusCode()).isEqualTo(200);
    } finally {
      signal("CONT");
    }
    awaitReadiness(200);
    awaitInstances();
  }

  private static void awaitReadiness(int status) {
    await()
        .atMost(LIMIT)
        .untilAsserted(() -> assertThat(one.get("/readyz", "").statusCode()).isEqualTo(status));
  }

  private static void awaitInstances() {
    await()
        .atMost(LIMIT)
        .untilAsserted(
            () -> assertThat(one.get("/v1/instances", one.token()).statusCode()).isEqualTo(200));
  }

  /** To every process of the database. */
  private static void signal(String signal) throws Exception {
    Path folder = data().resolve("postgresql").toRealPath();
    try (Stream<ProcessHandle> all = ProcessHandle.allProcesses()) {
      for (long process :
          all.map(ProcessHandle::pid).filter(pid -> worksIn(pid, folder)).toList()) {
        new ProcessBuilder("kill", "-" + signal, Long.toString(process)).start().waitFor();
      }
    }
  }

  private static boolean worksIn(long process, Path folder) {
    try {
      return Files.readSymbolicLink(Path.of("/proc", Long.toString(process), "cwd")).equals(folder);
    } catch (IOException e) {
      return false;
    }
  }
}
