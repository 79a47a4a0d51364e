package dev.holdfast.race;

import static dev.holdfast.race.Jdbc.number;
import static dev.holdfast.race.Jdbc.transaction;
import static dev.holdfast.race.Jdbc.update;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Nothing is left behind: no counter, no failure of code that is cut, no run that is missing. */
final class LeftBehindIT {
  private static final String ACCOUNTS = "create table accounts (id int primary key, amount int)";

  private final TestSchema schema = TestDatabase.postgreSql().newSchema();

  @AfterEach
  void drop() {
    schema.close();
  }

  private Race race(String... tables) {
    schema.execute(tables);
    // they end by themselves, also on a loaded machine
    return Race.create(schema.dataSource(8)).timeLimit(Duration.ofMinutes(1));
  }

  private static void isFine(RaceReport report) {
    assertThat(report.hasFinding()).as(report.text()).isFalse();
    assertThat(report.isExhaustive()).as(report.text()).isTrue();
  }

  @Test
  void resetCountersStayBehindRows() throws SQLException {
    isFine(
        race(
                "create table orders (id int generated always as identity primary key, n int)",
                "insert into orders (n) values (1), (2), (3)")
            .actors(
                2,
                ds ->
                    transaction(
                        ds,
                        connection -> {
                          update(connection, "truncate orders restart identity");
                          update(connection, "insert into orders (n) values (9)");
                        }))
            .explore());

    schema.execute("insert into orders (n) values (4)");
    assertThat(schema.count("select count(*) from orders")).isEqualTo(4);
  }

  @Test
  void onH2NamesMayDifferByCaseOnly() {
    try (TestSchema h2 = TestDatabase.h2().newSchema()) {
      h2.execute(
          "create table \"ORDER\" (\"ID\" int primary key, \"id\" int)",
          "create table \"order\" (id int primary key, n int)");
      RaceReport report =
          Race.create(h2.dataSource(8))
              .given("insert into \"order\" values (1, 1)", "insert into \"ORDER\" values (1, 1)")
              .actors(
                  2,
                  ds ->
                      transaction(
                          ds,
                          connection -> {
                            int n = number(connection, "select n from \"order\"");
                            update(connection, "update \"order\" set n = ?", n + 1);
                            update(connection, "update \"ORDER\" set \"id\" = \"id\" + 1");
                          }))
              .explore();

      assertThat(report.kind()).as(report.text()).contains(RaceReport.Kind.NOT_SERIALIZABLE);
      assertThat(h2.count("select count(*) from \"order\"")).isZero();
    }
  }

  @Test
  void aRollbackAfterTheEndOfARunDoesNotFail() {
    List<Throwable> failures = new CopyOnWriteArrayList<>();
    RaceReport report =
        race(ACCOUNTS)
            .given("insert into accounts values (1, 0)")
            .actors(3, ds -> rollingBack(ds, failures))
            .explore();

    isFine(report);
    assertThat(report.prunedRuns()).isPositive();
    assertThat(failures).isEmpty();
  }

  private static void rollingBack(DataSource ds, List<Throwable> failures) throws SQLException {
    try (Connection connection = ds.getConnection()) {
      connection.setAutoCommit(false);
      try {
        number(connection, "select amount from accounts where id = 1 for update");
        update(connection, "update accounts set amount = amount + 1 where id = 1");
        connection.commit();
      } catch (SQLException | RuntimeException | Error e) {
        try {
          connection.rollback();
        } catch (SQLException | RuntimeException | Error again) {
          // what Spring logs as "overridden by rollback exception"
          failures.add(again);
        }
        throw e;
      }
    }
  }

  @Test
  void rerunsActorThatSwallowsItsCrash() {
    schema.execute(ACCOUNTS);
    RaceReport report =
        Crash.create(schema.dataSource(8))
            .timeLimit(Duration.ofMinutes(1))
            .given("insert into accounts values (1, 0)")
            .operation(
                ds -> {
                  try {
                    transaction(
                        ds, connection -> update(connection, "update accounts set amount = 5"));
                  } catch (Error logged) {
                    assertThat(logged).isNotNull();
                  }
                })
            .explore();

    isFine(report);
  }
}
