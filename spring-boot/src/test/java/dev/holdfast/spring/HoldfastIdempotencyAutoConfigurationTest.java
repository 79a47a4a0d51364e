package dev.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.holdfast.BackgroundService;
import dev.holdfast.Holdfast;
import dev.holdfast.InvalidArgumentException;
import dev.holdfast.codec.Codec;
import dev.holdfast.idempotency.Idempotency;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IdempotencyOptions;
import dev.holdfast.idempotency.IdempotencyRecord;
import dev.holdfast.idempotency.IdempotencyRequest;
import dev.holdfast.idempotency.IdempotencyResult;
import java.time.Duration;
import java.util.UUID;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class HoldfastIdempotencyAutoConfigurationTest {
  private static final IdempotencyKey KEY = IdempotencyKey.of("greet", "k");

  private final DataSource dataSource = h2();

  private final ApplicationContextRunner application =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  HoldfastAutoConfiguration.class,
                  HoldfastIdempotencyAutoConfiguration.class,
                  HoldfastWorkerAutoConfiguration.class))
          .withBean(DataSource.class, () -> dataSource)
          .withPropertyValues("holdfast.schema.mode=migrate");

  @Test
  void whatIsNotSaidIsAsTheLibraryHasIt() {
    application.run(
        context -> {
          Idempotency ofLibrary = context.getBean(Holdfast.class).idempotency();
          Idempotency idempotency = context.getBean(Idempotency.class);

          assertThat(idempotency.options().maxResultSize())
              .isEqualTo(ofLibrary.options().maxResultSize());
          assertThat(retentionOf(idempotency)).isEqualTo(retentionOf(ofLibrary));
        });
  }

  @Test
  void whereThereAreSeveralTheirRecordsAreStillRemoved() {
    application
        .withBean("short", Idempotency.class, () -> Holdfast.create(dataSource).idempotency())
        .withBean("long", Idempotency.class, () -> Holdfast.create(dataSource).idempotency())
        .run(context -> assertThat(context).hasBean("holdfastIdempotencyCleaner"));
  }

  @Test
  void whatIsSaidHolds() {
    application
        .withPropertyValues(
            "holdfast.idempotency.retention=7d",
            "holdfast.idempotency.wait-timeout=0",
            "holdfast.idempotency.max-result-size=2KB")
        .run(
            context -> {
              Idempotency idempotency = context.getBean(Idempotency.class);
              Idempotency ofHoldfast = context.getBean(Holdfast.class).idempotency();

              assertThat(idempotency.options().maxResultSize()).isEqualTo(2048);
              assertThat(ofHoldfast.options().maxResultSize()).isEqualTo(2048);
              assertThat(retentionOf(idempotency)).isEqualTo(Duration.ofDays(7));
              assertThat(retentionOf(ofHoldfast)).isEqualTo(Duration.ofDays(7));
              ofHoldfast.execute(
                  IdempotencyRequest.of(KEY, Codec.text()),
                  tx -> {
                    // on another thread, which is in no transaction
                    assertTimeoutPreemptively(
                        Duration.ofSeconds(3), () -> assertInProgress(idempotency));
                    return "hello";
                  });
            });
  }

  @Test
  void aHoldfastOfTheApplicationKeepsItsOwnOptions() {
    application
        .withBean("own", Holdfast.class, () -> Holdfast.create(dataSource))
        .withPropertyValues("holdfast.schema.mode=none", "holdfast.idempotency.max-result-size=2KB")
        .run(
            context ->
                assertThat(context.getBean(Idempotency.class))
                    .isSameAs(context.getBean(Holdfast.class).idempotency()));
  }

  private static void assertInProgress(Idempotency idempotency) {
    assertThat(idempotency.execute(IdempotencyRequest.of(KEY, Codec.text()), tx -> "hello"))
        .isInstanceOf(IdempotencyResult.InProgress.class);
  }

  private static Duration retentionOf(Idempotency idempotency) {
    IdempotencyKey key = IdempotencyKey.of("retention", UUID.randomUUID().toString());
    idempotency.execute(IdempotencyRequest.of(key, Codec.text()), tx -> "hello");
    IdempotencyRecord made = idempotency.find(key).orElseThrow();
    return Duration.between(made.startedAt(), made.expiresAt());
  }

  @Test
  void whatTheLibraryRefusesIsRefusedAtTheStart() {
    for (String bad : new String[] {"retention=0", "wait-timeout=1d", "max-result-size=4GB"}) {
      application
          .withPropertyValues("holdfast.idempotency." + bad)
          .run(
              context ->
                  assertThat(context)
                      .getFailure()
                      .hasRootCauseInstanceOf(InvalidArgumentException.class));
    }
  }

  @Test
  void anOwnOneTakesItsPlace() {
    application
        .withBean(
            "own",
            Idempotency.class,
            () ->
                Holdfast.builder(dataSource)
                    .idempotency(IdempotencyOptions.builder().maxResultSize(7).build())
                    .build()
                    .idempotency())
        .run(
            context -> {
              assertThat(context.getBean(Idempotency.class).options().maxResultSize()).isEqualTo(7);
              assertThat(isCleaning()).isTrue();
            });
  }

  @Test
  void recordsAreCleanedUpUntilTheApplicationStops() {
    application.run(
        context -> {
          assertThat(isCleaning()).isTrue();
          context.getSourceApplicationContext().stop();
          await().until(() -> !isCleaning());
          context.getSourceApplicationContext().start();
          assertThat(isCleaning()).isTrue();
        });
    await().until(() -> !isCleaning());
  }

  @Test
  void cleaningUpCanBeLeftOut() {
    application
        .withPropertyValues("holdfast.idempotency.cleanup-interval=0")
        .run(context -> assertThat(isCleaning()).isFalse());
  }

  @Test
  void withoutATableNothingIsCleanedUp() {
    application
        .withPropertyValues(
            "holdfast.schema.mode=none", "holdfast.idempotency.cleanup-interval=10ms")
        .run(
            context -> {
              assertThat(context).hasNotFailed().hasSingleBean(Idempotency.class);
              BackgroundService cleaner =
                  context.getBean("holdfastIdempotencyCleaner", BackgroundService.class);
              await().until(() -> "missing".equals(cleaner.health().details().get("table")));
              assertThat(cleaner.health().issues()).isEmpty();
            });
  }

  @Test
  void aTableThatSomebodyElseMadeIsCleanedUp() {
    Holdfast.create(dataSource).migrations().migrate();
    application
        .withPropertyValues("holdfast.schema.mode=none")
        .run(context -> assertThat(isCleaning()).isTrue());
  }

  private static boolean isCleaning() {
    return Thread.getAllStackTraces().keySet().stream()
        .anyMatch(thread -> thread.getName().equals("holdfast-idempotency-cleaner"));
  }

  private static DataSource h2() {
    JdbcDataSource source = new JdbcDataSource();
    source.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
    return source;
  }
}
