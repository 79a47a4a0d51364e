package dev.holdfast.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import dev.holdfast.client.InvalidWebhookException;
import dev.holdfast.client.WebhookSigner;
import dev.holdfast.client.WebhookVerifier;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WebhookSenderTest extends SenderTest {
  @Test
  void makesTheCallAsItWasAsked() throws IOException {
    try (Receiver receiver = Receiver.answering(Receiver.OK)) {
      Attempt attempt =
          send(
              WebhookCall.to("http://shop.test:" + receiver.port() + "/a%20b/ü?x=1&y=%2F")
                  .method("PUT")
                  .header("Content-Type", "text/plain")
                  .header("X-Many", "1")
                  .header("X-Many", "2")
                  .body("hällo".getBytes(StandardCharsets.UTF_8)));
      assertThat(attempt.succeeded()).isTrue();
      assertThat(attempt.status()).isEqualTo(OptionalInt.of(200));
      assertThat(attempt.excerpt()).isEqualTo("ok");
      assertThat(attempt.error()).isEmpty();
      assertThat(attempt.address()).hasValue("127.0.0.1");
      assertThat(attempt.duration()).isPositive();

      Request request = receiver.requests().get(0);
      assertThat(request.line()).isEqualTo("PUT /a%20b/%C3%BC?x=1&y=%2F HTTP/1.1");
      assertThat(request.header("host")).isEqualTo("shop.test:" + receiver.port());
      assertThat(request.header("content-type")).isEqualTo("text/plain");
      assertThat(request.header("content-length")).isEqualTo("6");
      assertThat(request.headers()).containsEntry("x-many", List.of("1", "2"));
      assertThat(request.header("user-agent")).isEqualTo("Holdfast");
      assertThat(request.headers())
          .doesNotContainKeys("accept-encoding", "cookie", "transfer-encoding", "expect");
      assertThat(request.body()).isEqualTo("hällo");
    }
  }

  @Test
  void verifierAcceptsSignature() throws IOException, InvalidWebhookException {
    Instant now = Instant.parse("2026-11-15T10:00:00.9Z");
    Clock clock = Clock.fixed(now, ZoneOffset.UTC);
    sender(settings().clock(clock));
    try (Receiver receiver = Receiver.answering(Receiver.OK)) {
      assertThat(send(receiver.url()).startedAt()).isEqualTo(now);
      Request request = receiver.requests().get(0);
      assertThat(
              WebhookVerifier.of(SECRET)
                  .clock(clock)
                  .verify(request.headers(), request.body().getBytes(StandardCharsets.UTF_8))
                  .id())
          .isEqualTo("evt_1");
      assertThat(request.header("webhook-timestamp"))
          .isEqualTo(Long.toString(now.getEpochSecond()));
    }
  }

  @Test
  void keepsIdWhileAttemptNumberGrows() throws IOException {
    try (Receiver receiver = Receiver.answering(Receiver.OK)) {
      WebhookSigner signer = WebhookSigner.of(SECRET);
      sender().send(call(receiver.url()), new Delivery("evt_9", 1, 41, signer)).join();
      sender().send(call(receiver.url()), new Delivery("evt_9", 2, 43, signer)).join();
      assertThat(receiver.requests())
          .extracting(
              request -> request.header("webhook-id"),
              request -> request.header("holdfast-attempt"),
              request -> request.header("holdfast-fencing-token"))
          .containsExactly(tuple("evt_9", "1", "41"), tuple("evt_9", "2", "43"));
    }
  }

  @Test
  void goesUnsignedWithoutASigner() throws IOException {
    try (Receiver receiver = Receiver.answering(Receiver.OK)) {
      sender().send(call(receiver.url()), new Delivery("evt_1", 1, 1, null)).join();
      assertThat(receiver.requests().get(0).headers())
          .containsKeys("webhook-id", "webhook-timestamp")
          .doesNotContainKey("webhook-signature");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"GET", "HEAD", "DELETE", "POST", "PUT", "PATCH"})
  void makesCallsWithoutABody(String method) throws IOException {
    String answer = method.equals("HEAD") ? "HTTP/1.1 200 OK\r\n\r\n" : Receiver.OK;
    try (Receiver receiver = Receiver.answering(answer)) {
      WebhookCall call = WebhookCall.to(receiver.url()).method(method);
      assertThat(send(call).succeeded()).isTrue();
      assertThat(send(call).succeeded()).isTrue();
      assertThat(receiver.requests().get(0).line()).isEqualTo(method + " /hook HTTP/1.1");
      assertThat(receiver.connections()).isEqualTo(1);
    }
  }

  @Test
  void usesAConnectionAgain() throws IOException {
    try (Receiver receiver = Receiver.answering(Receiver.OK)) {
      for (int i = 0; i < 20; i++) {
        assertThat(send(receiver.url()).succeeded()).isTrue();
      }
      assertThat(receiver.connections()).isEqualTo(1);
    }
  }

  @Test
  void givesIdleConnectionsUp() throws IOException, InterruptedException {
    sender(settings().idleTimeout(Duration.ofMillis(100)));
    CountDownLatch closed = new CountDownLatch(1);
    Receiver.Script once =
        connection -> {
          connection.read();
          connection.write(Receiver.OK);
          if (connection.in.read() < 0) {
            closed.countDown();
          }
        };
    try (Receiver receiver = Receiver.doing(once)) {
      assertThat(send(receiver.url()).succeeded()).isTrue();
      assertThat(closed.await(10, TimeUnit.SECONDS)).isTrue();
      assertThat(sender().connectionCount()).isZero();
    }
  }

  @Test
  void keepsNoCookies() throws IOException {
    try (Receiver receiver =
        Receiver.answering("HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\nContent-Length: 0\r\n\r\n")) {
      send(receiver.url());
      send(receiver.url());
      assertThat(receiver.requests()).hasSize(2);
      assertThat(receiver.requests().get(1).headers()).doesNotContainKey("cookie");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {200, 201, 202, 206, 299})
  void takes2xxForSuccess(int status) throws IOException {
    assertThat(answered(status, "").result()).isEqualTo(new Attempt.Result.Success());
  }

  @ParameterizedTest
  @ValueSource(ints = {400, 401, 403, 404, 409, 422, 500, 502, 504, 599})
  void takesOtherAnswersForARetry(int status) throws IOException {
    Attempt attempt = answered(status, "Retry-After: 7\r\n");
    assertRetry(attempt, "the target responded with " + status);
    assertThat(attempt.status()).isEqualTo(OptionalInt.of(status));
    assertThat(attempt.result()).isEqualTo(new Attempt.Result.Retry(Optional.empty()));
  }

  @Test
  void acceptsChallengeAsResponse() throws IOException {
    assertRetry(
        answered(401, "WWW-Authenticate: Basic realm=\"x\"\r\n"), "the target responded with 401");
  }

  @Test
  void endsAt410() throws IOException {
    assertEnd(answered(410, ""), "the target responded with 410: it is gone permanently");
  }

  @ParameterizedTest
  @ValueSource(ints = {429, 503})
  void honoursRetryAfter(int status) throws IOException {
    assertThat(answered(status, "Retry-After: 120\r\n").result())
        .isEqualTo(new Attempt.Result.Retry(Optional.of(Duration.ofMinutes(2))));
    assertThat(answered(status, "Retry-After: 99999999\r\n").result())
        .isEqualTo(new Attempt.Result.Retry(Optional.of(Duration.ofDays(1))));
    assertThat(answered(status, "").result()).isEqualTo(new Attempt.Result.Retry(Optional.empty()));
  }

  @Test
  void rejectsCallsBeyondLimits() throws IOException {
    sender(settings().limits(WebhookLimits.ofDefaults().maxBodyBytes(1)));
    try (Receiver receiver = Receiver.answering(Receiver.OK)) {
      assertEnd(send(receiver.url()), "the body must have at most 1 bytes, had 2");
      assertThat(receiver.connections()).isZero();
    }
  }

  @Test
  void hidesSecretsThatTheTargetRepeats() throws IOException {
    Receiver.Script echo =
        connection -> {
          String heard = connection.read().header("authorization");
          String body = "you sent " + heard + "!";
          connection.write(
              "HTTP/1.1 400 No\r\nContent-Length: " + body.length() + "\r\n\r\n" + body);
        };
    try (Receiver receiver = Receiver.doing(echo)) {
      Attempt attempt = send(call(receiver.url()).header("Authorization", "Bearer s3cr3t-token"));
      assertThat(attempt.excerpt()).isEqualTo("you sent [redacted]!");
      assertThat(attempt.toString()).doesNotContain("s3cr3t");
    }
  }

  @Test
  void endsWhatIsUnderWayWhenItIsClosed() throws IOException {
    try (Receiver receiver = Receiver.doing(Receiver.Connection::read)) {
      CompletableFuture<Attempt> waiting = sender().send(call(receiver.url()), delivery());
      sender().close();
      assertRetry(waiting.orTimeout(10, TimeUnit.SECONDS).join(), "the sender was closed");
      assertRetry(send(receiver.url()), "the sender was closed");
    }
  }

  @Test
  void runsWhatTheCallerDoesOnItsExecutor() throws IOException {
    sender(settings().executor(work -> new Thread(work, "mine").start()));
    try (Receiver receiver = Receiver.doing(Receiver.Connection::read)) {
      CompletableFuture<String> thread =
          sender()
              .send(call(receiver.url()).timeout(SHORT), delivery())
              .thenApply(attempt -> Thread.currentThread().getName());
      assertThat(thread.join()).isEqualTo("mine");
    }
  }

  private Attempt answered(int status, String headers) throws IOException {
    try (Receiver receiver =
        Receiver.answering(
            "HTTP/1.1 " + status + " Said\r\n" + headers + "Content-Length: 0\r\n\r\n")) {
      return send(receiver.url());
    }
  }
}
