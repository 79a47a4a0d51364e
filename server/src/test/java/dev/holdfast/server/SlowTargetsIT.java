package dev.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** 2,000 hosts that are slow to answer, and a server with the flags of the launcher. */
@Timeout(420)
class SlowTargetsIT {
  private static final int HOSTS = 2000;
  private static final int HEALTHY = 20;
  private static final Duration SLOW = Duration.ofSeconds(30);
  private static final Duration LIMIT = Duration.ofMinutes(3);

  /** By the model of {@code DeliveryMemory}. */
  private static final long BYTES_PER_CALL = 64 * 1024;

  @TempDir private Path temporary;

  private final AtomicInteger slowDone = new AtomicInteger();
  private final Map<String, Long> received = new ConcurrentHashMap<>();
  private final ScheduledExecutorService answers = Executors.newScheduledThreadPool(2);
  private HttpServer receiver;

  @BeforeEach
  void listen() throws IOException {
    Files.setPosixFilePermissions(temporary, PosixFilePermissions.fromString("rwxr-xr-x"));
    receiver = HttpServer.create(new InetSocketAddress("0.0.0.0", 0), HOSTS);
    receiver.createContext("/quick/", this::quick);
    receiver.createContext("/slow/", this::answerLater);
    receiver.start();
  }

  @AfterEach
  void end() {
    receiver.stop(0);
    answers.shutdownNow();
  }

  private void quick(HttpExchange exchange) throws IOException {
    received.putIfAbsent(exchange.getRequestURI().getPath(), System.nanoTime());
    answer(exchange);
  }

  private void answerLater(HttpExchange exchange) {
    var unused = answers.schedule(() -> slow(exchange), SLOW.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void slow(HttpExchange exchange) {
    try {
      answer(exchange);
      slowDone.incrementAndGet();
    } catch (IOException e) {
      // the server has dropped the call, which the counts show
    }
  }

  private static void answer(HttpExchange exchange) throws IOException {
    exchange.getRequestBody().readAllBytes();
    exchange.sendResponseHeaders(204, -1);
    exchange.close();
  }

  @Test
  void slowHostsDoNotBlockHealthyOne() throws Exception {
    try (ServerProcess server =
        ServerProcess.serving(temporary.resolve("data"), "--allow=127.0.0.0/8")) {
      healthy(server, "warm-up");
      long alone = percentile95(healthy(server, "alone"));
      long before = liveBytes(server);
      scheduleSlowOnes(server);
      await()
          .atMost(LIMIT)
          .untilAsserted(
              () ->
                  assertThat(server.metric("holdfast_webhook_in_flight"))
                      .isGreaterThanOrEqualTo(HOSTS / 2.0));
      long live = liveBytes(server) - before;
      long inFlight = (long) server.metric("holdfast_webhook_in_flight");
      assertThat(live)
          .as("live heap of %d calls in flight", inFlight)
          .isLessThan(inFlight * BYTES_PER_CALL);
      long besides = percentile95(healthy(server, "beside"));
      // on a busy machine a quarter of what a slow one takes is quick, too
      assertThat(Duration.ofNanos(besides))
          .as("95 %% of the healthy calls, alone: %s", Duration.ofNanos(alone))
          .isLessThan(Duration.ofNanos(Math.max(3 * alone, SLOW.toNanos() / 4)));
      await()
          .atMost(LIMIT)
          .untilAsserted(() -> assertThat(slowDone).hasValueGreaterThanOrEqualTo(HOSTS));
      assertThat(server.isAlive()).isTrue();
    }
  }

  private void scheduleSlowOnes(ServerProcess server) throws Exception {
    String items =
        IntStream.range(0, HOSTS)
            .mapToObj(
                i ->
                    "{\"key\":\"slow-%d\",\"timeout\":\"59s\",\"target\":{\"url\":\"http://127.1.%d.%d:%d/slow/%d\"}}"
                        .formatted(i, i / 250, i % 250 + 1, receiver.getAddress().getPort(), i))
            .collect(Collectors.joining(","));
    assertThat(server.send("POST", "/v1/events:batch", "{\"items\":[" + items + "]}").statusCode())
        .isEqualTo(200);
  }

  /** From the sending of each to its call, in a steady stream: none waits for the one before. */
  private List<Long> healthy(ServerProcess server, String name) throws Exception {
    Map<String, Long> sent = new LinkedHashMap<>();
    for (int i = 0; i < HEALTHY; i++) {
      String path = "/quick/" + name + "/" + i;
      String url = "http://127.0.0.1:" + receiver.getAddress().getPort() + path;
      sent.put(path, System.nanoTime());
      assertThat(
              server
                  .send(
                      "PUT",
                      "/v1/events/" + name + "-" + i,
                      "{\"queue\":\"healthy\",\"target\":{\"url\":\"" + url + "\"}}")
                  .statusCode())
          .isEqualTo(201);
      TimeUnit.MILLISECONDS.sleep(50);
    }
    await().atMost(LIMIT).until(() -> received.keySet().containsAll(sent.keySet()));
    List<Long> nanos = new ArrayList<>();
    sent.forEach((path, at) -> nanos.add(received.getOrDefault(path, at) - at));
    return nanos;
  }

  private static long percentile95(List<Long> nanos) {
    Collections.sort(nanos);
    return nanos.get(nanos.size() * 95 / 100);
  }

  /** What is reachable, after a collection. */
  private static long liveBytes(ServerProcess server) throws Exception {
    Process histogram =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                Long.toString(server.pid()),
                "GC.class_histogram")
            .redirectErrorStream(true)
            .start();
    String lines =
        new String(histogram.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    String[] total = lines.substring(lines.lastIndexOf("Total")).split("\\s+", -1);
    return Long.parseLong(total[2]);
  }
}
