package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.internal.job.DefaultJobs;
import dev.holdfast.internal.lease.store.SqlLeaseStore;
import dev.holdfast.internal.sql.Dialect;
import dev.holdfast.job.Job;
import dev.holdfast.job.JobRunResult;
import dev.holdfast.job.Jobs;
import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.Leases;
import dev.holdfast.lease.spi.LeaseStore;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeEach;

/**
 * What the contracts of exclusive jobs stand on: two instances, and short words for their steps.
 */
abstract class JobTests extends DatabaseContract {
  static final Duration LONG = Duration.ofMinutes(10);
  static final Duration SHORT = Duration.ofMillis(100);
  static final Duration MOMENT = Duration.ofSeconds(1);

  private final Function<TestSchema, LeaseStore> stores;
  Leases leases;
  Jobs jobs;
  Jobs elsewhere;

  /**
   * @param stores opens the store of leases for the schema of a test; each call stands for another
   *     process
   */
  @SuppressWarnings("NullAway.Init")
  JobTests(TestDatabase database, Function<TestSchema, LeaseStore> stores) {
    super(database);
    this.stores = stores;
  }

  static LeaseStore store(TestSchema schema) {
    return SqlLeaseStore.create(schema.dataSource(), dialect(schema), null, 1);
  }

  private static Dialect dialect(TestSchema schema) {
    try (Connection connection = schema.dataSource().getConnection()) {
      return Dialect.of(connection);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @BeforeEach
  final void makeInstances() {
    Holdfast.create(schema.dataSource()).migrations().migrate();
    leases = Holdfast.createLeases(stores.apply(schema), "here");
    jobs = instance(leases);
    elsewhere = instance(Holdfast.createLeases(stores.apply(schema), "there"));
  }

  private Jobs instance(Leases theirs) {
    return DefaultJobs.create(schema.dataSource(), dialect(schema), null, theirs);
  }

  static LeaseKey lease(String name) {
    return LeaseKey.exclusive("job/" + name);
  }

  /** As if the clock of the database had gone on by an hour, and that of this process had not. */
  final void anHourPasses() {
    String hour = database().name().equals("H2") ? "INTERVAL '1' HOUR" : "INTERVAL 1 HOUR";
    if (database().name().equals("PostgreSQL")) {
      hour = "INTERVAL '1 hour'";
    }
    schema.execute(
        "update holdfast_job set started_at = started_at - %1$s, ends_by = ends_by - %1$s, not_before = not_before - %1$s"
            .formatted(hour));
  }

  static void ran(JobRunResult result) {
    assertThat(result).isInstanceOf(JobRunResult.Executed.class);
  }

  static void awaitRan(Job job) {
    LeaseTests.await("it must run", () -> job.run(run -> {}) instanceof JobRunResult.Executed);
  }

  /** Leases in the store of another process, where something happens around each question. */
  final Jobs late(Runnable beforeAcquire, Runnable afterRelease) {
    LeaseStore store = stores.apply(schema);
    Object hooked =
        Proxy.newProxyInstance(
            LeaseStore.class.getClassLoader(),
            new Class<?>[] {LeaseStore.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("acquire")) {
                beforeAcquire.run();
              }
              Object answer = method.invoke(store, arguments);
              if (method.getName().equals("release")) {
                afterRelease.run();
              }
              return answer;
            });
    return instance(Holdfast.createLeases((LeaseStore) hooked, "late"));
  }

  static void throwing(String message) {
    throw new IllegalStateException(message);
  }
}
