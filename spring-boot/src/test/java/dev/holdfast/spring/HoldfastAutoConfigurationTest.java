package dev.holdfast.spring;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.event.EventType;
import dev.holdfast.event.InstanceRecord;
import dev.holdfast.sql.SchemaException;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

class HoldfastAutoConfigurationTest {
  private static final EventType<String> GREETING = EventType.of("greeting", String.class);

  private final DataSource dataSource = h2();
  private final CountDownLatch greeted = new CountDownLatch(1);

  private final ApplicationContextRunner application =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  HoldfastAutoConfiguration.class, HoldfastHealthAutoConfiguration.class))
          .withBean(DataSource.class, () -> dataSource);

  private final ApplicationContextRunner migrating =
      application.withPropertyValues("holdfast.schema.mode=migrate");

  @Test
  void missingTablesAreRefusedByDefaultWithWhatToDo() {
    application.run(
        context -> {
          assertThat(context).hasFailed();
          Throwable failure = requireNonNull(context.getStartupFailure());
          assertThat(failure).hasRootCauseInstanceOf(SchemaException.class);
          var analysis = requireNonNull(new SchemaFailureAnalyzer().analyze(failure));
          assertThat(analysis.getAction()).contains("holdfast.schema.mode=migrate");
        });
  }

  @Test
  void withoutHandlersNothingIsStartedAndAllIsWell() {
    migrating.run(
        context -> {
          assertThat(context).hasSingleBean(Holdfast.class);
          assertThat(context.getBean(HoldfastWorker.class).worker()).isEmpty();
          assertThat(status(context)).isEqualTo(Status.UP);
          assertThat(health(context).getDetails()).containsEntry("worker", "has nothing to do");
        });
  }

  @Test
  void theWorkerHandlesEventsUntilTheApplicationStops() {
    greeting(migrating.withPropertyValues("holdfast.instance-name=blue"))
        .run(
            context -> {
              Holdfast holdfast = context.getBean(Holdfast.class);
              holdfast.events().schedule(GREETING.event("hello"));

              assertThat(greeted.await(30, TimeUnit.SECONDS)).isTrue();
              assertThat(holdfast.instances())
                  .extracting(InstanceRecord::name)
                  .containsExactly("blue");
              await().until(() -> status(context).equals(Status.UP));
              context.getSourceApplicationContext().stop();
              assertThat(status(context)).isEqualTo(Status.OUT_OF_SERVICE);
              assertThat(holdfast.instances()).isEmpty();
            });
  }

  @Test
  void theWorkerCanBeLeftOut() {
    greeting(migrating.withPropertyValues("holdfast.worker.enabled=false"))
        .run(
            context -> {
              assertThat(context).doesNotHaveBean(HoldfastWorker.class);
              assertThat(context).doesNotHaveBean(HealthIndicator.class);
            });
  }

  @Test
  void tablesMayBeInASchemaOfTheirOwn() {
    greeting(migrating.withPropertyValues("holdfast.schema.name=elsewhere"))
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              try (var connection = dataSource.getConnection();
                  var statement = connection.createStatement()) {
                assertThat(statement.execute("select 1 from elsewhere.holdfast_event")).isTrue();
              }
            });
  }

  private static Status status(ApplicationContext context) {
    return health(context).getStatus();
  }

  private static Health health(ApplicationContext context) {
    return requireNonNull(context.getBean(HealthIndicator.class).health());
  }

  private ApplicationContextRunner greeting(ApplicationContextRunner runner) {
    return runner.withBean(
        HoldfastWorkerCustomizer.class,
        () -> worker -> worker.handle(GREETING, (text, context) -> greeted.countDown()));
  }

  private static DataSource h2() {
    JdbcDataSource source = new JdbcDataSource();
    source.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
    return source;
  }
}
