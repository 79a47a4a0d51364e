package dev.holdfast.race;

import static dev.holdfast.race.Jdbc.number;
import static dev.holdfast.race.Jdbc.text;
import static dev.holdfast.race.Jdbc.transaction;
import static dev.holdfast.race.Jdbc.update;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A finding has the name of its bug, and only fixes that help against it. */
final class FittingAdviceIT {
  private static final String DOCS =
      "create table docs (id int primary key, title varchar(20), body int, version int)";
  private static final String DOC = "insert into docs values (1, 'old', 0, 1)";
  private static final String ACCOUNTS = "create table accounts (id int primary key, amount int)";

  private final TestSchema schema = TestDatabase.postgreSql().newSchema();

  @AfterEach
  void drop() {
    schema.close();
  }

  private Race race(String... tables) {
    schema.execute(tables);
    return Race.create(schema.dataSource(8));
  }

  private static String fixes(RaceReport report) {
    String text = report.text();
    int from = text.indexOf("\n  fixes");
    int to =
        Stream.of("\n  isolation", "\n  replay")
            .mapToInt(text::indexOf)
            .filter(i -> i > from)
            .min()
            .orElse(text.length());
    assertThat(from).as(text).isPositive();
    return text.substring(from, to).replaceAll("\\s+", " ");
  }

  @Test
  void omitsSerializableIfItFailed() {
    RaceReport report =
        race(
                "create table customers (id int primary key, state varchar(10))",
                "create table events (id int primary key, kind varchar(10), done boolean)")
            .given(
                "insert into customers values (1, '-')",
                "insert into events values (1, 'created', false), (2, 'deleted', false)")
            .actors(2, FittingAdviceIT::applyNext)
            .explore();

    assertThat(report.text()).contains("No isolation level prevents this");
    assertThat(fixes(report))
        .doesNotContain("SERIALIZABLE")
        .contains(
            "SKIP LOCKED skips rows that another transaction has locked",
            "lock a row that all actors share");
  }

  private static void applyNext(DataSource ds) throws Exception {
    transaction(
        ds,
        connection -> {
          int event =
              number(
                  connection,
                  "select id from events where not done order by id limit 1"
                      + " for update skip locked");
          String kind = text(connection, "select kind from events where id = ?", event);
          update(connection, "update customers set state = ? where id = 1", kind);
          update(connection, "update events set done = true where id = ?", event);
        });
  }

  @Test
  void reportsLockOnWrongTable() {
    RaceReport report =
        race(
                "create table stock (sku int primary key, qty int)",
                "create table orders (id int primary key, sku int, state varchar(9))")
            .given(
                "insert into stock values (7, 1)",
                "insert into orders values (1, 7, 'NEW'), (2, 7, 'NEW')")
            .actor("Ana", ds -> confirm(ds, 1))
            .actor("Ben", ds -> confirm(ds, 2))
            .explore();

    assertThat(fixes(report))
        .contains("does not prevent changes to stock", "FROM stock WHERE … FOR UPDATE");
  }

  private static void confirm(DataSource ds, int order) throws Exception {
    transaction(
        ds,
        connection -> {
          int left =
              number(
                  connection,
                  "select s.qty from orders o join stock s on s.sku = o.sku where o.id = ?"
                      + " for update of o",
                  order);
          if (left < 1) {
            throw new IllegalStateException("sold out");
          }
          update(connection, "update stock set qty = ? where sku = 7", left - 1);
          update(connection, "update orders set state = 'OK' where id = ?", order);
        });
  }

  @Test
  void reportsEarlyReleasedLock() {
    RaceReport report =
        race(ACCOUNTS)
            .given("insert into accounts values (1, 100)")
            .actors(
                2,
                ds -> {
                  int[] amount = {0};
                  transaction(
                      ds,
                      connection ->
                          amount[0] =
                              number(
                                  connection,
                                  "select amount from accounts where id = 1 for update"));
                  transaction(
                      ds,
                      connection ->
                          update(
                              connection,
                              "update accounts set amount = ? where id = 1",
                              amount[0] - 10));
                })
            .explore();

    assertThat(fixes(report))
        .contains(
            "Read and write in one transaction. A lock is released when its transaction ends");
  }

  @Test
  void reportsLockReleasedBySavepoint() {
    RaceReport report =
        race(ACCOUNTS)
            .given("insert into accounts values (1, 100)")
            .actors(
                2,
                ds ->
                    transaction(
                        ds,
                        connection -> {
                          var savepoint = connection.setSavepoint();
                          int amount =
                              number(
                                  connection,
                                  "select amount from accounts where id = 1 for update");
                          connection.rollback(savepoint);
                          update(
                              connection,
                              "update accounts set amount = ? where id = 1",
                              amount - 10);
                        }))
            .explore();

    assertThat(fixes(report)).contains("The rollback to a savepoint in step");
  }

  @Test
  void upsertOfReadValueIsLostUpdate() {
    RaceReport report =
        race(ACCOUNTS)
            .given("insert into accounts values (1, 100)")
            .actors(
                2,
                ds ->
                    transaction(
                        ds,
                        connection -> {
                          int amount =
                              number(connection, "select amount from accounts where id = 1");
                          update(
                              connection,
                              "insert into accounts values (1, ?)"
                                  + " on conflict (id) do update set amount = excluded.amount",
                              amount + 1);
                        }))
            .explore();

    assertThat(report.anomaly()).as(report.text()).contains("LOST UPDATE");
    assertThat(fixes(report)).doesNotContain("UNIQUE");
  }

  @Test
  void aValueThatIsCastIsLostLikeAnyOther() {
    RaceReport report =
        race("create table notes (id int primary key, body jsonb)")
            .given("insert into notes values (1, '[]')")
            .actor("Ana", ds -> addNote(ds, "1"))
            .actor("Ben", ds -> addNote(ds, "2"))
            .explore();

    assertThat(report.anomaly()).as(report.text()).contains("LOST UPDATE");
  }

  private static void addNote(DataSource ds, String note) throws Exception {
    transaction(
        ds,
        connection -> {
          String body = text(connection, "select body from notes where id = 1");
          String more = body.equals("[]") ? note : body.replaceAll("[\\[\\]]", "") + "," + note;
          update(connection, "update notes set body = ?::jsonb where id = 1", "[" + more + "]");
        });
  }

  @Test
  void missingVersionIncrementIsLostUpdate() {
    RaceReport report =
        race(DOCS)
            .given(DOC)
            .actor(
                "Ana",
                ds ->
                    transaction(
                        ds,
                        connection -> {
                          String title = text(connection, "select title from docs where id = 1");
                          update(
                              connection,
                              "update docs set title = ?, body = 5, version = version + 1"
                                  + " where id = 1 and version = 1",
                              title);
                        }))
            .actor(
                "Ben",
                ds ->
                    transaction(
                        ds,
                        connection ->
                            update(connection, "update docs set title = 'new' where id = 1")))
            .explore();

    assertThat(report.anomaly()).as(report.text()).contains("LOST UPDATE");
  }

  @Test
  void aRowCountIsBlamedOnlyIfAnotherWasFirst() {
    RaceReport report =
        race(ACCOUNTS, "create table stock (id int primary key, qty int)")
            .given(
                "insert into stock values (1, 5)", "insert into accounts values (1, 0), (2, 100)")
            .actor("poor", ds -> buy(ds, 1))
            .actor("rich", ds -> buy(ds, 2))
            .explore();

    assertThat(report.anomaly()).as(report.text()).contains("LOST UPDATE");
    assertThat(fixes(report)).doesNotContain("Check the row count");
  }

  private static void buy(DataSource ds, int account) throws Exception {
    int[] before = {0};
    boolean[] paid = {false};
    transaction(
        ds,
        connection -> {
          before[0] = number(connection, "select qty from stock where id = 1 for update");
          update(connection, "update stock set qty = qty - 1 where id = 1");
        });
    transaction(
        ds,
        connection ->
            paid[0] =
                update(
                        connection,
                        "update accounts set amount = amount - 10 where id = ? and amount >= 10",
                        account)
                    == 1);
    if (!paid[0]) {
      transaction(
          ds, connection -> update(connection, "update stock set qty = ? where id = 1", before[0]));
    }
  }

  @Test
  void lostWorkIsNotRepeatedWork() {
    schema.execute(
        "create table inbox (id int primary key, body varchar(9))",
        "create table handled (body varchar(9))");
    RaceReport report =
        Crash.create(schema.dataSource(8))
            .given("insert into inbox values (1, 'x'), (2, 'y')")
            .operation(
                ds -> {
                  for (int i = 0; i < 2; i++) {
                    String[] body = {""};
                    transaction(
                        ds,
                        connection ->
                            body[0] =
                                text(
                                    connection,
                                    "delete from inbox where id = (select min(id) from inbox)"
                                        + " returning body"));
                    if (!body[0].isEmpty()) {
                      transaction(
                          ds,
                          connection ->
                              update(connection, "insert into handled values (?)", body[0]));
                    }
                  }
                })
            .explore();

    assertThat(report.kind()).as(report.text()).contains(RaceReport.Kind.NOT_IDEMPOTENT);
    assertThat(report.text()).doesNotContain("and repeated step", "repeats step");
  }
}
