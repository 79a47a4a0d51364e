package dev.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.client.CancelResult;
import dev.holdfast.client.EventView;
import dev.holdfast.client.HoldfastClient;
import dev.holdfast.client.WebhookRequest;
import java.io.IOException;
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
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The command line and the Java client against a running service. */
@Timeout(300)
class RemoteIT {
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final String URL = "https://example.org/hooks";

  @TempDir private static Path temporary;

  private static ServerProcess server;

  private record Ended(int code, String output) {}

  @BeforeAll
  static void start() throws IOException {
    Files.setPosixFilePermissions(temporary, PosixFilePermissions.fromString("rwxr-xr-x"));
    server = ServerProcess.serving(temporary.resolve("data"), "--schema=mine");
  }

  @AfterAll
  static void stop() throws IOException, InterruptedException {
    server.terminate().exitCode(Duration.ofMinutes(1));
  }

  private static Ended run(String... arguments) throws IOException, InterruptedException {
    return run(Map.of("HOLDFAST_TOKEN", server.token()), arguments);
  }

  private static Ended run(Map<String, String> more, String... arguments)
      throws IOException, InterruptedException {
    Map<String, String> environment = new HashMap<>(more);
    environment.putIfAbsent("HOLDFAST_URL", server.told("address"));
    try (ServerProcess command = ServerProcess.start(environment, arguments)) {
      String output = command.allOutput();
      return new Ended(command.exitCode(Duration.ofMinutes(1)), output);
    }
  }

  @Test
  void anEventIsMadeShownListedAndCancelled() throws Exception {
    Ended made =
        run(
            "events",
            "create",
            URL,
            "--delay=1h",
            "--key=order 7/ü",
            "--queue=mail",
            "--tag=paid",
            "-H",
            "X-Team: billing",
            "-d",
            "{\"order\":7}");
    assertThat(made.output).contains("PENDING", "POST " + URL, "mail");
    assertThat(made.code).isZero();
    assertThat(run("events", "create", URL, "--delay=2h", "--key=order 7/ü").output)
        .as("another one for the same key")
        .startsWith("holdfast: the service responded with 409");

    assertThat(run("events", "show", "order 7/ü", "--json").output)
        .contains("\"order\" : 7", "\"X-Team\" : \"[redacted]\"");
    assertThat(run("events", "list", "--queue=mail", "--status=PENDING").output)
        .contains("ID", "STATUS", URL);
    assertThat(run("events", "cancel", "order 7/ü", "--reason=moved away").output)
        .contains("CANCELLED", "moved away");
    Ended again = run("events", "cancel", "order 7/ü");
    assertThat(again.code).isEqualTo(1);
    assertThat(again.output).contains("409");
    assertThat(run("events", "replay", "--all", "--queue=mail").output)
        .isEqualTo("would replay: 1; repeat with --yes to do it\n");
  }

  @Test
  void anEventIsRunAndReplayed() throws Exception {
    // an address that the guard refuses: it ends at once
    String inside = "http://127.0.0.1:9999/hooks";
    assertThat(run("events", "create", inside, "--delay=1h", "--key=now", "--queue=once").code)
        .isZero();
    assertThat(run("events", "run", "now").code).isZero();
    awaitStatus("now", "FAILED");

    assertThat(run("events", "replay", "now").code).isZero();
    awaitFailed(2);
    // the first was replayed already
    assertThat(run("events", "replay", "--all", "--queue=once", "--status=FAILED").output)
        .isEqualTo("would replay: 1; repeat with --yes to do it\n");
    assertThat(run("events", "replay", "--all", "--queue=once", "--status=FAILED", "--yes"))
        .isEqualTo(new Ended(0, "replayed: 1\n"));
    awaitFailed(3);
  }

  private static void awaitFailed(int count) {
    await()
        .atMost(LIMIT)
        .untilAsserted(
            () ->
                assertThat(run("events", "list", "--queue=once", "--status=FAILED").output.lines())
                    .hasSize(1 + count));
  }

  private static void awaitStatus(String key, String status) {
    await()
        .atMost(LIMIT)
        .untilAsserted(() -> assertThat(run("events", "show", key).output).contains(status));
  }

  @Test
  void tokensAreListedAndRevoked() throws Exception {
    String[] where = {"--data=" + temporary.resolve("data"), "--schema=mine"};
    String made = run("token", "create", "passing", where[0], where[1]).output.strip();
    assertThat(run("token", "list", where[0], where[1]).output)
        .contains("admin", "passing", made.substring(0, 14))
        .doesNotContain(made);
    assertThat(run(Map.of("HOLDFAST_TOKEN", made), "queues", "list").code).isZero();
    assertThat(run("token", "revoke", "passing", where[0], where[1])).isEqualTo(new Ended(0, ""));
    assertThat(run("token", "list", where[0], where[1]).output).doesNotContain("passing");
    await()
        .atMost(LIMIT)
        .untilAsserted(
            () ->
                assertThat(run(Map.of("HOLDFAST_TOKEN", made), "queues", "list").output)
                    .contains("rejected the token"));
    assertThat(run("token", "revoke", "passing", where[0], where[1]).output)
        .isEqualTo("holdfast: there is no token 'passing'\n");
  }

  @Test
  void migratesSchemaOnce() throws Exception {
    String[] migrate = {
      "migrate", "--data=" + temporary.resolve("data"), "--cache=" + ServerProcess.CACHE
    };
    String[] another = {migrate[0], migrate[1], migrate[2], "--schema=another"};
    assertThat(run(another).output).contains("applied 0001_");
    assertThat(run(another).output).contains("nothing to do: the tables are at version ");
    String[] mine = {migrate[0], migrate[1], migrate[2], "--schema=mine"};
    assertThat(run(mine).output).as("where the server has its own").contains("nothing to do");
  }

  @Test
  void storesTenThousandEventsPerRequest() throws Exception {
    String items =
        IntStream.range(0, 10_000)
            .mapToObj(
                i ->
                    "{\"key\":\"many-%d\",\"queue\":\"many\",\"delay\":\"1h\",\"target\":{\"url\":\"%s\"}}"
                        .formatted(i, URL))
            .collect(Collectors.joining(",", "{\"items\":[", "]}"));
    for (int status : new int[] {201, 200}) {
      HttpResponse<String> stored =
          HttpClient.newHttpClient()
              .send(
                  HttpRequest.newBuilder(URI.create(server.told("address") + "v1/events:batch"))
                      .header("Authorization", "Bearer " + server.token())
                      .header("Content-Type", "application/json")
                      .POST(BodyPublishers.ofString(items))
                      .build(),
                  BodyHandlers.ofString());
      assertThat(stored.statusCode()).as(stored.body()).isEqualTo(200);
      assertThat(stored.body().split("\"status\":" + status, -1)).hasSize(10_001);
    }
    assertThat(run("queues", "show", "many").output).contains("many", "10000");
  }

  @Test
  void aScheduleIsPutPausedTriggeredAndDeleted() throws Exception {
    String recurrence = "daily 09:00 in Europe/Madrid";
    assertThat(run("schedules", "preview", recurrence, "--count=2").output.lines()).hasSize(2);
    assertThat(run("schedules", "put", "reports", recurrence, URL).output)
        .contains("schedule", "reports", recurrence, "next");
    assertThat(run("schedules", "put", "reports", "daily 10:00 in UTC", URL).code)
        .as("in place of the one that is there")
        .isZero();
    assertThat(run("schedules", "pause", "reports").output).contains("paused", "true");
    assertThat(run("schedules", "list").output).contains("reports", "paused", "10:00");
    assertThat(run("schedules", "resume", "reports").output).contains("paused", "false");
    assertThat(run("schedules", "trigger", "reports").output).matches("event \\d+-0\n");
    assertThat(run("schedules", "delete", "reports").code).isZero();
    assertThat(run("schedules", "show", "reports").output).contains("404");
  }

  @Test
  void aQueueIsLimitedAndPaused() throws Exception {
    assertThat(run("queues", "limit", "slow", "--max-concurrency=2", "--rate-limit=10/1m").output)
        .contains("slow", "running", "\"maxConcurrency\":2", "\"count\":10");
    assertThat(run("queues", "pause", "slow").output).contains("paused");
    assertThat(run("queues", "list").output).contains("QUEUE", "slow");
    assertThat(run("queues", "resume", "slow").output).contains("running");
    assertThat(run("queues", "limit", "slow").output).contains("\"maxConcurrency\":2");
    assertThat(run("queues", "limit", "slow", "--none").output).doesNotContain("maxConcurrency");
    assertThat(run("queues", "limit", "slow", "--rate-limit=often").output)
        .isEqualTo("holdfast: --rate-limit must be COUNT/TIME, such as 10/1s, was 'often'\n");
  }

  @Test
  void whatIsWrongIsSaidInALine() throws Exception {
    assertThat(run(Map.of(), "events", "list"))
        .isEqualTo(
            new Ended(
                1,
                "holdfast: a token is required: set HOLDFAST_TOKEN or --token-file; ./holdfast"
                    + " token create NAME creates one\n"));
    assertThat(run(Map.of("HOLDFAST_TOKEN", "hf_wrong"), "events", "list").output)
        .startsWith("holdfast: the service rejected the token")
        .contains("./holdfast token create NAME", "--data or --database-url");
    assertThat(
            run(
                    Map.of("HOLDFAST_TOKEN", "t", "HOLDFAST_URL", "http://127.0.0.1:1"),
                    "queues",
                    "list")
                .output)
        .startsWith("holdfast: no service at http://127.0.0.1:1");
    assertThat(run("events", "lits").code).isEqualTo(2);
    assertThat(run("token", "list", "--data=" + temporary.resolve("none")).output)
        .startsWith("holdfast: there is no data of Holdfast in ");
    assertThat(run("migrate", "--database-url=postgres://user:secret@db/x").output)
        .contains("must begin with jdbc:", "postgres://…@db/x")
        .doesNotContain("secret");
  }

  @Test
  void javaClientSchedulesFindsAndCancels() {
    HoldfastClient client =
        HoldfastClient.builder(server.told("address")).token(server.token()).build();
    WebhookRequest call =
        WebhookRequest.post(URL)
            .json("{\"user\":42}")
            .key("birthday/42 ñ")
            .delay(Duration.ofHours(1));

    EventView event = client.schedule(call);
    assertThat(client.schedule(call).id()).isEqualTo(event.id());
    assertThat(client.find("birthday/42 ñ")).contains(event);
    assertThat(client.find("nobody")).isEmpty();
    assertThat(client.cancel("birthday/42 ñ", "moved")).isEqualTo(CancelResult.CANCELLED);
    await()
        .untilAsserted(
            () ->
                assertThat(client.find(event.id()).orElseThrow().status())
                    .isEqualTo(EventView.Status.CANCELLED));
    assertThat(client.cancel("birthday/42 ñ", "again")).isEqualTo(CancelResult.ALREADY_ENDED);
    assertThat(client.cancel("nobody", "")).isEqualTo(CancelResult.NOT_FOUND);
  }
}
