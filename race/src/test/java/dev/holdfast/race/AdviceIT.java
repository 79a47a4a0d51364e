package dev.holdfast.race;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What reports advise of common mistakes; and that the code is right once it is followed. */
final class AdviceIT {
  private static final String DUE = "insert into payouts values (1, 'DUE'), (2, 'DUE')";
  private static TestSchema schema;
  private static DataSource dataSource;

  @BeforeAll
  static void open() {
    schema = TestDatabase.postgreSql().newSchema();
    schema.execute(
        "create table cards (code text primary key, balance bigint not null)",
        "create table uses (code text not null, buyer text not null)",
        "create table payouts (id bigint primary key, status text not null)",
        "create table shops (id bigint primary key, followers int not null)",
        "create table follows (who bigint, shop bigint references shops, primary key (who, shop))");
    dataSource = schema.dataSource(8);
  }

  @AfterAll
  static void close() {
    schema.close();
  }

  private static int change(Connection connection, String sql, Object... values)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < values.length; i++) {
        statement.setObject(i + 1, values[i]);
      }
      return statement.executeUpdate();
    }
  }

  private static int change(DataSource ds, String sql, Object... values) throws SQLException {
    try (Connection connection = ds.getConnection()) {
      return change(connection, sql, values);
    }
  }

  private static List<Long> numbers(Connection connection, String sql) throws SQLException {
    List<Long> numbers = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        numbers.add(rows.getLong(1));
      }
    }
    return numbers;
  }

  private static String flat(RaceReport report) {
    return report.text().replaceAll("\\s+", " ");
  }

  private static void assertRight(RaceReport report) {
    assertThat(report.hasFinding()).as(report.text()).isFalse();
  }

  /** A lock, and a commit before it is used, or not. */
  private static void spend(DataSource ds, String buyer, boolean rightly) throws SQLException {
    try (Connection connection = ds.getConnection()) {
      connection.setAutoCommit(false);
      long balance =
          numbers(connection, "select balance from cards where code = 'G' for update").get(0);
      if (!rightly) {
        connection.commit();
      }
      if (balance < 60) {
        throw new IllegalStateException("only " + balance);
      }
      change(connection, "update cards set balance = ? where code = 'G'", balance - 60);
      change(connection, "insert into uses values ('G', ?)", buyer);
      connection.commit();
    }
  }

  private static RaceReport spent(boolean rightly) {
    return Race.create(dataSource)
        .given("insert into cards values ('G', 100)")
        .actor("Ana", ds -> spend(ds, "Ana", rightly))
        .actor("Ben", ds -> spend(ds, "Ben", rightly))
        .explore();
  }

  @Test
  void aLockThatEndsTooEarly() {
    assertThat(flat(spent(false)))
        .contains("◄ releases the lock of ")
        .contains("fixes 1. Read and write in one transaction")
        .containsPattern("source .*AdviceIT\\.java:\\d+ › \\d+ ");
    assertRight(spent(true));
  }

  private static void pay(DataSource ds, Race race, boolean rightly) throws SQLException {
    try (Connection connection = ds.getConnection()) {
      connection.setAutoCommit(!rightly);
      String due = "select id from payouts where status = 'DUE' order by id for update skip locked";
      for (long id : numbers(connection, due)) {
        race.sideEffect("pay " + id);
        change(connection, "update payouts set status = 'PAID' where id = ?", id);
      }
      if (rightly) {
        connection.commit();
      }
    }
  }

  private static RaceReport paid(boolean rightly) {
    Race race = Race.create(dataSource).given(DUE);
    return race.actors(2, ds -> pay(ds, race, rightly)).explore();
  }

  @Test
  void aLockOfAutocommitMode() {
    assertThat(flat(paid(false)))
        .containsPattern("“pay 1” happened in \\d+ and \\d+, “pay 2” happened in \\d+ and \\d+,")
        .containsPattern("The lock of \\d+ ends with the autocommit in \\d+")
        .contains("fixes 1. Read and write in one transaction");
    assertRight(paid(true));
  }

  private static void follow(DataSource ds, long who, boolean rightly) throws SQLException {
    try (Connection connection = ds.getConnection()) {
      connection.setAutoCommit(false);
      if (rightly) {
        numbers(connection, "select id from shops where id = 5 for update");
      }
      change(connection, "insert into follows values (?, 5)", who);
      change(
          connection,
          "update shops set followers = (select count(*) from follows where shop = 5) where id ="
              + " 5");
      connection.commit();
    }
  }

  private static RaceReport followed(boolean rightly) {
    return Race.create(dataSource)
        .given("insert into shops values (5, 0)")
        .actor("Ana", ds -> follow(ds, 1, rightly))
        .actor("Ben", ds -> follow(ds, 2, rightly))
        .explore();
  }

  @Test
  void aSubselectThatHadCountedBefore() {
    RaceReport report = followed(false);

    assertThat(report.anomaly()).as(report.text()).contains("STALE SUBSELECT");
    assertThat(flat(report)).contains("SELECT … FROM shops WHERE id = 5 FOR UPDATE");
    assertRight(followed(true));
  }

  /** Asks for what is due, or also for what was begun. */
  private static void send(DataSource ds, String wanted, Consumer<String> outside)
      throws SQLException {
    List<Long> due;
    try (Connection connection = ds.getConnection()) {
      due = numbers(connection, "select id from payouts where status in (" + wanted + ")");
    }
    for (long id : due) {
      change(ds, "update payouts set status = 'SENDING' where id = ?", id);
      outside.accept("pay " + id);
      change(ds, "update payouts set status = 'PAID' where id = ?", id);
    }
  }

  private static Crash crash() {
    return Crash.create(dataSource).given("insert into payouts values (1, 'DUE')");
  }

  @Test
  void workThatACrashLeavesUndone() {
    Crash crash = crash();
    RaceReport report = crash.operation(ds -> send(ds, "'DUE'", crash::sideEffect)).explore();

    assertThat(report.anomaly()).as(report.text()).contains("PARTIAL EXECUTION");
    assertThat(flat(report))
        .contains("resume unfinished work")
        .contains("StuckRows.table(\"payouts\")")
        .doesNotContain("one transaction");
  }

  @Test
  void repeatedEffectWithKeyIsAllowed() {
    String wanted = "'DUE', 'SENDING'";
    Crash crash = crash();
    RaceReport report = crash.operation(ds -> send(ds, wanted, crash::sideEffect)).explore();
    assertThat(report.anomaly()).as(report.text()).contains("NOT IDEMPOTENT");
    assertThat(flat(report)).contains("fixes 1. Send the remote service the same idempotency key");

    Crash keyed = crash();
    assertRight(keyed.operation(ds -> send(ds, wanted, keyed::yieldPoint)).explore());
  }

  @Test
  void crashBreaksInvariant() {
    Crash crash = crash();
    RaceReport report =
        crash
            .operation(ds -> send(ds, "'DUE'", name -> {}))
            .invariant("all is paid", "select status = 'PAID' from payouts")
            .explore();

    assertThat(flat(report))
        .contains(
            "A crash and a retry cause a wrong result. At the end, the invariant “all is paid” does"
                + " not hold.")
        .contains("treated unfinished work as done")
        .contains("fixes 1. Do all of it in one transaction")
        .doesNotContain("each other");
  }

  @Test
  void aPointThatIsPassedTooOftenIsHintedAt() {
    Race race = Race.create(dataSource).given("insert into payouts values (1, 'DUE')");
    RaceReport report =
        race.actors(
                2,
                ds -> {
                  try (Connection connection = ds.getConnection()) {
                    String due = "select id from payouts where status = 'DUE'";
                    for (long id : numbers(connection, due)) {
                      race.yieldPoint("pay " + id);
                      change(connection, "update payouts set status = 'PAID' where id = ?", id);
                    }
                  }
                })
            .explore();

    assertRight(report);
    assertThat(flat(report))
        .contains("note “pay 1” was passed 2 times in a run, but in serial runs at most once");
  }

  private static void take(DataSource ds, boolean rightly) throws SQLException {
    try (Connection connection = ds.getConnection()) {
      connection.setAutoCommit(false);
      int changed =
          change(connection, "update cards set balance = balance - 60 where balance >= 60");
      if (changed == 1 || !rightly) {
        change(connection, "insert into uses values ('G', 'x')");
      }
      connection.commit();
    }
  }

  @Test
  void reportsIgnoredRowCount() {
    Race race = Race.create(dataSource).given("insert into cards values ('G', 100)");
    RaceReport report = race.actors(2, ds -> take(ds, false)).explore();
    assertRight(report);
    assertThat(flat(report)).contains("changed 0 rows, as if it had changed one");

    Race right = Race.create(dataSource).given("insert into cards values ('G', 100)");
    assertThat(flat(right.actors(2, ds -> take(ds, true)).explore())).doesNotContain("0 rows");
  }

  @Test
  void anUpdateThatOftenFindsNothingIsNoGuard() {
    Race race = Race.create(dataSource);
    RaceReport report =
        race.actor("Ana", ds -> replaceUses(ds, "Ana"))
            .actor("Ben", ds -> replaceUses(ds, "Ben"))
            .explore();

    assertThat(flat(report)).doesNotContain("changed 0 rows");
  }

  private static void replaceUses(DataSource ds, String buyer) throws SQLException {
    try (Connection connection = ds.getConnection()) {
      connection.setAutoCommit(false);
      change(connection, "update cards set balance = 0 where balance > 0");
      change(connection, "insert into uses values ('G', ?)", buyer);
      connection.commit();
    }
  }

  @Test
  void thatNothingIsComparedIsAWarning() {
    RaceReport report =
        Race.create(dataSource)
            .given("insert into cards values ('G', 100)")
            .actors(2, ds -> change(ds, "update cards set balance = ?", System.nanoTime()))
            .explore();

    assertThat(flat(report))
        .containsPattern("WARNING nothing that the actors change is compared.*cards\\.balance")
        .doesNotContain("note not compared");
  }

  @Test
  void deadlockFixUsesOwnKey() {
    RaceReport report =
        Race.create(dataSource)
            .given("insert into cards values ('A', 10), ('B', 10)")
            .actor("to b", ds -> move(ds, "A", "B"))
            .actor("to a", ds -> move(ds, "B", "A"))
            .explore();

    assertThat(flat(report)).contains("FROM cards WHERE code IN (…) ORDER BY code FOR UPDATE");
  }

  private static void move(DataSource ds, String from, String to) throws SQLException {
    try (Connection connection = ds.getConnection()) {
      connection.setAutoCommit(false);
      change(connection, "update cards set balance = balance - 1 where code = ?", from);
      change(connection, "update cards set balance = balance + 1 where code = ?", to);
      connection.commit();
    }
  }
}
