package dev.holdfast.servlet;

import dev.holdfast.Holdfast;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import dev.holdfast.transaction.Transaction;
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
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** An application behind the filter, whose requests are in transactions of Spring. */
abstract class SpringRequests {
  final TestSchema schema = TestDatabase.postgreSql().newSchema();
  final DataSource dataSource = schema.dataSource(5);
  final TransactionTemplate template =
      new TransactionTemplate(new JdbcTransactionManager(dataSource));
  final JdbcTemplate jdbc = new JdbcTemplate(dataSource);
  final TestApp app = new TestApp();
  private final HttpClient client = HttpClient.newHttpClient();
  private Web web;

  @BeforeEach
  final void start() {
    Holdfast.create(dataSource).migrations().migrate();
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
                    work.execute(Transaction.of(connection));
                  } finally {
                    DataSourceUtils.releaseConnection(connection, dataSource);
                  }
                });
    IdempotencyFilter filter =
        IdempotencyFilter.builder(Holdfast.create(dataSource))
            .transactions(spring)
            .options(IdempotencyFilterOptions.builder().allowAnonymous().build())
            .build();
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
  final void stop() {
    web.close();
    schema.close();
  }

  final HttpResponse<String> send(TestApp.Endpoint endpoint, String key) throws Exception {
    return client.send(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + web.port() + endpoint.path()))
            .header("Idempotency-Key", key)
            .POST(BodyPublishers.ofString("body"))
            .build(),
        BodyHandlers.ofString());
  }
}
