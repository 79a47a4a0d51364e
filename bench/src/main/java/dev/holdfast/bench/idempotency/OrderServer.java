package dev.holdfast.bench.idempotency;

import dev.holdfast.Holdfast;
import dev.holdfast.bench.Hands;
import dev.holdfast.bench.HttpConnection;
import dev.holdfast.servlet.IdempotencyFilter;
import dev.holdfast.servlet.IdempotencyFilterOptions;
import dev.holdfast.servlet.IdempotentRequest;
import dev.holdfast.servlet.RequestTransactions;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;

/** Orders by HTTP, on Tomcat: at one path with the filter, at another without. */
final class OrderServer implements AutoCloseable {
  private static final int CREATED = 201;
  private static final String BODY = "{\"customer\":\"ana@example.com\",\"item\":7}";

  /** Held, or its level would be forgotten. */
  private static final Logger QUIET = Logger.getLogger("org.apache");

  private final Tomcat tomcat;
  private final List<HttpConnection> connections = new ArrayList<>();

  private OrderServer(Tomcat tomcat) {
    this.tomcat = tomcat;
  }

  static OrderServer start(DataSource dataSource) throws Exception {
    Holdfast holdfast = Holdfast.create(dataSource);
    IdempotencyFilter filter =
        IdempotencyFilter.builder(holdfast)
            .transactions(RequestTransactions.on(holdfast.transactions()))
            .options(
                IdempotencyFilterOptions.builder().principal(request -> "ana@example.com").build())
            .build();
    QUIET.setLevel(Level.SEVERE);
    Tomcat tomcat = new Tomcat();
    String folder = Files.createTempDirectory("holdfast-bench").toString();
    tomcat.setBaseDir(folder);
    Connector connector = new Connector();
    connector.setPort(0);
    connector.setProperty("address", "127.0.0.1");
    connector.setProperty("maxKeepAliveRequests", "-1");
    tomcat.setConnector(connector);
    Context context = tomcat.addContext("", folder);
    context.addServletContainerInitializer(
        (types, servlets) -> {
          servlets.addServlet("orders", new Endpoint(dataSource)).addMapping("/orders", "/keyed");
          servlets
              .addFilter("idempotency", filter)
              .addMappingForUrlPatterns(EnumSet.of(DispatcherType.REQUEST), true, "/keyed");
        },
        Set.of());
    tomcat.start();
    return new OrderServer(tomcat);
  }

  /** Places an order: in the transaction of its request, or in one of its own. */
  private static final class Endpoint extends HttpServlet {
    private static final long serialVersionUID = 1L;
    private final transient DataSource dataSource;

    Endpoint(DataSource dataSource) {
      this.dataSource = dataSource;
    }

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response)
        throws ServletException, IOException {
      byte[] body = request.getInputStream().readAllBytes();
      long order;
      try {
        order =
            IdempotentRequest.from(request).isPresent()
                ? Orders.place(IdempotentRequest.transaction(request).connection())
                : Orders.placeAlone(dataSource);
      } catch (SQLException e) {
        throw new ServletException(e);
      }
      byte[] answer =
          ("{\"order\":" + order + ",\"bytes\":" + body.length + "}")
              .getBytes(StandardCharsets.UTF_8);
      response.setStatus(CREATED);
      response.setContentType("application/json");
      response.setHeader("Location", "/orders/" + order);
      response.setContentLength(answer.length);
      response.getOutputStream().write(answer);
    }
  }

  /** Orders with a new key each, by so many clients. */
  Hands.Deed keyed(int clients) throws IOException {
    List<HttpConnection> own = connect(clients);
    return hand -> {
      byte[] request = request("/keyed", "Idempotency-Key: \"" + UUID.randomUUID() + "\"\r\n");
      return created(own.get(hand).send(request));
    };
  }

  /** Orders without any key, by so many clients. */
  Hands.Deed plain(int clients) throws IOException {
    List<HttpConnection> own = connect(clients);
    byte[] request = request("/orders", "");
    return hand -> created(own.get(hand).send(request));
  }

  private static byte[] request(String path, String header) {
    return ("POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n%s"
            + "Content-Length: %d\r\n\r\n%s")
        .formatted(path, header, BODY.length(), BODY)
        .getBytes(StandardCharsets.UTF_8);
  }

  private static int created(HttpConnection.Answer answer) {
    if (answer.status() != CREATED) {
      throw new IllegalStateException("not placed: " + answer);
    }
    return 1;
  }

  private List<HttpConnection> connect(int clients) throws IOException {
    List<HttpConnection> own = new ArrayList<>();
    for (int client = 0; client < clients; client++) {
      own.add(new HttpConnection(tomcat.getConnector().getLocalPort()));
    }
    connections.addAll(own);
    return own;
  }

  @Override
  public void close() throws IOException, LifecycleException {
    for (HttpConnection connection : connections) {
      connection.close();
    }
    tomcat.stop();
    tomcat.destroy();
  }
}
