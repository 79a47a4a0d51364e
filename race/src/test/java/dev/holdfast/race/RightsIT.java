package dev.holdfast.race;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.KillableDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.mariadb.jdbc.MariaDbDataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** An ordinary user of the server is enough; where it is not, the report says what to grant. */
final class RightsIT {

  private static void asOrdinaryUser(Consumer<DataSource> test) {
    try (Counter counter = Counter.onPostgreSql()) {
      String role = "r_" + counter.schema().name();
      counter
          .schema()
          .execute(
              "insert into counter values (2, 0)",
              "create role " + role + " login password 'secret'",
              "grant usage on schema " + counter.schema().name() + " to " + role,
              "grant select, insert, update, delete on counter to " + role);
      PGSimpleDataSource ordinary = new PGSimpleDataSource();
      ordinary.setUrl(counter.schema().url());
      ordinary.setUser(role);
      ordinary.setPassword("secret");
      try {
        test.accept(ordinary);
      } finally {
        counter.schema().execute("drop owned by " + role, "drop role " + role);
      }
    }
  }

  @Test
  void postgreSqlNeedsNoSuperuser() {
    asOrdinaryUser(
        ds -> {
          RaceReport lost = Race.create(ds).actors(2, Counter::upByReading).explore();
          RaceReport fair = Race.create(ds).actors(2, Counter::up).explore();

          assertThat(lost.anomaly()).as(lost.text()).contains("LOST UPDATE");
          assertThat(fair.hasFinding()).as(fair.text()).isFalse();
          assertThat(fair.isExhaustive()).isTrue();
          assertThat(fair.warnings()).isEmpty();
        });
  }

  @Test
  void deadlockNeedsNoSuperuser() {
    asOrdinaryUser(
        ds -> {
          RaceReport report =
              Race.create(ds)
                  .actor("Ana", own -> both(own, 1, 2))
                  .actor("Ben", own -> both(own, 2, 1))
                  .explore();

          assertThat(report.kind()).as(report.text()).contains(RaceReport.Kind.DEADLOCK);
          assertThat(report.text()).contains("waiting for");
        });
  }

  private static void both(DataSource ds, int first, int second) throws SQLException {
    try (Connection connection = ds.getConnection()) {
      connection.setAutoCommit(false);
      Counter.run(connection, "update counter set n = n + 1 where id = " + first);
      Counter.run(connection, "update counter set n = n + 1 where id = " + second);
      connection.commit();
    }
  }

  /** On a server of its own: that of the other tests asks nobody for rights. */
  @Test
  void mariaDbSaysWhatToGrant() throws Exception {
    try (KillableDatabase own = KillableDatabase.mariaDb();
        Counter counter = Counter.on(own.database())) {
      counter
          .schema()
          .execute(
              "flush privileges",
              "create user plain identified by 'secret'",
              "grant all on " + counter.schema().name() + ".* to plain",
              "grant all on *.* to root@localhost identified by ''");
      MariaDbDataSource plain = new MariaDbDataSource(counter.schema().url());
      plain.setUser("plain");
      plain.setPassword("secret");

      RaceReport report = Race.create(plain).actors(2, Counter::upByReading).explore();

      assertThat(report.anomaly()).as(report.text()).contains("LOST UPDATE");
      assertThat(report.text()).contains("WARNING", "presumed");
      assertThat(report.warnings())
          .anyMatch(warning -> warning.contains("GRANT PROCESS ON *.* TO 'plain'@'%'"));
    }
  }

  @Test
  void afterwardsTheTablesAreAsBefore() {
    try (Counter counter = Counter.onPostgreSql()) {
      counter.schema().execute("update counter set n = 7");

      counter.race().given("update counter set n = 0").actors(2, Counter::upByReading).explore();

      assertThat(counter.value()).isEqualTo(7);
      assertThat(counter.schema().count("select count(*) from counter")).isEqualTo(1);
    }
  }
}
