package dev.holdfast.server;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.event.Worker;
import dev.holdfast.web.access.Access;
import dev.holdfast.web.access.NewToken;
import dev.holdfast.web.access.Tokens;
import dev.holdfast.web.webhook.WebhookDelivery;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.thread.Threading;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.Environment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.web.context.support.StandardServletEnvironment;

/** The Spring application of the server. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class ServerApplication {
  private static final String FIXED = "classpath:/dev/holdfast/server/server.properties";

  /**
   * Of the time for stopping, what the worker and the web server may use; the database has rest.
   */
  private static final double OF_THE_WORKER = 0.6;

  private static final double OF_THE_WEB_SERVER = 0.2;

  private static final int THREADS_FOR_HEALTH = 8;

  static ConfigurableApplicationContext start(
      ServeCommand command, InetAddress address, Database database) {
    Map<String, Object> settings = settings(command, address);
    SpringApplication application = new SpringApplication(ServerApplication.class);
    application.setRegisterShutdownHook(false);
    application.setAddCommandLineProperties(false);
    application.setEnvironment(new OwnEnvironment(settings));
    application.addInitializers(
        context ->
            ((GenericApplicationContext) context)
                .registerBean(HikariDataSource.class, () -> database.pool(command.connections)));
    application.addInitializers(
        context ->
            ((GenericApplicationContext) context)
                .registerBean(DatabaseProbe.class, () -> new DatabaseProbe(database::connect)));
    application.addInitializers(
        context ->
            ((GenericApplicationContext) context)
                .registerBean(
                    "embeddedHealthIndicator",
                    EmbeddedHealthIndicator.class,
                    () -> new EmbeddedHealthIndicator(database, command.deadLimit())));
    application.addInitializers(
        context ->
            ((GenericApplicationContext) context)
                .registerBean(AccessOptions.class, () -> command.access));
    if (command.healthPort != null) {
      HealthPort health = new HealthPort(address, command.healthPort);
      application.addInitializers(
          context ->
              ((GenericApplicationContext) context).registerBean(HealthPort.class, () -> health));
    }
    return application.run();
  }

  static Optional<String> firstToken(ConfigurableApplicationContext context) {
    return context.getBean(Tokens.class).makeFirst("admin").map(NewToken::text);
  }

  /** Empty where there is none. */
  static OptionalInt healthPort(ConfigurableApplicationContext context) {
    HealthPort health = context.getBeanProvider(HealthPort.class).getIfAvailable();
    return health == null ? OptionalInt.empty() : OptionalInt.of(health.port());
  }

  static int port(ConfigurableApplicationContext context) {
    return context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
  }

  private static Map<String, Object> settings(ServeCommand command, InetAddress address) {
    Map<String, Object> settings = new HashMap<>();
    settings.put("spring.config.location", FIXED);
    settings.put("server.address", address.getHostAddress());
    settings.put("server.port", command.port);
    settings.put("holdfast.web.path", command.path);
    settings.put("holdfast.shards", command.shards);
    settings.put("holdfast.instance-name", instance(command));
    if (command.database.schema != null) {
      settings.put("holdfast.schema.name", command.database.schema);
    }
    command.webhooks.addTo(settings);
    settings.put(
        "holdfast.worker.shutdown-timeout", millis(command.shutdownTimeout * OF_THE_WORKER));
    settings.put(
        "spring.lifecycle.timeout-per-shutdown-phase",
        millis(command.shutdownTimeout * OF_THE_WEB_SERVER));
    return settings;
  }

  private static String millis(double seconds) {
    return Math.round(seconds * 1000) + "ms";
  }

  private static String instance(ServeCommand command) {
    if (command.instance != null) {
      return command.instance;
    }
    try {
      return InetAddress.getLocalHost().getHostName() + ":" + command.port;
    } catch (UnknownHostException e) {
      return "pid " + ProcessHandle.current().pid();
    }
  }

  /** Nothing but what the server's own command line, environment and file have said. */
  private static final class OwnEnvironment extends StandardServletEnvironment {
    OwnEnvironment(Map<String, Object> settings) {
      getPropertySources().addFirst(new MapPropertySource("holdfast", settings));
    }

    @Override
    protected void customizePropertySources(MutablePropertySources sources) {}
  }

  @Bean
  DatabaseHealthIndicator databaseHealthIndicator(DatabaseProbe probe) {
    return new DatabaseHealthIndicator(probe);
  }

  @Bean
  FilterRegistrationBean<MetricsFilter> metricsFilter(Access access, AccessOptions options) {
    FilterRegistrationBean<MetricsFilter> filter =
        new FilterRegistrationBean<>(new MetricsFilter(access));
    filter.setEnabled(!options.metricsOpen);
    filter.addUrlPatterns("/metrics", "/metrics/*");
    return filter;
  }

  @Bean
  ProblemErrorController problemErrorController() {
    return new ProblemErrorController();
  }

  @Bean
  WebServerFactoryCustomizer<TomcatServletWebServerFactory> problemValve() {
    return factory ->
        factory.addContextCustomizers(
            context -> context.getParent().getPipeline().addValve(new ProblemValve()));
  }

  /**
   * The limit is inside, so that the body of what it rejects is not read either. Virtual threads
   * never run out: only platform threads are kept free for health.
   */
  @Bean
  WebServerFactoryCustomizer<TomcatServletWebServerFactory> heldThreads(Environment environment) {
    return factory -> {
      factory.addEngineValves(new UnreadBodyValve());
      if (Threading.PLATFORM.isActive(environment)) {
        int threads = environment.getRequiredProperty("server.tomcat.threads.max", Integer.class);
        factory.addEngineValves(new RequestLimitValve(threads - THREADS_FOR_HEALTH));
      }
    };
  }

  @Bean
  WebServerFactoryCustomizer<TomcatServletWebServerFactory> forwarded(AccessOptions options) {
    return factory -> {
      if (!options.trustedProxies.isEmpty()) {
        factory.addEngineValves(options.forwarded());
      }
    };
  }

  /**
   * Keys of events and the URLs to publish to may contain slashes. They stay encoded for the
   * container, so that no path becomes another one by them; what is called is guarded by its
   * handler, not by its path.
   */
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
  MeterBinder workerMeters(ObjectProvider<Worker> worker) {
    return registry -> worker.ifAvailable(one -> bind(one, registry));
  }

  @Bean
  HeapWatch heapWatch(WebhookDelivery delivery) {
    return new HeapWatch(delivery::underWay);
  }

  @Bean
  MeterBinder webhookMeters(WebhookDelivery delivery) {
    return new WebhookMeters(delivery);
  }

  private static void bind(Worker worker, MeterRegistry registry) {
    Gauge.builder("holdfast.worker.in.flight", worker, Worker::inFlight)
        .description("Events that this instance has in its hands, begun or not")
        .register(registry);
    Gauge.builder("holdfast.worker.lease", worker, now -> now.health().isWorking() ? 1 : 0)
        .description("Whether this instance has its lease")
        .register(registry);
  }
}
