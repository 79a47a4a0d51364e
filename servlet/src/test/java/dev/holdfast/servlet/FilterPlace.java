package dev.holdfast.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.idempotency.Idempotency;
import dev.holdfast.idempotency.IdempotencyOptions;
import dev.holdfast.idempotency.spi.IdempotencyStore;
import dev.holdfast.internal.codec.CodecFactories;
import dev.holdfast.internal.idempotency.DefaultIdempotency;
import dev.holdfast.internal.idempotency.store.SqlIdempotencyStore;
import dev.holdfast.internal.workflow.DefaultWorkflows;
import dev.holdfast.servlet.TestApp.Endpoint;
import dev.holdfast.servlet.TestApp.Handler;
import dev.holdfast.testing.InterceptingDataSource;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import dev.holdfast.transaction.Transactions;
import dev.holdfast.workflow.Workflows;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.FilterRegistration;
import jakarta.servlet.MultipartConfigElement;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRegistration;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.sql.SQLException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A database, a container with an application behind filters of all kinds, and a client. */
final class FilterPlace implements AutoCloseable {
  static final int MIB = 1 << 20;

  private static final String FOLDER = System.getProperty("java.io.tmpdir");

  private final TestSchema schema;
  private final DataSource dataSource;
  private final Holdfast holdfast;
  private final @Nullable IdempotencyStore ofClaims;
  private final TestApp app = new TestApp();
  private final Set<String> failed = ConcurrentHashMap.newKeySet();
  private final Web web;
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  FilterPlace(TestDatabase database, Web.Starter starter) {
    this(database, starter, null);
  }

  /**
   * @param ofClaims where claims are stored; in the database where it is null
   */
  FilterPlace(TestDatabase database, Web.Starter starter, @Nullable IdempotencyStore ofClaims) {
    this.ofClaims = ofClaims;
    schema = database.newSchema();
    dataSource = schema.dataSource(20);
    Holdfast.create(dataSource).migrations().migrate();
    schema.execute(
        "CREATE TABLE orders (id VARCHAR(100) NOT NULL)",
        "CREATE TABLE carts (id INT PRIMARY KEY, quantity INT NOT NULL, version BIGINT NOT NULL)");
    holdfast = Holdfast.builder(dataSource).idempotency(OPTIONS).build();
    web = starter.start(this::setUp);
  }

  private static final IdempotencyOptions OPTIONS =
      IdempotencyOptions.builder()
          .maxResultSize(6 * MIB)
          .leaseDuration(Duration.ofMinutes(5))
          .build();

  private Holdfast with(UnaryOperator<IdempotencyOptions.Builder> options) {
    return Holdfast.builder(dataSource)
        .idempotency(options.apply(OPTIONS.toBuilder()).build())
        .build();
  }

  private Workflows leases(UnaryOperator<IdempotencyOptions.Builder> options) {
    return ofClaims == null
        ? with(options).workflows()
        : Holdfast.createWorkflows(ofClaims, options.apply(OPTIONS.toBuilder()).build());
  }

  private void setUp(ServletContext context) {
    Workflows claims = leases(o -> o);
    RequestTransactions transactions = RequestTransactions.on(holdfast.transactions());
    DataSource down = down(dataSource);
    IdempotencyFilterOptions defaults = IdempotencyFilterOptions.ofDefaults();
    add(
        context,
        "/*",
        (request, response, chain) -> {
          ((HttpServletResponse) response).setHeader("X-Outer", "outer");
          ((HttpServletResponse) response).addHeader("Vary", "Origin");
          chain.doFilter(new User((HttpServletRequest) request), response);
        },
        true);
    add(context, "/lease/*", IdempotencyFilter.builder(claims).build(), true);
    add(context, "/unmapped/*", IdempotencyFilter.builder(claims).build(), false);
    add(
        context,
        "/tx/*",
        IdempotencyFilter.builder(holdfast).transactions(transactions).build(),
        true);
    add(
        context,
        "/committing/*",
        IdempotencyFilter.builder(holdfast)
            .transactions(transactions)
            .options(
                IdempotencyFilterOptions.builder().commitStatus(status -> status < 500).build())
            .build(),
        true);
    add(
        context,
        "/created/*",
        IdempotencyFilter.builder(holdfast)
            .transactions(transactions)
            .options(
                IdempotencyFilterOptions.builder()
                    .recordStatus(status -> status != 303)
                    .commitStatus(status -> status == 201)
                    .build())
            .build(),
        true);
    URI keys = URI.create("https://shop.example/keys");
    IdempotencyFilterOptions.Builder required = defaults.toBuilder().requireKey(request -> true);
    IdempotencyFilterOptions documented = required.documentation(keys).build();
    add(
        context,
        "/required/*",
        IdempotencyFilter.builder(claims).options(documented).build(),
        true);
    add(
        context,
        "/small/*",
        IdempotencyFilter.builder(leases(o -> o.maxResultSize(1000)))
            .options(IdempotencyFilterOptions.builder().maxBodySize(1000).build())
            .build(),
        true);
    IdempotencyFilterOptions quick =
        defaults.toBuilder().bodyTimeout(Duration.ofMillis(50)).build();
    add(context, "/quick/*", IdempotencyFilter.builder(claims).options(quick).build(), true);
    add(
        context,
        "/smalltx/*",
        IdempotencyFilter.builder(with(o -> o.maxResultSize(1000)))
            .transactions(transactions)
            .build(),
        true);
    add(
        context,
        "/wait/*",
        IdempotencyFilter.builder(claims)
            .options(IdempotencyFilterOptions.builder().waitTimeout(Duration.ofMinutes(1)).build())
            .build(),
        true);
    add(
        context,
        "/waittx/*",
        IdempotencyFilter.builder(holdfast)
            .transactions(transactions)
            .options(IdempotencyFilterOptions.builder().waitTimeout(Duration.ofMinutes(1)).build())
            .build(),
        true);
    add(
        context,
        "/brief/*",
        IdempotencyFilter.builder(leases(o -> o.retention(Duration.ofSeconds(1)))).build(),
        true);
    add(
        context,
        "/shortlease/*",
        IdempotencyFilter.builder(leases(o -> o.leaseDuration(Duration.ofMillis(300)))).build(),
        true);
    add(
        context,
        "/anonymous/*",
        IdempotencyFilter.builder(claims)
            .options(IdempotencyFilterOptions.builder().allowAnonymous().build())
            .build(),
        true);
    add(
        context,
        "/tenant/*",
        IdempotencyFilter.builder(claims)
            .options(
                IdempotencyFilterOptions.builder()
                    .tenant(request -> String.valueOf(request.getHeader("X-Tenant")))
                    .build())
            .build(),
        true);
    add(
        context,
        "/either/*",
        IdempotencyFilter.builder(holdfast)
            .transactions(new OnlyWithout("X-No-Transaction", transactions))
            .build(),
        true);
    IdempotencyFilter quiet =
        IdempotencyFilter.builder(claims)
            .options(IdempotencyFilterOptions.builder().modeHeader(false).build())
            .build();
    IdempotencyFilter loud = IdempotencyFilter.builder(claims).build();
    add(
        context,
        "/quiet/*",
        (request, response, chain) -> {
          String asked = ((HttpServletRequest) request).getHeader("X-Loud");
          (asked == null ? quiet : loud).doFilter(request, response, chain);
        },
        true);
    for (String parsed : new String[] {"/parsed/*", "/parsedtx/*"}) {
      add(
          context,
          parsed,
          (request, response, chain) -> {
            request.getParameter("a");
            chain.doFilter(request, response);
          },
          true);
    }
    IdempotencyFilterOptions small = IdempotencyFilterOptions.builder().maxBodySize(1000).build();
    add(context, "/parsed/*", IdempotencyFilter.builder(claims).options(small).build(), true);
    add(
        context,
        "/parsedtx/*",
        IdempotencyFilter.builder(holdfast).transactions(transactions).options(small).build(),
        true);
    add(context, "/suspended/*", FilterPlace::suspending, true);
    add(context, "/suspended/lease/*", IdempotencyFilter.builder(claims).build(), true);
    add(
        context,
        "/suspended/tx/*",
        IdempotencyFilter.builder(holdfast).transactions(transactions).build(),
        true);
    add(
        context,
        "/suspended/required/*",
        IdempotencyFilter.builder(claims)
            .options(
                IdempotencyFilterOptions.builder()
                    .requireKey(request -> true)
                    .documentation(URI.create("https://shop.example/keys"))
                    .build())
            .build(),
        true);
    add(context, "/repeated/*", FilterPlace::repeating, true);
    add(context, "/repeated/lease/*", IdempotencyFilter.builder(claims).build(), true);
    add(
        context,
        "/repeated/tx/*",
        IdempotencyFilter.builder(holdfast).transactions(transactions).build(),
        true);
    add(
        context,
        "/partly/*",
        IdempotencyFilter.builder(claims)
            .options(
                IdempotencyFilterOptions.builder()
                    .requireKey(request -> request.getRequestURI().startsWith("/partly/required"))
                    .build())
            .build(),
        true);
    add(context, "/parts/*", IdempotencyFilter.builder(claims).build(), true);
    add(context, "/down/*", IdempotencyFilter.builder(leasesIn(down)).build(), true);
    add(
        context,
        "/downtx/*",
        IdempotencyFilter.builder(leasesIn(down))
            .idempotency(in(down))
            .transactions(RequestTransactions.on(Transactions.on(down)))
            .build(),
        true);
    add(
        context,
        "/problem/*",
        IdempotencyFilter.builder(holdfast).transactions(transactions).options(defaults).build(),
        true);
    add(context, "/problem/*", new ProblemFilter(), true);
    ServletRegistration.Dynamic servlet = context.addServlet("app", app);
    servlet.addMapping("/*");
    servlet.setAsyncSupported(true);
    servlet.setMultipartConfig(new MultipartConfigElement(FOLDER));
    context.addServlet("app without parts", app).addMapping("/parts/none/*");
    ServletRegistration.Dynamic ofFiles = context.addServlet("app of small files", app);
    ofFiles.addMapping("/parts/file/*");
    ofFiles.setMultipartConfig(new MultipartConfigElement(FOLDER, 100, -1, 0));
    ServletRegistration.Dynamic ofRequests = context.addServlet("app of small requests", app);
    ofRequests.addMapping("/parts/request/*");
    ofRequests.setMultipartConfig(new MultipartConfigElement(FOLDER, -1, 1000, 0));
  }

  /** Holds a request up, and lets it go on by a dispatch. */
  private static void suspending(
      ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    if (request.getDispatcherType() == DispatcherType.REQUEST) {
      AsyncContext context = request.startAsync(request, response);
      context.start(context::dispatch);
    } else {
      chain.doFilter(request, response);
    }
  }

  /** Dispatches a request when it was answered. */
  private static void repeating(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    chain.doFilter(request, response);
    if (request.getDispatcherType() == DispatcherType.REQUEST) {
      request.startAsync(request, response).dispatch();
    }
  }

  private Idempotency in(DataSource other) {
    return new DefaultIdempotency(
        Transactions.on(other),
        SqlIdempotencyStore.create(other, holdfast.dialect(), null, 1),
        OPTIONS,
        CodecFactories.of(null));
  }

  private Workflows leasesIn(DataSource other) {
    return new DefaultWorkflows(
        SqlIdempotencyStore.create(other, holdfast.dialect(), null, 1),
        OPTIONS,
        CodecFactories.of(null),
        Transactions.on(other));
  }

  /** Transactions for those requests that do not have a header. */
  private record OnlyWithout(String header, RequestTransactions transactions)
      implements RequestTransactions {
    @Override
    public void run(HttpServletRequest request, RequestCallback work) {
      transactions.run(request, work);
    }

    @Override
    public boolean isTransactional(HttpServletRequest request) {
      return request.getHeader(header) == null;
    }
  }

  private static DataSource down(DataSource dataSource) {
    return InterceptingDataSource.of(
        dataSource,
        (connection, sql) -> {
          throw new SQLException("the store is down", "08006");
        });
  }

  private static void add(ServletContext context, String pattern, Filter filter, boolean async) {
    FilterRegistration.Dynamic added = context.addFilter(pattern + " " + UUID.randomUUID(), filter);
    added.setAsyncSupported(true);
    added.addMappingForUrlPatterns(
        async
            ? EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC)
            : EnumSet.of(DispatcherType.REQUEST),
        true,
        pattern);
  }

  /** Whoever the header X-User says. */
  private static final class User extends HttpServletRequestWrapper {
    User(HttpServletRequest request) {
      super(request);
    }

    @Override
    public @Nullable Principal getUserPrincipal() {
      String name = getHeader("X-User");
      return name == null ? null : () -> name;
    }
  }

  TestSchema schema() {
    return schema;
  }

  Holdfast holdfast() {
    return holdfast;
  }

  DataSource dataSource() {
    return dataSource;
  }

  /** Whether it is the first time that this is asked for an order. */
  boolean failsNow(String order) {
    return failed.add(order);
  }

  int port() {
    return web.port();
  }

  HttpClient client() {
    return client;
  }

  Endpoint at(String prefix, Handler handler) {
    return app.at(prefix, handler);
  }

  static String newKey() {
    return UUID.randomUUID().toString();
  }

  HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path))
        .timeout(Duration.ofMinutes(2));
  }

  /** A POST of Ana's with a key. */
  HttpRequest.Builder post(String path, String key, byte[] body) {
    return request(path)
        .header("X-User", "ana")
        .header("Idempotency-Key", key)
        .header("Content-Type", "text/plain")
        .POST(BodyPublishers.ofByteArray(body));
  }

  HttpResponse<byte[]> send(HttpRequest.Builder request) {
    try {
      return client.send(request.build(), BodyHandlers.ofByteArray());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  HttpResponse<byte[]> send(Endpoint endpoint, String key) {
    return send(endpoint, key, "body");
  }

  HttpResponse<byte[]> send(Endpoint endpoint, String key, String body) {
    return send(post(endpoint.path(), key, body.getBytes(StandardCharsets.UTF_8)));
  }

  /** A problem of the filter, without anything of the application. */
  static void assertProblem(HttpResponse<byte[]> response, int status, String code) {
    assertThat(response.statusCode()).isEqualTo(status);
    assertThat(response.headers().firstValue("Content-Type").orElseThrow())
        .startsWith("application/problem+json");
    assertThat(response.headers().firstValue("Cache-Control")).hasValue("no-store");
    assertThat(response.headers().firstValue("X-Outer")).hasValue("outer");
    assertThat(response.body())
        .asString()
        .startsWith("{\"type\":\"urn:holdfast:problem:" + code + "\"")
        .contains("\"status\":" + status);
  }

  Socket connect() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port());
    socket.setSoTimeout(60_000);
    return socket;
  }

  long orders(String id) {
    return schema.count("SELECT count(*) FROM orders WHERE id = '" + id + "'");
  }

  @Override
  public void close() {
    web.close();
    schema.close();
  }
}
