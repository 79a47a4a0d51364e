package dev.holdfast.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.client.EventView.Status;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class HoldfastClientTest {
  private static final String PENDING =
      """
      {"id":"7-0","status":"PENDING","version":3,"attempts":1,"dueAt":"2026-11-15T09:00:00Z",
       "key":"birthday-42","error":"HTTP 503","tags":[],"target":{"url":"https://example.org"}}
      """;

  private static final String CANCELLED =
      PENDING.replace("PENDING", "CANCELLED").replace("\"version\":3", "\"version\":4");

  private FakeService service;
  private HoldfastClient client;

  @BeforeEach
  void start() throws Exception {
    service = new FakeService();
    client = HoldfastClient.builder(service.address()).token("hf_secret").build();
  }

  @AfterEach
  void stop() {
    service.close();
  }

  @Test
  void aCallIsScheduledUnderItsKey() {
    service.then(201, PENDING);

    EventView event =
        client.schedule(
            WebhookRequest.post("https://example.org/hook")
                .json("{\"name\":\"Ana \\u00e9\"}")
                .header("X-One", "1")
                .header("X-One", "2")
                .at(Instant.parse("2026-11-15T09:00:00Z"))
                .queue("mail")
                .priority(7)
                .maxAttempts(4)
                .timeout(Duration.ofSeconds(5))
                .orderingKey("ana")
                .tags("a", "b")
                .key("birthday/42 ñ"));

    assertThat(event.id()).isEqualTo("7-0");
    assertThat(event.status()).isEqualTo(Status.PENDING);
    assertThat(event.error()).isEqualTo("HTTP 503");
    FakeService.Request request = service.requests.get(0);
    assertThat(request.line()).isEqualTo("PUT /holdfast/v1/events/birthday%2F42%20%C3%B1");
    assertThat(request.token()).isEqualTo("Bearer hf_secret");
    assertThat(Json.read(request.body()))
        .isEqualTo(
            Map.of(
                "target",
                Map.of(
                    "url", "https://example.org/hook",
                    "method", "POST",
                    "text", "{\"name\":\"Ana \\u00e9\"}",
                    "contentType", "application/json",
                    "headers", Map.of("X-One", List.of("1", "2"))),
                "at",
                "2026-11-15T09:00:00Z",
                "queue",
                "mail",
                "priority",
                7.0,
                "retry",
                Map.of("maxAttempts", 4.0),
                "timeout",
                "PT5S",
                "orderingKey",
                "ana",
                "tags",
                List.of("a", "b")));
  }

  /** As the guide says it. */
  @Test
  void theExampleOfTheGuideSchedules() {
    service.then(201, PENDING);
    String address = service.address();
    String token = "hf_secret";
    Instant nine = Instant.parse("2026-11-15T09:00:00Z");

    HoldfastClient holdfast = HoldfastClient.builder(address).token(token).build();
    EventView event =
        holdfast.schedule(
            WebhookRequest.post("https://example.org/hooks")
                .json("{\"user\":42}")
                .key("birthday-42")
                .at(nine));

    assertThat(event.key()).isEqualTo("birthday-42");
  }

  @Test
  void aRequestWhoseAnswerWasLostIsSentAgainUnderTheSameKey() {
    service.thenNoAnswer().then(503, "", "Retry-After", "0").then(200, PENDING);

    client.schedule(WebhookRequest.post("https://example.org/hook"));

    assertThat(service.requests).hasSize(3);
    assertThat(service.requests)
        .extracting(FakeService.Request::line)
        .containsOnly(service.requests.get(0).line());
    assertThat(service.requests.get(0).line()).startsWith("PUT /holdfast/v1/events/client-");
  }

  @Test
  void twoCallsWithoutAKeyHaveDifferentOnes() {
    service.then(201, PENDING).then(201, PENDING);
    WebhookRequest call = WebhookRequest.post("https://example.org/hook");

    client.schedule(call);
    client.schedule(call);

    assertThat(service.requests.get(0).line()).isNotEqualTo(service.requests.get(1).line());
  }

  @Test
  void aRefusalIsToldAsItIsAndNotRepeated() {
    service.then(
        409,
        "{\"type\":\"urn:holdfast:problem:conflict\",\"detail\":\"another call has the key\"}");

    assertThatThrownBy(
            () -> client.schedule(WebhookRequest.post("https://example.org/hook").key("k")))
        .isInstanceOfSatisfying(
            HoldfastServiceException.class,
            refused -> {
              assertThat(refused.status()).isEqualTo(409);
              assertThat(refused.code()).isEqualTo("conflict");
            })
        .hasMessageContaining("another call has the key");
    assertThat(service.requests).hasSize(1);
  }

  @Test
  void whenPatienceEndsItIsNotKnownWhetherThereIsAnEvent() {
    service.thenNoAnswer();

    assertThatThrownBy(
            () ->
                HoldfastClient.builder(service.address())
                    .token("hf_secret")
                    .retryTimeout(Duration.ZERO)
                    .build()
                    .schedule(WebhookRequest.post("https://example.org/hook").key("k")))
        .isInstanceOfSatisfying(
            HoldfastServiceException.class,
            e -> assertThat(e.code()).isEqualTo("service-unreachable"))
        .hasMessageContaining("is unreachable");
  }

  @Test
  void aServiceThatAsksForMoreTimeThanThereIsPatienceIsBelievedAtOnce() {
    service.then(503, "{\"type\":\"urn:holdfast:problem:unavailable\"}", "Retry-After", "3600");

    assertThatThrownBy(() -> client.find("7-0"))
        .isInstanceOfSatisfying(
            HoldfastServiceException.class, e -> assertThat(e.code()).isEqualTo("unavailable"));
  }

  @Test
  void anEventThatIsNotThereIsEmpty() {
    service.then(404, "{\"type\":\"urn:holdfast:problem:not-found\"}");

    assertThat(client.find("8-0")).isEmpty();
  }

  @Test
  void cancellingSaysWhichVersionWasSeen() {
    service.then(200, PENDING, "ETag", "\"3\"").then(200, CANCELLED);

    assertThat(client.cancel("birthday-42", "moved away")).isEqualTo(CancelResult.CANCELLED);
    assertThat(service.requests.get(1))
        .isEqualTo(
            new FakeService.Request(
                "POST /holdfast/v1/events/7-0:cancel",
                "Bearer hf_secret",
                "\"3\"",
                "{\"reason\":\"moved away\"}"));
  }

  @Test
  void cancellingLooksAgainWhereTheEventHasChanged() {
    service
        .then(200, PENDING, "ETag", "\"3\"")
        .then(412, "{}")
        .then(200, PENDING.replace("PENDING", "PROCESSING"), "ETag", "\"4\"")
        .then(200, PENDING.replace("PENDING", "PROCESSING"));

    assertThat(client.cancel("7-0", "")).isEqualTo(CancelResult.CANCELLATION_REQUESTED);
    assertThat(service.requests.get(3).ifMatch()).isEqualTo("\"4\"");
  }

  @Test
  void aCancellationWhoseAnswerWasLostIsOneAllTheSame() {
    service.then(200, PENDING, "ETag", "\"3\"").thenNoAnswer().then(412, "{}").then(200, CANCELLED);

    assertThat(client.cancel("7-0", "")).isEqualTo(CancelResult.CANCELLED);
  }

  @Test
  void whatHasEndedStaysAsItIs() {
    service.then(200, PENDING.replace("PENDING", "COMPLETED"));

    assertThat(client.cancel("7-0", "")).isEqualTo(CancelResult.ALREADY_ENDED);
    assertThat(service.requests).hasSize(1);
  }

  @Test
  void anAnswerThatIsNoEventIsNoSuccess() {
    service.then(200, "<html>a proxy</html>").then(200, "{}").then(200, "[1]");

    for (int time = 0; time < 3; time++) {
      assertThatThrownBy(() -> client.find("7-0"))
          .isInstanceOfSatisfying(
              HoldfastServiceException.class,
              e -> assertThat(e.code()).isEqualTo("service-unexpected-response"));
    }
  }

  @Test
  void anAddressWithoutASchemeIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> HoldfastClient.builder("localhost:7411"))
        .withMessageContaining("http://localhost:7411");
  }

  @Test
  void theTokenIsNotInItsText() {
    assertThat(client).asString().doesNotContain("hf_secret");
  }

  @Test
  void sendsRequestsToOtherResources() {
    service.then(200, "{\"paused\":true}", "ETag", "\"4\"");

    assertThat(client.send("PATCH", "/v1/queues/mail", "{\"paused\":true}", "\"3\""))
        .isEqualTo(new ServiceResponse(200, "\"4\"", "{\"paused\":true}"));
    assertThat(service.requests)
        .containsExactly(
            new FakeService.Request(
                "PATCH /holdfast/v1/queues/mail",
                "Bearer hf_secret",
                "\"3\"",
                "{\"paused\":true}"));
  }

  @Test
  void reportsRejectedRequestsToOtherResources() {
    service.then(404, "{\"type\":\"urn:holdfast:problem:not-found\",\"detail\":\"No such queue\"}");

    assertThatThrownBy(() -> client.send("GET", "/v1/queues/mail", null, ""))
        .isInstanceOfSatisfying(
            HoldfastServiceException.class,
            e -> {
              assertThat(e.status()).isEqualTo(404);
              assertThat(e.code()).isEqualTo("not-found");
            })
        .hasMessageContaining("No such queue");
  }
}
