package dev.holdfast.race;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What is taken for wrong, how simply it is shown, and what a replay does. */
final class JudgementIT {
  private static Counter counter;

  @BeforeAll
  static void open() {
    counter = Counter.onPostgreSql();
    counter
        .schema()
        .execute(
            "create table payout(id int primary key, status varchar(10))",
            "insert into payout values (1, 'DUE'), (2, 'DUE')");
  }

  @AfterAll
  static void close() {
    counter.close();
  }

  private static boolean claims(DataSource ds, int id) throws SQLException {
    try (Connection connection = ds.getConnection();
        PreparedStatement update =
            connection.prepareStatement(
                "update payout set status = 'SENT' where id = ? and status = 'DUE'")) {
      update.setInt(1, id);
      return update.executeUpdate() == 1;
    }
  }

  @Test
  void orderDecidesOwnerOfEffect() {
    Race race = counter.race();
    RaceReport report =
        race.actors(
                2,
                ds -> {
                  for (int id = 1; id <= 2; id++) {
                    if (claims(ds, id)) {
                      race.sideEffect("pay " + id);
                    }
                  }
                })
            .explore();

    assertThat(report.hasFinding()).as(report.text()).isFalse();
  }

  @Test
  void anEffectOfBothIsFoundWithItsLine() {
    Race race = counter.race();
    RaceReport report =
        race.actors(
                2,
                ds -> {
                  if (Counter.number(ds, "select count(*) from payout where status = 'DUE'") == 2) {
                    race.sideEffect("pay");
                    claims(ds, 1);
                  }
                })
            .explore();

    assertThat(report.anomaly()).as(report.text()).contains("DUPLICATE EFFECT");
    assertThat(report.text()).contains("JudgementIT.java").doesNotContain("Exploring.java");
  }

  @Test
  void noConnectionIsLostWhereAnEffectHappens() {
    Crash crash = Crash.create(counter.dataSource());
    RaceReport report =
        crash
            .operation(
                ds -> {
                  claims(ds, 1);
                  crash.sideEffect("pay");
                })
            .invariant("paid", connection -> crash.sideEffectCount("pay") >= 1)
            .explore();

    assertThat(report.hasFinding()).as(report.text()).isFalse();
  }

  /** The lock of the first transaction ends with it, and waiting for it changes nothing. */
  private static void lockThenForget(DataSource ds) throws SQLException {
    long n;
    try (Connection connection = ds.getConnection()) {
      connection.setAutoCommit(false);
      n = Counter.number(connection, Counter.LOOK + " for update");
      connection.commit();
    }
    Counter.run(ds, "update counter set n = " + (n + 1) + " where id = 1");
  }

  @Test
  void itIsShownWithAsFewSwitchesAsCanBe() {
    RaceReport report = counter.race().actors(2, JudgementIT::lockThenForget).explore();

    assertThat(report.replayToken().orElseThrow())
        .as(report.text())
        .matches("HF1-A\\d+B\\d+A\\d+-.*");
    assertThat(report.text()).doesNotContain("waiting for");
  }

  @Test
  void replayRunsSerialOrdersAndItself() {
    String token =
        counter.race().actors(2, Counter::upByReading).explore().replayToken().orElseThrow();
    AtomicInteger calls = new AtomicInteger();

    RaceReport again =
        counter
            .race()
            .actors(
                2,
                ds -> {
                  calls.incrementAndGet();
                  Counter.upByReading(ds);
                })
            .replay(token)
            .explore();

    assertThat(again.hasFinding()).isTrue();
    assertThat(calls).as("two serial runs and this one, of two actors").hasValue(6);
  }
}
