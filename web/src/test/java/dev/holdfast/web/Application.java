package dev.holdfast.web;

import dev.holdfast.Holdfast;
import dev.holdfast.event.EventType;
import dev.holdfast.spring.HoldfastWorkerCustomizer;
import dev.holdfast.web.access.Tokens;
import dev.holdfast.web.api.ApiController;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** An application of somebody that has Holdfast's API mounted, and a page of its own. */
final class Application implements AutoCloseable {
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private static final OpenApiDocument DOCUMENT = OpenApiDocument.load();

  private static Supplier<DataSource> databases = Application::inMemory;

  private final ConfigurableApplicationContext context;
  private final String token;

  private Application(ConfigurableApplicationContext context) {
    this.context = context;
    this.token = context.getBean(Tokens.class).make("test").text();
  }

  /** On an empty database: H2 in memory unless {@link OnPostgreSql} says otherwise. */
  static Application start(String... properties) {
    return start(databases.get(), properties);
  }

  private static DataSource inMemory() {
    JdbcDataSource source = new JdbcDataSource();
    source.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
    return source;
  }

  static void use(@Nullable Supplier<DataSource> given) {
    databases = given == null ? Application::inMemory : given;
  }

  /** With a page of its own at the root, and the API where it is unless somebody says otherwise. */
  static Application startWithHome() {
    return start(inMemory(), List.of(Beans.class, Home.class));
  }

  /** At the root. */
  static Application start(DataSource source, String... properties) {
    List<String> all = new ArrayList<>(List.of("holdfast.web.path="));
    all.addAll(List.of(properties));
    return start(source, List.of(Beans.class), all.toArray(String[]::new));
  }

  private static Application start(DataSource source, List<Class<?>> beans, String... properties) {
    List<String> all =
        new ArrayList<>(
            List.of(
                "server.port=0",
                "server.address=127.0.0.1",
                "holdfast.schema.mode=migrate",
                "holdfast.instance-name=blue",
                "holdfast.web.max-request-size=1KB"));
    all.addAll(List.of(properties));
    return new Application(
        new SpringApplicationBuilder(beans.toArray(Class<?>[]::new))
            .initializers(
                context ->
                    ((GenericApplicationContext) context)
                        .registerBean(DataSource.class, () -> source))
            .properties(all.toArray(String[]::new))
            .run());
  }

  Holdfast holdfast() {
    return context.getBean(Holdfast.class);
  }

  int port() {
    return context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
  }

  String token() {
    return token;
  }

  /** Those of the API, without the one with a defect. */
  List<Object> controllers() {
    return context.getBeansWithAnnotation(ApiController.class).values().stream()
        .filter(controller -> !(controller instanceof FailingController))
        .toList();
  }

  Tokens tokens() {
    return context.getBean(Tokens.class);
  }

  /** A request with the token. */
  HttpRequest.Builder request(String path) {
    return open(path).header("Authorization", "Bearer " + token);
  }

  HttpRequest.Builder open(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path));
  }

  static HttpRequest.BodyPublisher text(String body) {
    return BodyPublishers.ofString(body);
  }

  /** Sends a request, and holds the answer of the API against its document. */
  HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
    HttpResponse<String> answer = sendUnchecked(request);
    String path = answer.uri().getRawPath();
    // a path with the character 0 is refused by Tomcat, before the API sees it
    if (path.startsWith("/v1/") && !path.contains("%00")) {
      DOCUMENT.check(answer);
    }
    return answer;
  }

  /** Sends a request to what may not be the API. */
  HttpResponse<String> sendUnchecked(HttpRequest.Builder request)
      throws IOException, InterruptedException {
    return HTTP.send(request.build(), BodyHandlers.ofString());
  }

  @Override
  public void close() {
    context.close();
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Beans {
    /** So that keys may have slashes, as in the server. */
    @Bean
    WebServerFactoryCustomizer<TomcatServletWebServerFactory> encodedSlashes() {
      return factory ->
          factory.addConnectorCustomizers(
              connector -> {
                connector.setEncodedSolidusHandling("passthrough");
                connector.setEncodedReverseSolidusHandling("passthrough");
              });
    }

    @Bean
    HoldfastWorkerCustomizer handlers() {
      return worker -> worker.handle(EventType.of("x", String.class), (text, context) -> {});
    }

    @Bean
    OwnPage ownPage() {
      return new OwnPage();
    }

    @Bean
    FailingController failing() {
      return new FailingController();
    }
  }

  /** What the application is for. */
  @RestController
  static class OwnPage {
    @GetMapping("/own")
    String own() {
      return "own";
    }
  }

  /** Its first page. */
  @RestController
  static class Home {
    @GetMapping("/")
    String home() {
      return "home";
    }
  }

  /** A resource of the API with a defect. */
  @ApiController
  static class FailingController {
    @GetMapping("/v1/failing")
    String fail() {
      throw new IllegalStateException("select secret from passwords");
    }
  }
}
