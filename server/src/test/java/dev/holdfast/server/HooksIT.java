package dev.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.client.EventView;
import dev.holdfast.client.HoldfastClient;
import dev.holdfast.client.WebhookRequest;
import dev.holdfast.server.HookReceiver.Line;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The service as a process, and a receiver as another one, which does all that receivers do. */
@Timeout(900)
class HooksIT {
  private static final Duration LIMIT = Duration.ofMinutes(5);
  private static final List<String> BEHAVIOURS =
      List.of("ok", "fail", "busy", "redirect", "reset", "half", "hang", "slow", "large");

  @TempDir private static Path temporary;

  private static ServerProcess server;
  private static ReceiverProcess receiver;
  private static ServerSocket forbidden;
  private static HoldfastClient client;

  @BeforeAll
  static void start() throws Exception {
    forbidden = new ServerSocket(0);
    server =
        ServerProcess.start(
                Map.of(),
                "serve",
                "--port=0",
                "--data=" + temporary.resolve("data"),
                "--cache=" + ServerProcess.CACHE,
                "--allow=127.0.0.1/32",
                // most first calls fail: it would be left alone for longer and longer
                "--circuit-max-wait=1")
            .awaitReady();
    receiver = ReceiverProcess.start(secret(server), temporary.resolve("received"));
    client = HoldfastClient.builder(server.told("address")).token(server.token()).build();
  }

  @AfterAll
  static void stop() throws Exception {
    receiver.close();
    forbidden.close();
    server.terminate().exitCode(Duration.ofSeconds(60));
  }

  /** As a receiver's owner gets it. */
  static String secret(ServerProcess server) throws IOException, InterruptedException {
    String all = server.get("/v1/signing-secrets", server.token()).body();
    Matcher id = Pattern.compile("\"id\":\"([^\"]+)\"").matcher(all);
    assertThat(id.find()).as(all).isTrue();
    String one = server.get("/v1/signing-secrets/" + id.group(1), server.token()).body();
    Matcher secret = Pattern.compile("whsec_[A-Za-z0-9+/=]+").matcher(one);
    assertThat(secret.find()).isTrue();
    return secret.group();
  }

  /** With a time limit that only those who hang reach, on a machine that is slow. */
  private static WebhookRequest call(String path) {
    return WebhookRequest.post(receiver.url(path))
        .timeout(path.startsWith("/hang") ? Duration.ofSeconds(2) : Duration.ofSeconds(30));
  }

  @Test
  void deliversEachCallOnceInOrder() throws Exception {
    Map<String, EventView> events = new LinkedHashMap<>();
    for (String behaviour : BEHAVIOURS) {
      for (int number = 0; number < 12; number++) {
        String path = "/" + behaviour + "/" + number;
        events.put(path, client.schedule(call(path).key("once" + path)));
      }
    }
    for (int number = 0; number < 5; number++) {
      for (String behaviour : List.of("fail", "reset", "hang", "ok")) {
        String path = "/" + behaviour + "/ordered-" + behaviour + "/" + number;
        events.put(
            path,
            client.schedule(
                call(path).orderingKey("order-" + behaviour).json("{\"n\":" + number + "}")));
      }
    }

    await()
        .atMost(LIMIT)
        .untilAsserted(
            () ->
                assertThat(receiver.successes())
                    .extracting(Line::path)
                    .containsAll(events.keySet()));

    List<Line> lines = receiver.lines();
    assertThat(lines).as("all are genuine").noneMatch(line -> line.path().startsWith("FORGED"));
    assertThat(lines).as("redirects are not followed").noneMatch(l -> l.path().endsWith("/away"));
    assertThat(receiver.successes())
        .as("nothing comes after it was answered with success")
        .extracting(Line::path)
        .doesNotHaveDuplicates();
    assertThat(idsByPath(lines)).as("every attempt has the same id").allMatch(ids -> ids == 1);
    for (String behaviour : List.of("fail", "reset", "hang", "ok")) {
      assertThat(receiver.successes())
          .extracting(Line::path)
          .filteredOn(path -> path.contains("/ordered-" + behaviour + "/"))
          .as("in due order")
          .isSorted();
    }
    for (EventView event : events.values()) {
      await()
          .atMost(LIMIT)
          .untilAsserted(
              () ->
                  assertThat(client.find(event.id()).orElseThrow().status())
                      .isEqualTo(EventView.Status.COMPLETED));
    }
  }

  @Test
  void a410EndsIt() {
    EventView event = client.schedule(call("/gone/1"));

    await()
        .atMost(LIMIT)
        .untilAsserted(
            () ->
                assertThat(client.find(event.id()).orElseThrow().status())
                    .isEqualTo(EventView.Status.FAILED));
    assertThat(client.find(event.id()).orElseThrow().attempts()).isEqualTo(1);
  }

  @Test
  void noAddressBehindTheGuardIsReached() throws Exception {
    int port = forbidden.getLocalPort();
    List<EventView> events = new ArrayList<>();
    for (String host :
        List.of(
            "127.0.0.2",
            "127.2",
            "2130706434",
            "0x7f000002",
            "0177.0.0.2",
            "0.0.0.0",
            "[::1]",
            "[::]",
            "[::ffff:127.0.0.2]",
            "[::ffff:7f00:2]",
            "[64:ff9b::7f00:2]",
            "10.0.0.1",
            "169.254.169.254",
            "[fe80::1]",
            "[fd00::1]")) {
      try {
        events.add(
            client.schedule(
                WebhookRequest.post("http://" + host + ":" + port + "/")
                    .maxAttempts(2)
                    .key("guard " + host)));
      } catch (RuntimeException refusedAtOnce) {
        assertThat(refusedAtOnce).hasMessageContaining("400");
      }
    }

    assertThat(events).isNotEmpty();
    for (EventView event : events) {
      await()
          .atMost(LIMIT)
          .untilAsserted(
              () ->
                  assertThat(client.find(event.id()).orElseThrow().status())
                      .isEqualTo(EventView.Status.FAILED));
    }
    forbidden.setSoTimeout(1);
    assertThatThrownBy(forbidden::accept)
        .as("nobody has connected")
        .isInstanceOf(SocketTimeoutException.class);
  }

  private static List<Integer> idsByPath(List<Line> lines) {
    Map<String, Set<String>> ids = new LinkedHashMap<>();
    lines.forEach(line -> ids.computeIfAbsent(line.path(), path -> new HashSet<>()).add(line.id()));
    return ids.values().stream().map(Set::size).toList();
  }
}
