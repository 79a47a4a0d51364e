package dev.holdfast.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.sql.Migrations;
import dev.holdfast.sql.Transaction;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import jakarta.servlet.DispatcherType;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.sql.Connection;
import java.util.EnumSet;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A request joins transactions of Spring, and what Spring runs joins those of the request. */
class SpringTransactionsIT {
  private final TestSchema schema = TestDatabase.postgreSql().newSchema();
  private final DataSource dataSource = schema.dataSource(5);
  private final TransactionTemplate template =
      new TransactionTemplate(new JdbcTransactionManager(dataSource));
  private final JdbcTemplate jdbc = new JdbcTemplate(dataSource);
  private final TestApp app = new TestApp();
  private final HttpClient client = HttpClient.newHttpClient();
  private Web web;

  @BeforeEach
  void start() {
    Migrations.on(dataSource).migrate();
    schema.execute("CREATE TABLE orders (id VARCHAR(100) PRIMARY KEY)");
    RequestTransactions spring =
        (request, work) ->
            template.executeWithoutResult(
                status -> {
                  if (!TransactionSynchronizationManager.hasResource(dataSource)) {
                    throw new IllegalStateException(
                        "not the data source of the transaction manager");
                  }
                  Connection connection = DataSourceUtils.getConnection(dataSource);
                  try {
                    work.in(Transaction.on(connection));
                  } finally {
                    DataSourceUtils.releaseConnection(connection, dataSource);
                  }
                });
    IdempotencyFilter filter =
        IdempotencyFilter.on(
            Holdfast.using(dataSource).idempotency(),
            spring,
            IdempotencyOptions.builder().anonymousShareKeys().build());
    web =
        TomcatWeb.start(
            context -> {
              context
                  .addFilter("idempotency", filter)
                  .addMappingForUrlPatterns(EnumSet.of(DispatcherType.REQUEST), true, "/*");
              context.addServlet("app", app).addMapping("/*");
            });
  }

  @AfterEach
  void stop() {
    web.close();
    schema.close();
  }

  private HttpResponse<String> send(TestApp.Endpoint endpoint, String key) throws Exception {
    return client.send(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + web.port() + endpoint.path()))
            .header("Idempotency-Key", key)
            .POST(BodyPublishers.ofString("body"))
            .build(),
        BodyHandlers.ofString());
  }

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
    assertThat(again.headers().firstValue("Idempotency-Replayed")).hasValue("true");
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
  void aRefusalThatMarkedTheTransactionForRollbackIsKept() throws Exception {
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
