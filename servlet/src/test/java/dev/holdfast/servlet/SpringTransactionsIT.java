package dev.holdfast.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;

/** A request joins transactions of Spring, and what Spring runs joins those of the request. */
class SpringTransactionsIT extends SpringRequests {
  @Test
  void rowsOfSpringAreCommittedWithTheRecord() throws Exception {
    TestApp.Endpoint endpoint =
        app.at(
            "",
            (request, response) -> {
              // as a method with @Transactional does
              template.executeWithoutResult(
                  status -> jdbc.update("INSERT INTO orders (id) VALUES ('one')"));
              assertThat(schema.count("SELECT count(*) FROM orders")).isZero();
              response.setStatus(201);
            });
    assertThat(send(endpoint, "k").statusCode()).isEqualTo(201);
    HttpResponse<String> again = send(endpoint, "k");
    assertThat(again.statusCode()).isEqualTo(201);
    assertThat(again.headers().firstValue("Idempotent-Replayed")).hasValue("true");
    assertThat(schema.count("SELECT count(*) FROM orders")).isEqualTo(1);
  }

  @Test
  void anExceptionRollsBackAndPasses() throws Exception {
    TestApp.Endpoint endpoint =
        app.at(
            "",
            (request, response) -> {
              jdbc.update("INSERT INTO orders (id) VALUES ('one')");
              throw new IllegalStateException("it went wrong");
            });
    assertThat(send(endpoint, "k").statusCode()).isEqualTo(500);
    assertThat(send(endpoint, "k").statusCode()).isEqualTo(500);
    assertThat(endpoint.calls()).isEqualTo(2);
    assertThat(schema.count("SELECT count(*) FROM orders")).isZero();
  }

  @Test
  void aRefusalRollsBackAndIsKept() throws Exception {
    TestApp.Endpoint endpoint =
        app.at(
            "",
            (request, response) -> {
              template.executeWithoutResult(
                  status -> jdbc.update("INSERT INTO orders (id) VALUES ('one')"));
              response.sendError(422, "too many");
            });
    for (int i = 0; i < 2; i++) {
      assertThat(send(endpoint, "k").statusCode()).isEqualTo(422);
      assertThat(schema.count("SELECT count(*) FROM orders")).isZero();
    }
    assertThat(endpoint.calls()).isEqualTo(1);
  }

  /** As where a service throws through @Transactional, and that is answered by 422. */
  @Test
  void storesRejectionOfRollbackOnlyTransaction() throws Exception {
    TestApp.Endpoint endpoint =
        app.at(
            "",
            (request, response) -> {
              try {
                template.executeWithoutResult(
                    status -> {
                      jdbc.update("INSERT INTO orders (id) VALUES ('one')");
                      throw new IllegalArgumentException("too many");
                    });
              } catch (IllegalArgumentException e) {
                response.setStatus(422);
                response.getWriter().print(e.getMessage());
              }
            });
    for (int i = 0; i < 2; i++) {
      HttpResponse<String> answer = send(endpoint, "k");
      assertThat(answer.statusCode()).isEqualTo(422);
      assertThat(answer.body()).isEqualTo("too many");
    }
    assertThat(endpoint.calls()).isEqualTo(1);
    assertThat(schema.count("SELECT count(*) FROM orders")).isZero();
  }
}
