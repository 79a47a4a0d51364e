package dev.holdfast.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.idempotency.Fingerprint;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IdempotencyOptions;
import dev.holdfast.idempotency.IdempotencyRequest;
import dev.holdfast.idempotency.RejectedException;
import dev.holdfast.idempotency.ReplyCodecs;
import dev.holdfast.idempotency.spi.BeginResult;
import dev.holdfast.servlet.TestApp.Endpoint;
import dev.holdfast.servlet.TestApp.Handler;
import dev.holdfast.workflow.OpenWorkflow;
import dev.holdfast.workflow.Workflows;
import jakarta.servlet.ServletException;
import java.net.http.HttpResponse;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** What becomes of exceptions of the library that the application lets pass. */
abstract class ProblemContract extends FilterContract {
  ProblemContract(FilterPlaces places) {
    super(places);
  }

  /**
   * Runs something under a key of its own, in each request; on another thread, because a workflow
   * is rejected inside the transaction of the request.
   */
  private static Handler running(Workflows claims, IdempotencyKey key, String payload) {
    return (request, response) -> {
      CompletableFuture<String> result =
          CompletableFuture.supplyAsync(
              () ->
                  claims
                      .run(
                          IdempotencyRequest.of(key, ReplyCodecs.text())
                              .fingerprint(Fingerprint.of(payload)),
                          claim -> "done")
                      .orElseThrow());
      try {
        response.getWriter().print(result.join());
      } catch (CompletionException e) {
        throw e.getCause() instanceof RuntimeException failure ? failure : e;
      }
    };
  }

  @Test
  void aRefusalIsAnsweredByItsTextAndKept() {
    String order = FilterPlace.newKey();
    Endpoint endpoint =
        place.at(
            "/problem",
            (request, response) -> {
              try (Statement statement =
                  IdempotentRequest.transaction(request).connection().createStatement()) {
                statement.execute("INSERT INTO orders (id) VALUES ('" + order + "')");
              }
              response.setHeader("X-Mine", "mine");
              response.getWriter().print("half of an answer");
              throw new ServletException(new RejectedException("the card is not covered"));
            });
    String key = FilterPlace.newKey();
    for (int i = 0; i < 2; i++) {
      HttpResponse<byte[]> refused = place.send(endpoint, key);
      FilterPlace.assertProblem(refused, 422, "idempotency-rejected");
      assertThat(refused.body()).asString().contains("\"detail\":\"the card is not covered\"");
      assertThat(refused.headers().firstValue("X-Mine")).isEmpty();
      assertThat(refused.headers().allValues("Idempotency-Mode")).containsExactly("transaction");
    }
    assertThat(endpoint.calls()).isEqualTo(1);
    assertThat(place.orders(order)).isZero();
  }

  @Test
  void aMismatchInsideIsAnsweredAndKept() {
    Workflows claims = place.holdfast().workflows();
    IdempotencyKey inner = IdempotencyKey.of("inner", FilterPlace.newKey());
    String first =
        claims
            .run(
                IdempotencyRequest.of(inner, ReplyCodecs.text()).fingerprint(Fingerprint.of("one")),
                claim -> "one")
            .orElseThrow();
    assertThat(first).isEqualTo("one");
    Endpoint endpoint = place.at("/problem", running(claims, inner, "two"));
    String key = FilterPlace.newKey();
    for (int i = 0; i < 2; i++) {
      FilterPlace.assertProblem(place.send(endpoint, key), 422, "idempotency-key-reused");
    }
    assertThat(endpoint.calls()).isEqualTo(1);
  }

  @Test
  void nestedInProgressIsRetryable() {
    Workflows claims =
        Holdfast.builder(place.holdfast().dataSource())
            .idempotency(
                IdempotencyOptions.builder()
                    .waitTimeout(Duration.ZERO)
                    .leaseDuration(Duration.ofMinutes(5))
                    .build())
            .build()
            .workflows();
    IdempotencyKey inner = IdempotencyKey.of("inner", FilterPlace.newKey());
    BeginResult<OpenWorkflow> begun =
        claims.begin(
            IdempotencyRequest.of(inner, ReplyCodecs.bytes()).fingerprint(Fingerprint.of("one")));
    OpenWorkflow held = ((BeginResult.Open<OpenWorkflow>) begun).request();
    Endpoint endpoint = place.at("/problem", running(claims, inner, "one"));
    String key = FilterPlace.newKey();
    for (int times = 1; times <= 2; times++) {
      HttpResponse<byte[]> busy = place.send(endpoint, key);
      FilterPlace.assertProblem(busy, 409, "idempotency-in-progress");
      assertThat(Integer.parseInt(busy.headers().firstValue("Retry-After").orElseThrow()))
          .isEqualTo(5);
      assertThat(endpoint.calls()).isEqualTo(times);
    }
    assertThat(held.release()).isTrue();
    assertThat(place.send(endpoint, key).body()).asString().isEqualTo("done");
  }

  @Test
  void otherExceptionsPass() {
    Endpoint endpoint =
        place.at(
            "/problem",
            (request, response) -> {
              throw new IllegalStateException("it went wrong");
            });
    HttpResponse<byte[]> answer = place.send(endpoint, FilterPlace.newKey());
    assertThat(answer.statusCode()).isEqualTo(500);
    assertThat(answer.body()).asString().doesNotContain("urn:holdfast");
  }
}
