package dev.holdfast.testing.sql;

import static dev.holdfast.testing.sql.MigrationSets.ALTERING;
import static dev.holdfast.testing.sql.MigrationSets.BASE;
import static dev.holdfast.testing.sql.MigrationSets.CHANGED;
import static dev.holdfast.testing.sql.MigrationSets.FAILING;
import static dev.holdfast.testing.sql.MigrationSets.LONGER;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.schema.MigrationResult;
import dev.holdfast.schema.Migrations;
import dev.holdfast.schema.SchemaException;
import dev.holdfast.schema.TestMigrations;
import dev.holdfast.testing.ConcurrentActors;
import dev.holdfast.testing.InterceptingDataSource;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the migrator guarantees with several migrations, some of them bad. */
abstract class MigrationStepsContract {
  private static final int MIGRATORS = 10;
  private static final Duration LIMIT = Duration.ofMinutes(3);

  private final TestDatabase database;
  TestSchema schema;

  @SuppressWarnings("NullAway.Init")
  MigrationStepsContract(TestDatabase database) {
    this.database = database;
  }

  @BeforeEach
  final void openSchema() {
    schema = database.newSchema();
  }

  @AfterEach
  final void dropSchema() {
    schema.close();
  }

  final Migrations migrations(Map<String, String> set) {
    return TestMigrations.on(schema.dataSource(), set);
  }

  final List<Object> ledger() {
    return schema.query("select version from holdfast_migration order by version").stream()
        .map(row -> String.valueOf(row.get("version")))
        .map(Object.class::cast)
        .toList();
  }

  private long runs() {
    return schema.count("select count(*) from holdfast_run");
  }

  @Test
  void appliesOnlyWhatIsPending() {
    assertThat(migrations(BASE).migrate().applied())
        .containsExactly("0001_ledger.sql", "0002_jobs.sql", "0003_run.sql");
    assertRefused(SchemaException.Reason.OUTDATED, migrations(LONGER)::validate)
        .hasMessageContainingAll("version 4", "is at 3", "0004_more.sql has", "upgradeScript(3, ")
        .hasMessageNotContaining("0003");

    MigrationResult result = migrations(LONGER).migrate();

    assertThat(result.applied()).containsExactly("0004_more.sql");
    assertThat(result.version()).isEqualTo(4);
    assertThat(runs()).isEqualTo(1);
    migrations(LONGER).validate();
  }

  @Test
  void amongTenMigratorsEachStatementRunsOnce() {
    TestMigrations.on(schema.dataSource(), Map.of()).migrate();

    assertEachStatementRunsOnce(
        watched -> index -> TestMigrations.on(watched, BASE).migrate().version());
  }

  @Test
  void concurrentMigratorsRunEachStatementOnce() {
    assertEachStatementRunsOnce(
        watched -> index -> TestMigrations.on(watched, BASE).migrate().version());
  }

  @Test
  void controlWithoutLockFails() {
    TestMigrations.on(schema.dataSource(), Map.of()).migrate();
    CyclicBarrier allHaveLooked = new CyclicBarrier(MIGRATORS);

    assertThatThrownBy(
            () ->
                assertEachStatementRunsOnce(
                    watched ->
                        index -> {
                          int pending = BASE.size() + 1 - ledger().size();
                          allHaveLooked.await(30, SECONDS);
                          return pending == BASE.size() ? migrateWithoutALock(watched) : 0;
                        }))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("of 10 actors failed");
  }

  /** As it would be without the lock: the same statements and rows, in the same transactions. */
  private static int migrateWithoutALock(DataSource dataSource) throws Exception {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      for (String sql : TestMigrations.statements(BASE, "")) {
        statement.execute(sql);
      }
      for (int version = 2; version <= BASE.size() + 1; version++) {
        statement.execute(
            "insert into holdfast_migration (version, name, checksum, applied_at) values ("
                + version
                + ", 'x', 'x', current_timestamp)");
      }
      connection.commit();
      return BASE.size() + 1;
    }
  }

  interface MigratorOn {
    ConcurrentActors.Actor<Integer> on(DataSource watched);
  }

  private void assertEachStatementRunsOnce(MigratorOn migrator) {
    assertRunOnce(TestMigrations.statements(BASE, ""), migrator);
  }

  final void assertRunOnce(List<String> statements, MigratorOn migrator) {
    List<String> seen = Collections.synchronizedList(new ArrayList<>());
    CyclicBarrier together = new CyclicBarrier(MIGRATORS);
    ThreadLocal<Integer> looks = ThreadLocal.withInitial(() -> 0);
    DataSource watched =
        InterceptingDataSource.of(
            schema.dataSource(),
            (connection, sql) -> {
              if (sql.contains("information_schema.tables")) {
                looks.set(looks.get() + 1);
                if (looks.get() == 2) {
                  await(together); // each has read the ledger before one of them goes on
                }
              }
              seen.add(shape(sql));
            });

    assertThat(ConcurrentActors.run(LIMIT, MIGRATORS, migrator.on(watched)).resultsOrThrow())
        .containsOnly(BASE.size() + 1);
    for (String statement : statements) {
      assertThat(seen).filteredOn(sql -> sql.startsWith(statement)).as(statement).hasSize(1);
    }
    assertThat(ledger()).containsExactly("1", "2", "3");
    assertThat(runs()).isEqualTo(1);
  }

  private static void await(CyclicBarrier barrier) {
    try {
      barrier.await(60, SECONDS);
    } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
      throw new AssertionError("not all have come", e);
    }
  }

  /** A statement without its schema, however that is quoted. */
  private static String shape(String sql) {
    return sql.replaceAll("[\"`]\\w+[\"`]\\.", "");
  }

  @Test
  void waitsUntilTheOtherIsDone() {
    MigrationGate gate = new MigrationGate("0003_run");
    AtomicInteger attempts = new AtomicInteger();
    Callable<MigrationResult> first =
        () -> TestMigrations.on(InterceptingDataSource.of(schema.unpooled(), gate), BASE).migrate();
    Callable<MigrationResult> second =
        () -> {
          gate.awaitReached();
          InterceptingDataSource.Watch opensAtTheThirdAttempt =
              (connection, sql) -> {
                if (isLock(sql) && attempts.incrementAndGet() == 3) {
                  gate.open();
                }
              };
          return TestMigrations.on(
                  InterceptingDataSource.of(schema.dataSource(), opensAtTheThirdAttempt), BASE)
              .migrate();
        };

    List<MigrationResult> results =
        ConcurrentActors.run(LIMIT, List.of(first, second)).resultsOrThrow();

    assertThat(results.get(0).applied()).contains("0003_run.sql");
    assertThat(results.get(1).applied()).isEmpty();
    assertThat(results).allMatch(result -> result.version() == 3);
    assertThat(runs()).isEqualTo(1);
  }

  static boolean isLock(String sql) {
    return sql.contains("FOR UPDATE") || sql.contains("pg_try_advisory_xact_lock");
  }

  @Test
  void givesUpWaitingInTheEndAndSaysWhy() {
    MigrationGate gate = new MigrationGate("0003_run");
    Callable<Integer> first =
        () ->
            TestMigrations.on(InterceptingDataSource.of(schema.unpooled(), gate), BASE)
                .migrate()
                .version();
    Callable<Integer> second =
        () -> {
          gate.awaitReached();
          try {
            assertRefused(
                    SchemaException.Reason.BUSY,
                    migrations(BASE).waitTimeout(Duration.ofMillis(200))::migrate)
                .hasMessageContainingAll("another instance", "PT0.2S");
          } finally {
            gate.open();
          }
          return 3;
        };

    assertThat(ConcurrentActors.run(LIMIT, List.of(first, second)).resultsOrThrow())
        .containsExactly(3, 3);
  }

  @Test
  void aMigratorThatDiesFreesTheLock() {
    MigrationGate gate = new MigrationGate("0003_run");
    Callable<Integer> dies =
        () -> {
          assertThatThrownBy(
                  () ->
                      TestMigrations.on(InterceptingDataSource.of(schema.unpooled(), gate), BASE)
                          .migrate())
              .isInstanceOf(MigrationGate.Killed.class);
          return 3;
        };
    Callable<Integer> next =
        () -> {
          gate.awaitReached();
          assertRefused(
              SchemaException.Reason.BUSY,
              migrations(BASE).waitTimeout(Duration.ofMillis(200))::migrate);
          gate.kill();
          return migrations(BASE).migrate().version();
        };

    assertThat(ConcurrentActors.run(LIMIT, List.of(dies, next)).resultsOrThrow())
        .containsExactly(3, 3);
    assertThat(ledger()).containsExactly("1", "2", "3");
    assertThat(runs()).isEqualTo(1);
    migrations(BASE).validate();
  }

  @Test
  void failureNamesStatementAndRerunCuresIt() {
    assertRefused(SchemaException.Reason.FAILED, migrations(FAILING)::migrate)
        .hasMessageContainingAll("0004_half.sql", "statement 2 of 2", "INSERT INTO")
        .message()
        .containsIgnoringCase("holdfast_cure");
    assertAfterFailure();

    schema.execute("create table holdfast_cure (id integer primary key)");
    assertThat(migrations(FAILING).migrate().version()).isEqualTo(4);
    assertThat(schema.count("select count(*) from holdfast_cure")).isEqualTo(1);
    assertThat(runs()).isEqualTo(1);
    migrations(FAILING).validate();
  }

  /** What a failure in version 4 leaves behind. */
  abstract void assertAfterFailure();

  @Test
  void refusesAChangedFileAndAnOlderJar() {
    migrations(LONGER).migrate();

    assertRefused(SchemaException.Reason.NEWER, migrations(BASE)::migrate)
        .hasMessageContainingAll("0004_more.sql", "version 3 or older", "is at 4");
    assertRefused(SchemaException.Reason.NEWER, migrations(CHANGED)::validate)
        .hasMessageContainingAll("0004_more.sql", "0002_jobs.sql", "checksum");
    schema.execute("delete from holdfast_migration where version = 4");
    assertRefused(SchemaException.Reason.CHANGED, migrations(CHANGED)::migrate)
        .hasMessageContaining("0002_jobs.sql in this jar");
  }

  @Test
  void refusesMigrationsOutOfOrder() {
    migrations(LONGER).migrate();
    schema.execute("delete from holdfast_migration where version = 3");

    assertRefused(SchemaException.Reason.OUT_OF_ORDER, migrations(LONGER)::validate)
        .hasMessageContainingAll("version 4 has run without 0003_run.sql");
    assertRefused(SchemaException.Reason.OUT_OF_ORDER, migrations(LONGER)::migrate);
    assertThat(runs()).isEqualTo(1);
  }

  @Test
  void saysWhichTableIsGone() {
    migrations(BASE).migrate();
    schema.execute("drop table holdfast_job");

    assertRefused(SchemaException.Reason.DAMAGED, migrations(BASE)::validate)
        .hasMessageContainingAll("holdfast_job is not there", "version 3");
    assertRefused(SchemaException.Reason.DAMAGED, migrations(LONGER)::migrate);
    assertThat(ledger()).containsExactly("1", "2", "3");
  }

  @Test
  void waitForBusyTableIsBounded() throws Exception {
    migrations(BASE).migrate();
    schema.execute("insert into holdfast_job (id) values (1)");
    try (Connection user = schema.unpooled().getConnection();
        Statement statement = user.createStatement()) {
      user.setAutoCommit(false);
      statement.execute("update holdfast_job set note = 'in use'");

      assertRefused(
              SchemaException.Reason.BUSY,
              migrations(ALTERING).waitTimeout(Duration.ofMillis(500))::migrate)
          .hasMessageContaining("0004_alter.sql");
      user.rollback();
    }
    assertThat(migrations(ALTERING).migrate().applied()).containsExactly("0004_alter.sql");
  }

  @Test
  void acceptsPoolWithoutAutocommit() {
    HikariConfig config = new HikariConfig();
    config.setDataSource(schema.unpooled());
    config.setMaximumPoolSize(2);
    config.setMinimumIdle(0);
    config.setAutoCommit(false);
    try (HikariDataSource pool = new HikariDataSource(config)) {
      assertThat(TestMigrations.on(pool, BASE).migrate().version()).isEqualTo(3);
      TestMigrations.on(pool, BASE).validate();
    }
    assertThat(ledger()).hasSize(3);
  }

  static AbstractThrowableAssert<?, ? extends Throwable> assertRefused(
      SchemaException.Reason reason, ThrowingCallable work) {
    return assertThatThrownBy(work)
        .isInstanceOfSatisfying(
            SchemaException.class, refusal -> assertThat(refusal.reason()).isEqualTo(reason));
  }
}
