package dev.holdfast.spring;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.BackgroundService;
import dev.holdfast.Holdfast;
import dev.holdfast.event.EventFilter;
import dev.holdfast.event.EventHandler;
import dev.holdfast.event.EventType;
import dev.holdfast.event.InstanceRecord;
import dev.holdfast.event.Worker;
import dev.holdfast.guard.StuckRows;
import dev.holdfast.guard.Update;
import dev.holdfast.schedule.Recurrence;
import dev.holdfast.schedule.Schedule;
import dev.holdfast.schema.SchemaException;
import dev.holdfast.transaction.Transactions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthContributors;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

class HoldfastAutoConfigurationTest {
  private static final EventType<String> GREETING = EventType.of("greeting", String.class);

  private static final EventType<String> PARTING = EventType.of("parting", String.class);

  private final DataSource dataSource = h2();
  private final CountDownLatch greeted = new CountDownLatch(1);

  private final ApplicationContextRunner application =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  HoldfastAutoConfiguration.class,
                  HoldfastIdempotencyAutoConfiguration.class,
                  HoldfastWorkerAutoConfiguration.class,
                  HoldfastHealthAutoConfiguration.class))
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
  void withoutHandlersNoWorkerIsStartedAndAllIsWell() {
    migrating.run(
        context -> {
          assertThat(context).hasSingleBean(Holdfast.class);
          assertThat(context).doesNotHaveBean(Worker.class);
          assertThat(services(context)).containsExactly("idempotency-cleaner", "schedule-runner");
          assertThat(status(context, "schedule-runner")).isEqualTo(Status.UP);
          assertThat(status(context, "idempotency-cleaner")).isEqualTo(Status.UP);
        });
  }

  @Test
  void handlersThatAreBeansAreHandlersOfTheWorker() {
    migrating
        .withUserConfiguration(Handlers.class)
        .withPropertyValues("holdfast.worker.queues.mail=3")
        .run(
            context -> {
              Holdfast holdfast = context.getBean(Holdfast.class);
              holdfast.events().schedule(GREETING.event("hello").queue("mail"));
              holdfast.events().schedule(PARTING.event("goodbye").queue("mail"));
              CountDownLatch handled = context.getBean(CountDownLatch.class);
              assertThat(handled.await(30, TimeUnit.SECONDS)).isTrue();
              assertThat(services(context))
                  .containsExactly("idempotency-cleaner", "schedule-runner", "worker");
            });
  }

  /** What an application has. */
  interface Mailer {
    void send(String name);
  }

  @Configuration(proxyBeanMethods = false)
  static class Handlers {
    @Bean
    CountDownLatch handled() {
      return new CountDownLatch(2);
    }

    @Bean
    Mailer mailer(CountDownLatch handled) {
      return name -> handled.countDown();
    }

    @Bean
    EventHandler<String> greetings(Mailer mailer) {
      return EventHandler.of(GREETING, (name, context) -> mailer.send(name));
    }

    @Bean
    EventHandler<String> partings(CountDownLatch handled) {
      return EventHandler.transactional(PARTING, (text, tx, context) -> handled.countDown());
    }
  }

  @Test
  void everyServiceThatIsABeanIsStartedAndStoppedAndHasAnEntry() {
    BackgroundService own =
        StuckRows.table("tasks")
            .key("id")
            .status("status", "RUNNING")
            .recoverTo("READY")
            .leaseExpired("lease_until")
            .version("version")
            .monitor(Transactions.on(dataSource), Duration.ofHours(1));
    migrating
        .withBean("tasks", BackgroundService.class, () -> own)
        .run(
            context -> {
              assertThat(own.isRunning()).isTrue();
              // there is no such table
              await().until(() -> !own.health().issues().isEmpty());
              Health health = health(context, "stuck rows of tasks");
              assertThat(health.getStatus()).isEqualTo(Status.UP);
              assertThat(health.getDetails().toString()).contains("sweep-failed");
              context.getSourceApplicationContext().stop();
              assertThat(own.isRunning()).isFalse();
              assertThat(status(context, "stuck rows of tasks")).isEqualTo(Status.OUT_OF_SERVICE);
              context.getSourceApplicationContext().start();
              assertThat(own.isRunning()).isTrue();
            });
    assertThat(own.isRunning()).isFalse();
    assertThatThrownBy(own::start).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void theWorkerHandlesEventsUntilTheApplicationStops() {
    greeting(migrating.withPropertyValues("holdfast.instance-name=blue"))
        .run(
            context -> {
              Holdfast holdfast = context.getBean(Holdfast.class);
              holdfast.events().schedule(GREETING.event("hello"));

              assertThat(greeted.await(30, TimeUnit.SECONDS)).isTrue();
              assertThat(holdfast.stats().instances())
                  .extracting(InstanceRecord::name)
                  .containsExactly("blue");
              await().until(() -> status(context, "worker").equals(Status.UP));
              assertThat(health(context, "worker").getDetails())
                  .containsEntry("instance", "blue")
                  .containsEntry("lease", "held");
              context.getSourceApplicationContext().stop();
              assertThat(status(context, "worker")).isEqualTo(Status.OUT_OF_SERVICE);
              assertThat(holdfast.stats().instances()).isEmpty();
            });
  }

  @Test
  void theWorkerCanBeLeftOut() {
    greeting(migrating.withPropertyValues("holdfast.worker.enabled=false"))
        .run(
            context -> {
              assertThat(context).doesNotHaveBean(Worker.class);
              assertThat(services(context)).doesNotContain("worker");
            });
  }

  @Test
  void schedulesFireWithoutHandlersAndWithoutAWorker() {
    for (String worker : new String[] {"true", "false"}) {
      migrating
          .withPropertyValues("holdfast.worker.enabled=" + worker)
          .run(
              context -> {
                BackgroundService runner =
                    context.getBean("holdfastScheduleRunner", BackgroundService.class);
                assertThat(runner.isRunning()).isTrue();
                Holdfast holdfast = context.getBean(Holdfast.class);
                holdfast
                    .schedules()
                    .put(
                        Schedule.of(
                            "tick-" + worker,
                            Recurrence.every(Duration.ofSeconds(1), Instant.EPOCH),
                            GREETING.event("tick")));
                int before = pending(holdfast);
                await().atMost(Duration.ofMinutes(1)).until(() -> pending(holdfast) > before);
                context.getSourceApplicationContext().stop();
                assertThat(runner.isRunning()).isFalse();
              });
    }
  }

  @Test
  void schedulesCanBeLeftOut() {
    migrating
        .withPropertyValues("holdfast.schedules.enabled=false")
        .run(context -> assertThat(context).doesNotHaveBean("holdfastScheduleRunner"));
  }

  @Test
  void withoutATableNoScheduleIsFired() {
    application
        .withPropertyValues("holdfast.schema.mode=none")
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              await()
                  .until(
                      () ->
                          "missing"
                              .equals(
                                  health(context, "schedule-runner").getDetails().get("table")));
              assertThat(status(context, "schedule-runner")).isEqualTo(Status.UP);
            });
  }

  @Test
  void aPoolThatIsTooSmallIsRefusedWithWhatToDo() {
    HikariConfig config = new HikariConfig();
    config.setDataSource(dataSource);
    config.setMaximumPoolSize(1);
    try (HikariDataSource small = new HikariDataSource(config)) {
      greeting(
              new ApplicationContextRunner()
                  .withConfiguration(
                      AutoConfigurations.of(
                          HoldfastAutoConfiguration.class, HoldfastWorkerAutoConfiguration.class))
                  .withBean(DataSource.class, () -> small)
                  .withPropertyValues("holdfast.schema.mode=none"))
          .run(
              context -> {
                assertThat(context).hasFailed();
                Throwable failure = requireNonNull(context.getStartupFailure());
                var analysis = requireNonNull(new WorkerFailureAnalyzer().analyze(failure));
                assertThat(analysis.getDescription()).contains("at least 2 connections", "had 1");
                assertThat(analysis.getAction()).contains("maximum-pool-size");
              });
    }
  }

  @Test
  void conflictsInTransactionsOfSpringAreCounted() {
    TransactionTemplate template = new TransactionTemplate(new JdbcTransactionManager(dataSource));
    new JdbcTemplate(dataSource)
        .execute("create table carts (id bigint primary key, total int, version bigint)");
    new JdbcTemplate(dataSource).execute("insert into carts values (1, 0, 7)");
    Update change = Update.table("carts").where("id", 1).set("total", 5);
    migrating.run(
        context -> {
          template.executeWithoutResult(
              status -> change.version(3).apply(CurrentTransaction.of(dataSource)));
          template.executeWithoutResult(
              status -> change.version(7).apply(CurrentTransaction.of(dataSource)));

          assertThat(context.getBean(Holdfast.class).conflictRates().of("update carts"))
              .hasValueSatisfying(
                  rate -> {
                    assertThat(rate.attempts()).isEqualTo(2);
                    assertThat(rate.conflicts()).isEqualTo(1);
                  });
        });
  }

  private static int pending(Holdfast holdfast) {
    return holdfast.events().find(EventFilter.all().type(GREETING)).events().size();
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

  private static List<String> services(ApplicationContext context) {
    return context.getBean(CompositeHealthContributor.class).stream()
        .map(HealthContributors.Entry::name)
        .sorted()
        .toList();
  }

  private static Status status(ApplicationContext context, String service) {
    return health(context, service).getStatus();
  }

  private static Health health(ApplicationContext context, String service) {
    HealthIndicator indicator =
        (HealthIndicator)
            requireNonNull(
                context.getBean(CompositeHealthContributor.class).getContributor(service));
    return requireNonNull(indicator.health());
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
