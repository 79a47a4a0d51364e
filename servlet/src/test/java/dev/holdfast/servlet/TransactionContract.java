package dev.holdfast.servlet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.idempotency.ReplyCodecs;
import dev.holdfast.servlet.TestApp.Endpoint;
import dev.holdfast.transaction.Transaction;
import dev.holdfast.workflow.StepContext;
import jakarta.servlet.http.HttpServletRequest;
import java.net.http.HttpResponse;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is committed together, and what takes no effect. */
abstract class TransactionContract extends FilterContract {
  TransactionContract(FilterPlaces places) {
    super(places);
  }

  private static void order(HttpServletRequest request, String id) throws SQLException {
    order(IdempotentRequest.transaction(request), id);
  }

  private static void order(Transaction tx, String id) throws SQLException {
    try (Statement statement = tx.connection().createStatement()) {
      statement.execute("INSERT INTO orders (id) VALUES ('" + id + "')");
    }
  }

  @Test
  void commitsBeforeSendingResponse() {
    String id = FilterPlace.newKey();
    Endpoint endpoint =
        place.at(
            "/tx",
            (request, response) -> {
              order(request, id);
              // not before
              assertThat(place.orders(id)).isZero();
              response.setStatus(201);
              response.flushBuffer();
            });
    String key = FilterPlace.newKey();
    assertThat(place.send(endpoint, key).statusCode()).isEqualTo(201);
    assertThat(place.orders(id)).isEqualTo(1);
    assertThat(place.send(endpoint, key).statusCode()).isEqualTo(201);
    assertThat(place.orders(id)).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {200, 303})
  void omittedSuccessIsNotReported(int status) {
    String id = FilterPlace.newKey();
    Endpoint endpoint =
        place.at(
            "/created",
            (request, response) -> {
              order(request, id);
              response.setStatus(status);
            });
    FilterPlace.assertProblem(
        place.send(place.post(endpoint.path(), FilterPlace.newKey(), new byte[0])),
        500,
        "idempotency-status-not-recorded");
    assertThat(place.orders(id)).isZero();
  }

  @Test
  void whatIsNotKeptIsRolledBack() {
    String id = FilterPlace.newKey();
    AtomicInteger times = new AtomicInteger();
    Endpoint endpoint =
        place.at(
            "/tx",
            (request, response) -> {
              order(request, id);
              switch (times.incrementAndGet()) {
                case 1 -> response.setStatus(500);
                case 2 -> response.sendError(503, "not now");
                case 3 -> throw new IllegalArgumentException("it went wrong");
                case 4 -> throw new java.io.IOException("it went wrong");
                case 5 -> throw new AssertionError("it went wrong");
                default -> response.setStatus(200);
              }
            });
    String key = FilterPlace.newKey();
    for (int i = 1; i <= 5; i++) {
      assertThat(place.send(endpoint, key).statusCode()).isEqualTo(i == 2 ? 503 : 500);
      assertThat(place.orders(id)).isZero();
    }
    assertThat(place.send(endpoint, key).statusCode()).isEqualTo(200);
    assertThat(place.send(endpoint, key).statusCode()).isEqualTo(200);
    assertThat(place.orders(id)).isEqualTo(1);
    assertThat(endpoint.calls()).isEqualTo(6);
  }

  @Test
  void aRefusalIsKeptAndTakesNoEffect() {
    for (int how = 0; how < 4; how++) {
      int refusal = how;
      String id = FilterPlace.newKey();
      Endpoint endpoint =
          place.at(
              how == 3 ? "/problem" : "/tx",
              (request, response) -> {
                order(request, id);
                switch (refusal) {
                  case 0 -> response.setStatus(422);
                  case 1 -> response.sendError(422, "too many");
                  case 2 -> {
                    response.setStatus(422);
                    response.flushBuffer();
                  }
                  default -> throw Problem.of(422, "too-many", "t", "d").toException();
                }
              });
      String key = FilterPlace.newKey();
      assertThat(place.send(endpoint, key).statusCode()).isEqualTo(422);
      assertThat(place.orders(id)).as("way %d", how).isZero();
      HttpResponse<byte[]> again = place.send(endpoint, key);
      assertThat(again.statusCode()).isEqualTo(422);
      assertThat(again.headers().firstValue("Idempotent-Replayed")).hasValue("true");
      assertThat(endpoint.calls()).isEqualTo(1);
      FilterPlace.assertProblem(place.send(endpoint, key, "other"), 422, "idempotency-key-reused");
      assertThat(place.orders(id)).isZero();
    }
  }

  @Test
  void oversizedHeadersAreNotRejection() {
    Endpoint endpoint =
        place.at(
            "/smalltx",
            (request, response) -> {
              response.setStatus(422);
              response.setHeader("X-Long", "x".repeat(1000));
              response.getOutputStream().write(new byte[900]);
            });
    FilterPlace.assertProblem(
        place.send(endpoint, FilterPlace.newKey()), 500, "idempotency-result-too-large");
  }

  @Test
  void aRefusalIsCommittedWhereTheOptionsSaySo() {
    String id = FilterPlace.newKey();
    Endpoint endpoint =
        place.at(
            "/committing",
            (request, response) -> {
              order(request, id);
              response.setStatus(422);
            });
    String key = FilterPlace.newKey();
    for (int i = 0; i < 2; i++) {
      assertThat(place.send(endpoint, key).statusCode()).isEqualTo(422);
      assertThat(place.orders(id)).isEqualTo(1);
    }
    assertThat(endpoint.calls()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/tx", "/committing"})
  void storesRejectionOfRolledBackTransaction(String prefix) {
    String id = FilterPlace.newKey();
    Endpoint endpoint =
        place.at(
            prefix,
            (request, response) -> {
              order(request, id);
              IdempotentRequest.transaction(request)
                  .setRollbackOnly(new IllegalStateException("a guard has failed"));
              response.setStatus(409);
              response.getWriter().print("taken");
            });
    String key = FilterPlace.newKey();
    for (int i = 0; i < 2; i++) {
      HttpResponse<byte[]> answer = place.send(endpoint, key);
      assertThat(answer.statusCode()).isEqualTo(409);
      assertThat(answer.body()).asString().isEqualTo("taken");
    }
    assertThat(endpoint.calls()).isEqualTo(1);
    assertThat(place.orders(id)).isZero();
  }

  /** On PostgreSQL nothing can be written any more after an error that was swallowed. */
  @ParameterizedTest
  @ValueSource(strings = {"/tx", "/committing"})
  void storesRejectionAfterDatabaseError(String prefix) {
    int cart = prefix.hashCode();
    String insert = "INSERT INTO carts (id, quantity, version) VALUES (" + cart + ", 1, 1)";
    place.schema().execute(insert);
    Endpoint endpoint =
        place.at(
            prefix,
            (request, response) -> {
              try (Statement statement =
                  IdempotentRequest.transaction(request).connection().createStatement()) {
                statement.execute(insert);
              } catch (SQLException e) {
                response.sendError(409, "there is one");
              }
            });
    String key = FilterPlace.newKey();
    for (int i = 0; i < 2; i++) {
      HttpResponse<byte[]> answer = place.send(endpoint, key);
      assertThat(answer.statusCode()).isEqualTo(409);
      assertThat(answer.body()).asString().contains("there is one");
    }
    assertThat(endpoint.calls()).isEqualTo(1);
  }

  @Test
  void aSuccessThatCannotBeCommittedIsNone() {
    String id = FilterPlace.newKey();
    AtomicInteger times = new AtomicInteger();
    Endpoint endpoint =
        place.at(
            "/tx",
            (request, response) -> {
              order(request, id);
              response.setStatus(201);
              response.setHeader("Location", "/orders/1");
              if (times.incrementAndGet() == 1) {
                IdempotentRequest.transaction(request)
                    .setRollbackOnly(new IllegalStateException("a guard has failed"));
              }
            });
    String key = FilterPlace.newKey();
    HttpResponse<byte[]> failed = place.send(endpoint, key);
    FilterPlace.assertProblem(failed, 500, "idempotency-rolled-back");
    assertThat(failed.headers().firstValue("Retry-After")).as("it is certain").isEmpty();
    assertThat(failed.headers().firstValue("Location")).isEmpty();
    assertThat(place.orders(id)).isZero();
    assertThat(place.send(endpoint, key).statusCode()).isEqualTo(201);
    assertThat(place.orders(id)).isEqualTo(1);
  }

  @Test
  void aClaimThatWasLostPublishesNothing() throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    AtomicInteger times = new AtomicInteger();
    Endpoint endpoint =
        place.at(
            "/lease",
            (request, response) -> {
              if (times.incrementAndGet() == 1) {
                running.countDown();
                assertThat(go.await(1, TimeUnit.MINUTES)).isTrue();
                response.setHeader("X-Zombie", "1");
                response.getWriter().print("zombie");
              } else {
                response.getWriter().print("thief");
              }
            });
    String key = FilterPlace.newKey();
    CompletableFuture<HttpResponse<byte[]>> zombie =
        CompletableFuture.supplyAsync(() -> place.send(endpoint, key));
    assertThat(running.await(1, TimeUnit.MINUTES)).isTrue();
    // as if it had been paused for longer than its lease
    place
        .schema()
        .execute(
            "UPDATE holdfast_idempotency SET lease_until = TIMESTAMP '2020-01-01 00:00:00'"
                + " WHERE lease_until IS NOT NULL");
    assertThat(place.send(endpoint, key).body()).asString().isEqualTo("thief");
    go.countDown();
    HttpResponse<byte[]> refused = zombie.get(1, TimeUnit.MINUTES);
    assertThat(refused.statusCode()).isEqualTo(503);
    assertThat(refused.body()).asString().contains("idempotency-lease-lost");
    assertThat(refused.headers().firstValue("X-Zombie")).isEmpty();
    assertThat(place.send(endpoint, key).body()).asString().isEqualTo("thief");
    assertThat(endpoint.calls()).isEqualTo(2);
  }

  @Test
  void theStepsOfAClaimAreNotRunAgain() {
    AtomicInteger charges = new AtomicInteger();
    Endpoint endpoint =
        place.at(
            "/lease",
            (request, response) -> {
              StepContext claim =
                  IdempotentRequest.from(request).orElseThrow().steps().orElseThrow();
              long charge =
                  claim.step(
                      "charge", ReplyCodecs.number(), () -> (long) charges.incrementAndGet());
              response.setStatus(claim.attempt() == 1 ? 500 : 200);
              response.getWriter().print("charge " + charge);
            });
    String key = FilterPlace.newKey();
    assertThat(place.send(endpoint, key).statusCode()).isEqualTo(500);
    HttpResponse<byte[]> again =
        await()
            .atMost(Duration.ofMinutes(1))
            .until(() -> place.send(endpoint, key), answer -> answer.statusCode() != 409);
    assertThat(again.statusCode()).isEqualTo(200);
    assertThat(again.body()).asString().isEqualTo("charge 1");
    assertThat(charges).hasValue(1);
  }
}
