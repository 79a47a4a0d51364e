package dev.holdfast.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.guard.Update;
import dev.holdfast.idempotency.http.IdempotentHttpClient;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import dev.holdfast.transaction.Transaction;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.EnumSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The snippets of the guide to idempotency about HTTP, run. */
class IdempotencyGuideIT {
  private final TestSchema schema = TestDatabase.postgreSql().newSchema();
  private final Holdfast holdfast = Holdfast.create(schema.dataSource(5));
  private final IdempotencyFilterOptions options =
      IdempotencyFilterOptions.builder().principal(request -> "ana").build();
  private final TestApp app = new TestApp();
  private final Orders orders = new Orders();
  private Web web;

  private static final class Orders {
    long create(Transaction tx, String customer, String body) throws SQLException {
      try (PreparedStatement insert =
          tx.connection()
              .prepareStatement("INSERT INTO orders (customer, body) VALUES (?, ?) RETURNING id")) {
        insert.setString(1, customer);
        insert.setString(2, body);
        try (ResultSet made = insert.executeQuery()) {
          made.next();
          return made.getLong(1);
        }
      }
    }
  }

  @BeforeEach
  void start() {
    Holdfast.create(schema.dataSource()).migrations().migrate();
    schema.execute(
        "CREATE TABLE orders (id bigint GENERATED ALWAYS AS IDENTITY, customer text, body text)");
    schema.execute("CREATE TABLE carts (id bigint PRIMARY KEY, quantity int, version bigint)");
    schema.execute("INSERT INTO carts VALUES (7, 1, 5)");
    web =
        TomcatWeb.start(
            context -> {
              context
                  .addFilter("problems", new ProblemFilter())
                  .addMappingForUrlPatterns(EnumSet.of(DispatcherType.REQUEST), true, "/*");
              filter(context);
              context.addServlet("app", app).addMapping("/*");
            });
  }

  private void filter(ServletContext context) {
    IdempotencyFilter filter =
        IdempotencyFilter.builder(holdfast)
            .transactions(RequestTransactions.on(holdfast.transactions()))
            .options(options)
            .build();
    context
        .addFilter("idempotency", filter)
        .addMappingForUrlPatterns(EnumSet.of(DispatcherType.REQUEST), true, "/*");
  }

  @AfterEach
  void stop() {
    web.close();
    schema.close();
  }

  private void place(HttpServletRequest request, HttpServletResponse response)
      throws IOException, SQLException {
    String body = new String(request.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    Transaction tx = IdempotentRequest.transaction(request);
    long order = orders.create(tx, request.getRemoteUser(), body);
    response.setStatus(201);
    response.getWriter().print(order);
  }

  @Test
  void anOrderThatIsPostedTwiceIsPlacedOnce() throws Exception {
    HttpRequest request = post(app.at("", this::place));
    IdempotentHttpClient client = IdempotentHttpClient.over(HttpClient.newHttpClient());
    HttpResponse<String> response = client.send("order-4711", request, BodyHandlers.ofString());

    assertThat(response.statusCode()).isEqualTo(201);
    HttpResponse<String> again = client.send("order-4711", request, BodyHandlers.ofString());
    assertThat(again.body()).isEqualTo(response.body());
    assertThat(again.headers().firstValue("Idempotent-Replayed")).hasValue("true");
    assertThat(schema.count("SELECT count(*) FROM orders")).isEqualTo(1);
  }

  private HttpRequest post(TestApp.Endpoint endpoint) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + web.port() + endpoint.path()))
        .POST(BodyPublishers.ofString("2 apples"))
        .build();
  }

  private void change(HttpServletRequest request, HttpServletResponse response) {
    holdfast
        .transactions()
        .run(
            tx -> {
              long version =
                  Precondition.from(request)
                      .update(
                          expected ->
                              Update.table("carts")
                                  .set("quantity", 3)
                                  .where("id", 7)
                                  .version(expected)
                                  .apply(tx));
              response.setHeader("ETag", ETags.of(version));
            });
  }

  @Test
  void changesCartWithEtag() throws Exception {
    TestApp.Endpoint cart = app.at("", this::change);
    HttpClient client = HttpClient.newHttpClient();
    HttpRequest seen =
        HttpRequest.newBuilder(post(cart), (name, value) -> true)
            .header("If-Match", ETags.of(5))
            .build();
    HttpResponse<String> changed = client.send(seen, BodyHandlers.ofString());
    assertThat(changed.statusCode()).isEqualTo(200);
    assertThat(changed.headers().firstValue("ETag")).hasValue(ETags.of(6));
    assertThat(client.send(seen, BodyHandlers.ofString()).statusCode()).isEqualTo(412);
    assertThat(client.send(post(cart), BodyHandlers.ofString()).statusCode()).isEqualTo(428);
  }
}
