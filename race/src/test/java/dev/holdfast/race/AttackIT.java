package dev.holdfast.race;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ConcurrentModificationException;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Code that has once fooled the race finder: it alarmed without cause, gave up, or took long. */
final class AttackIT {
  private final TestSchema schema = TestDatabase.postgreSql().newSchema();

  @AfterEach
  void drop() {
    schema.close();
  }

  private Race race(String... tables) {
    schema.execute(tables);
    return Race.create(schema.dataSource(8));
  }

  private interface Work {
    void on(Statement statement) throws SQLException;
  }

  private static void transaction(DataSource ds, Work work) throws SQLException {
    try (Connection connection = ds.getConnection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      try {
        work.on(statement);
        connection.commit();
      } catch (SQLException | RuntimeException e) {
        connection.rollback();
        throw e;
      }
    }
  }

  private static long number(Statement statement, String sql) throws SQLException {
    try (ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }

  @Test
  void acceptsFailureOfGuardedWrite() {
    RaceReport report =
        race("create table docs (id int primary key, body int, version int)")
            .given("insert into docs values (1, 0, 1)")
            .actors(
                2,
                ds ->
                    transaction(
                        ds,
                        statement -> {
                          long version = number(statement, "select version from docs");
                          int changed =
                              statement.executeUpdate(
                                  "update docs set body = body + 1, version = version + 1"
                                      + " where version = "
                                      + version);
                          if (changed == 0) {
                            throw new ConcurrentModificationException("it was changed meanwhile");
                          }
                        }))
            .explore();

    assertThat(report.hasFinding()).as(report.text()).isFalse();
    assertThat(report.text()).contains("failed after one of its writes changed no row");
  }

  @Test
  void comparesWorkCommittedBeforeFailure() {
    RaceReport report =
        race(
                "create table docs (id int primary key, version int)",
                "create table mails (body varchar(20))")
            .given("insert into docs values (1, 1)")
            .actors(
                2,
                ds -> {
                  long[] version = {0};
                  transaction(
                      ds,
                      statement -> {
                        version[0] = number(statement, "select version from docs");
                        statement.executeUpdate("insert into mails values ('changed')");
                      });
                  transaction(
                      ds,
                      statement -> {
                        if (statement.executeUpdate(
                                "update docs set version = version + 1 where version = "
                                    + version[0])
                            == 0) {
                          throw new ConcurrentModificationException("it was changed meanwhile");
                        }
                      });
                })
            .explore();

    assertThat(report.kind()).as(report.text()).contains(RaceReport.Kind.NOT_SERIALIZABLE);
  }

  @Test
  void pollingForOtherActorIsNoLivelock() {
    RaceReport report =
        race("create table locks (owner int)", "create table accounts (amount int)")
            .given("insert into locks values (null)", "insert into accounts values (1)")
            .actors(
                2,
                ds -> {
                  try (Connection connection = ds.getConnection();
                      Statement statement = connection.createStatement()) {
                    while (statement.executeUpdate("update locks set owner = 1 where owner is null")
                        == 0) {
                      Thread.onSpinWait();
                    }
                    long amount = number(statement, "select amount from accounts");
                    statement.executeUpdate("update accounts set amount = " + (amount + 1));
                    statement.executeUpdate("update locks set owner = null");
                  }
                })
            .timeLimit(Duration.ofSeconds(2))
            .explore();

    assertThat(report.hasFinding()).as(report.text()).isFalse();
  }

  @Test
  void pollingForNothingIsLivelock() {
    RaceReport report =
        race("create table locks (owner int)")
            .given("insert into locks values (null)")
            .actors(
                2,
                ds -> {
                  try (Connection connection = ds.getConnection();
                      Statement statement = connection.createStatement()) {
                    boolean free =
                        number(statement, "select count(*) from locks where owner = 1") == 0;
                    statement.executeUpdate("update locks set owner = coalesce(owner, 0) + 1");
                    while (free && number(statement, "select owner from locks") > 1) {
                      Thread.onSpinWait();
                    }
                  }
                })
            .explore();

    assertThat(report.kind()).as(report.text()).contains(RaceReport.Kind.LIVELOCK);
  }

  @Test
  void allowsNewValuesInStatementText() {
    RaceReport report =
        race("create table orders (id serial primary key, code varchar(40), at varchar(40))")
            .actors(
                2,
                ds ->
                    transaction(
                        ds,
                        statement -> {
                          long id =
                              number(
                                  statement,
                                  "insert into orders (code, at) values ('%s', '%s') returning id"
                                      .formatted(UUID.randomUUID(), Instant.now()));
                          statement.executeUpdate("update orders set at = null where id = " + id);
                        }))
            .explore();

    assertThat(report.hasFinding()).as(report.text()).isFalse();
  }

  @Test
  void warnsOfTableWithOnlyTimes() {
    RaceReport report =
        race("create table slots (starts timestamp)", "create table visits (starts timestamp)")
            .given("insert into slots values ('2031-01-01 10:00')")
            .actor(
                "Ana",
                ds -> {
                  try (Connection connection = ds.getConnection();
                      Statement statement = connection.createStatement();
                      ResultSet slot = statement.executeQuery("select starts from slots")) {
                    slot.next();
                    String starts = slot.getString(1);
                    statement.executeUpdate("insert into visits values ('" + starts + "')");
                  }
                })
            .actor(
                "Ben",
                ds ->
                    transaction(
                        ds,
                        statement -> {
                          statement.executeUpdate("update slots set starts = '2031-01-01 11:00'");
                          statement.executeUpdate("update visits set starts = '2031-01-01 11:00'");
                        }))
            .explore();

    assertThat(report.kind()).contains(RaceReport.Kind.NOT_SERIALIZABLE);
    assertThat(report.text()).contains("rows of visits", "11:00");
  }

  @Test
  void aQueueWithoutAnOrderIsNotTakenForChance() {
    RaceReport report =
        race("create table jobs (id int primary key, state varchar(9), body varchar(200))")
            .given(
                "insert into jobs select i, 'NEW', repeat('x', 150) from generate_series(1, 6) i")
            .actors(
                3,
                ds ->
                    transaction(
                        ds,
                        statement -> {
                          long job =
                              number(
                                  statement,
                                  "select id from jobs where state = 'NEW' limit 1"
                                      + " for update skip locked");
                          statement.executeUpdate(
                              "update jobs set state = 'DONE' where id = " + job);
                        }))
            .explore();

    assertThat(report.hasFinding()).as(report.text()).isFalse();
  }
}
