package dev.holdfast.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** More connections than the server has threads, whose bodies never come to their end. */
@Timeout(180)
class SlowClientsIT {
  private static final int CLIENTS = 250;

  private static final int MORE_THAN_THREADS = 400;

  /** More than are waited for at once without a token, and far less than there are threads. */
  private static final int FEW = 20;

  /** Longer than a thread may be held by one of them. */
  private static final Duration ATTACK = Duration.ofSeconds(12);

  @TempDir private static Path temporary;

  private static ServerProcess server;

  @BeforeAll
  static void start() throws IOException {
    Files.setPosixFilePermissions(temporary, PosixFilePermissions.fromString("rwxr-xr-x"));
    server = ServerProcess.serving(temporary.resolve("data"), "--health-port=0");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void slowSignInsDoNotBlock() throws Exception {
    assertItAnswersBeside(
        "POST /v1/session HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            + "Content-Length: 4000\r\n\r\n{");
  }

  /** It has no body, so that it needs none of the few places where bodies are waited for. */
  @Test
  void signInNeedsNoUploadSlot() throws Exception {
    String drips =
        "POST /v1/session HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            + "Content-Length: 4000\r\n\r\n{";
    try (Dripping dripping = new Dripping(drips, FEW)) {
      while (dripping.rounds() < 10) {
        assertThat(signInWithoutBody()).startsWith("HTTP/1.1 201").contains("holdfast_session");
      }
    }
  }

  private static String signInWithoutBody() throws IOException {
    return answer(
        "POST /v1/session HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            + "Authorization: Bearer %s\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
                .formatted(server.token()));
  }

  @Test
  void largeBodiesWithoutATokenDoNotFreezeIt() throws Exception {
    assertItAnswersBeside(
        "PUT /v1/events/x HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            + "Content-Length: 1000000\r\n\r\n{");
  }

  @Test
  void largeBodiesOfHealthRequestsDoNotBlock() throws Exception {
    assertItAnswersBeside("POST /livez HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n{");
  }

  @Test
  void chunksWithoutAnEndDoNotFreezeIt() throws Exception {
    assertItAnswersBeside(
        "POST /v1/events HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nf0000\r\n{");
  }

  /** These may be slow for 10 s each, since they have a token. */
  @Test
  void healthRespondsIfThreadsAreExhausted() throws Exception {
    String upload =
        "POST /v1/events:batch HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            + "Authorization: Bearer %s\r\nContent-Length: 9900000\r\n\r\n{"
                .formatted(server.token());
    try (Dripping dripping = new Dripping(upload, MORE_THAN_THREADS)) {
      long start = System.nanoTime();
      while (System.nanoTime() - start < ATTACK.toNanos() || dripping.rounds() < 3) {
        assertThat(server.get("/livez", "").statusCode()).isEqualTo(200);
        assertThat(server.get("/readyz", "").statusCode()).isEqualTo(200);
        TimeUnit.MILLISECONDS.sleep(200);
      }
    }
  }

  @Test
  void slowUploadsUseReceivedSizeOnly() throws Exception {
    String upload =
        "POST /v1/events:batch HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            + "Authorization: Bearer %s\r\nContent-Length: 9900000\r\n\r\n%s"
                .formatted(server.token(), " ".repeat(20_000));
    String items = "{\"items\":[]}" + " ".repeat(20_000);
    try (Dripping dripping = new Dripping(upload, 4)) {
      while (dripping.rounds() < 4) {
        assertThat(server.send("POST", "/v1/events:batch", items).statusCode())
            .as("there is room for it at once")
            .isBetween(200, 400);
      }
    }
  }

  @Test
  void earlyRejectionClosesConnection() throws Exception {
    assertThat(
            answer(
                "PUT /v1/events/x HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                    + "Content-Length: 100000\r\n\r\n{"))
        .startsWith("HTTP/1.1 401")
        .containsIgnoringCase("\r\nConnection: close\r\n");
  }

  /** As a browser sends it: the body comes with the head. */
  private static String signIn() throws IOException {
    String body = "{\"token\":\"" + server.token() + "\"}";
    return answer(
        "POST /v1/session HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            + "Connection: close\r\nContent-Length: %d\r\n\r\n%s".formatted(body.length(), body));
  }

  /** All that is answered until the connection is closed. */
  private static String answer(String request) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), uri().getPort())) {
      socket.setSoTimeout(30_000);
      socket.getOutputStream().write(request.getBytes(US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), US_ASCII);
    }
  }

  @Test
  void thePortOfHealthHasNothingElse() throws Exception {
    String health = server.told("health").replaceFirst("/livez.*", "");
    assertThat(status(health + "/livez")).isEqualTo(200);
    assertThat(status(health + "/readyz")).isEqualTo(200);
    for (String path : new String[] {"/", "/metrics", "/v1/instances", "/openapi.yaml"}) {
      assertThat(status(health + path)).as(path).isEqualTo(404);
    }
  }

  private static int status(String url) throws IOException, InterruptedException {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create(url))
                .header("Authorization", "Bearer " + server.token())
                .build(),
            BodyHandlers.ofString())
        .statusCode();
  }

  private static void assertItAnswersBeside(String beginning) throws Exception {
    try (Dripping dripping = new Dripping(beginning, CLIENTS)) {
      long start = System.nanoTime();
      while (System.nanoTime() - start < ATTACK.toNanos() || dripping.rounds() < 3) {
        assertThat(server.get("/livez", "").statusCode()).isEqualTo(200);
        assertThat(server.get("/readyz", "").statusCode()).isEqualTo(200);
        // a burst of beginnings may be rejected with 503 and Retry-After, but not for long
        await()
            .untilAsserted(
                () ->
                    assertThat(server.get("/v1/instances", server.token()).statusCode())
                        .isEqualTo(200));
        await()
            .untilAsserted(
                () -> assertThat(signIn()).startsWith("HTTP/1.1 201").contains("holdfast_session"));
        TimeUnit.MILLISECONDS.sleep(200);
      }
    }
  }

  private static URI uri() {
    return URI.create(server.told("address"));
  }

  /** Begins requests, sends a byte of each now and then, and begins anew where one was ended. */
  private static final class Dripping implements AutoCloseable {
    private final Socket[] clients;
    private final byte[] beginning;
    private final AtomicInteger rounds = new AtomicInteger();
    private final Thread thread = new Thread(this::run, "dripping");
    private volatile boolean over;

    Dripping(String beginning, int count) throws IOException {
      this.beginning = beginning.getBytes(US_ASCII);
      this.clients = new Socket[count];
      for (int i = 0; i < count; i++) {
        clients[i] = begin();
      }
      thread.start();
    }

    int rounds() {
      return rounds.get();
    }

    private Socket begin() throws IOException {
      Socket socket = new Socket(InetAddress.getLoopbackAddress(), uri().getPort());
      socket.getOutputStream().write(beginning);
      return socket;
    }

    private void run() {
      try {
        while (!over) {
          for (int i = 0; i < clients.length; i++) {
            drip(i);
          }
          rounds.incrementAndGet();
          TimeUnit.MILLISECONDS.sleep(500);
        }
      } catch (IOException | InterruptedException e) {
        throw new AssertionError(e);
      }
    }

    private void drip(int i) throws IOException {
      try {
        clients[i].getOutputStream().write(' ');
      } catch (IOException ended) {
        clients[i].close();
        clients[i] = begin();
      }
    }

    @Override
    public void close() throws IOException {
      over = true;
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      for (Socket client : clients) {
        client.close();
      }
    }
  }
}
