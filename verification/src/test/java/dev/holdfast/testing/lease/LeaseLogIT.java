package dev.holdfast.testing.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.BackgroundService;
import dev.holdfast.Holdfast;
import dev.holdfast.LeaseLostException;
import dev.holdfast.job.Jobs;
import dev.holdfast.lease.Lease;
import dev.holdfast.lease.LeaseKey;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What leases and jobs say in the log: each event once, in words about what the user wrote. */
class LeaseLogIT {
  private static final Duration LONG = Duration.ofMinutes(10);
  private static final Duration SHORT = Duration.ofMillis(100);
  private static final Duration INTERVAL = Duration.ofMillis(200);

  private final TestSchema schema = TestDatabase.h2().newSchema();
  private final Holdfast holdfast = Holdfast.create(schema.dataSource(4));
  private final Jobs jobs = holdfast.jobs();
  private final ByteArrayOutputStream log = new ByteArrayOutputStream();
  private final PrintStream before = System.err;

  @BeforeEach
  void listen() {
    System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
  }

  @AfterEach
  void close() {
    System.setErr(before);
    schema.close();
  }

  private String logged() {
    return log.toString(StandardCharsets.UTF_8);
  }

  private static void await(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - end).as(what).isNegative();
      Thread.onSpinWait();
    }
  }

  @Test
  void logsMissingTablesAndRecoveryOnce() {
    AtomicInteger runs = new AtomicInteger();
    try (BackgroundService runner =
        jobs.runner()
            .every(INTERVAL, jobs.job("x", LONG, SHORT), run -> runs.incrementAndGet())
            .start()) {
      await("it must say so", () -> logged().contains("job-start-failed: job 'x' could not start"));
      long later = System.nanoTime() + INTERVAL.multipliedBy(5).toNanos();
      await("it is tried again", () -> System.nanoTime() - later > 0);
      assertThat(logged())
          .contains("call holdfast.migrations().migrate()")
          .containsOnlyOnce("WARN")
          .doesNotContain("ERROR", "\tat ");

      Holdfast.create(schema.dataSource()).migrations().migrate();
      await("it must run", () -> runs.get() > 1);
      assertThat(runner.stop(LONG)).isTrue();
    }

    assertThat(logged()).containsOnlyOnce("could not start").doesNotContain("job-failed");
    assertThat(logged()).containsOnlyOnce("job-start-recovered: job 'x' can start again");
  }

  @Test
  void aRunThatTakesTooLongIsLoggedInOneLine() {
    Holdfast.create(schema.dataSource()).migrations().migrate();
    AtomicInteger runs = new AtomicInteger();
    try (BackgroundService runner =
        jobs.runner()
            .every(
                INTERVAL,
                jobs.job("toolong", Duration.ofSeconds(1), SHORT),
                run -> {
                  if (runs.incrementAndGet() == 1) {
                    new CountDownLatch(1).await();
                  }
                })
            .start()) {
      await("it must run again", () -> runs.get() > 1);
      assertThat(runner.stop(LONG)).isTrue();
    }

    assertThat(logged().lines())
        .singleElement()
        .asString()
        .contains(
            "job-lease-lost: job 'toolong' was interrupted: it ran longer than its maxDuration of"
                + " PT1S");
  }

  @Test
  void logsForcedReleaseInOneLine() {
    Holdfast.create(schema.dataSource()).migrations().migrate();

    assertThatThrownBy(
            () ->
                jobs.job("x", LONG, SHORT)
                    .run(run -> holdfast.leases().forceRelease(LeaseKey.exclusive("job/x"))))
        .isInstanceOf(LeaseLostException.class)
        .hasMessageContaining("job 'x' lost its lease: an operator released it by force");

    assertThat(logged().lines())
        .singleElement()
        .asString()
        .contains("job-lease-lost: job 'x' lost its lease");
  }

  @Test
  void anActionOnLostThatThrowsIsNamed() {
    Holdfast.create(schema.dataSource()).migrations().migrate();
    Lease lease = holdfast.leases().acquire("x", SHORT);
    lease.onLost(
        loss -> {
          throw new IllegalStateException("no paper");
        });

    await("it must be told", () -> logged().contains("no paper"));
    assertThat(logged())
        .contains(
            "lease-action-failed: the onLost action of lease 'x' threw an exception; it is not"
                + " repeated: java.lang.IllegalStateException")
        .doesNotContain("lease-task-failed");
  }
}
