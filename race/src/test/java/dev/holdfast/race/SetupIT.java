package dev.holdfast.race;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import dev.holdfast.transaction.Isolation;
import dev.holdfast.transaction.SqlError;
import java.time.Duration;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What cannot be explored is refused, with what to do about it, and is never a finding. */
final class SetupIT {
  private static Counter counter;

  @BeforeAll
  static void open() {
    counter = Counter.onPostgreSql();
  }

  @AfterAll
  static void close() {
    counter.close();
  }

  private static void refuses(Race race, String... words) {
    assertThatThrownBy(race::explore)
        .isInstanceOf(RaceSetupException.class)
        .hasMessageContainingAll(words);
    assertThat(counter.value()).as("the table afterwards").isZero();
  }

  @Test
  void thereMustBeActors() {
    refuses(counter.race(), "there are no actors", "add two or more with .actor(name, action)");
  }

  @Test
  void rejectsSingleActor() {
    refuses(counter.race().actor("Ana", Counter::up), "only one actor", "add another");
  }

  @Test
  void fiveActorsAreTooMany() {
    refuses(
        counter.race().actors(4, Counter::up).actor("Eve", Counter::up),
        "there may be at most 4 actors, were 5");
    assertThatThrownBy(() -> counter.race().actors(5, Counter::up))
        .hasMessageContaining("1 to 4 identical actors, were 5");
  }

  @Test
  void twoActorsCannotHaveOneName() {
    Race race = counter.race().actor("Ana", Counter::up);

    assertThatThrownBy(() -> race.actor("Ana", Counter::up))
        .isInstanceOf(RaceSetupException.class)
        .hasMessage("there are two actors with the name 'Ana'");
  }

  @Test
  void identicalActorsFindFreeNames() {
    RaceReport report =
        counter
            .race()
            .actor("B", ds -> Counter.run(ds, Counter.UP, Counter.UP))
            .actors(2, Counter::up)
            .explore();

    assertThat(report.hasFinding()).isFalse();
  }

  @SuppressWarnings("NullAway") // that is what is tried
  static Stream<Arguments> nulls() {
    ActorAction nothing = ds -> {};
    return Stream.of(
        nulls("on", () -> Race.create(null)),
        nulls("crash on", () -> Crash.create(null)),
        nulls("wrap", () -> RaceDataSource.wrap(null)),
        nulls("using", () -> race().dataSource(null)),
        nulls("given", () -> race().given((String) null)),
        nulls("given array", () -> race().given((String[]) null)),
        nulls("given code", () -> race().given((Setup) null)),
        nulls("actor's name", () -> race().actor(null, nothing)),
        nulls("actor", () -> race().actor("Ana", null)),
        nulls("question", () -> race().actorWithResult("Ana", null)),
        nulls("actors", () -> race().actors(2, null)),
        nulls("questions", () -> race().actorsWithResult(2, null)),
        nulls("invariant's name", () -> race().invariant(null, "select true")),
        nulls("invariant", () -> race().invariant("it", (String) null)),
        nulls("check", () -> race().invariant("it", (Invariant) null)),
        nulls("isolation", () -> race().isolation((Isolation) null)),
        nulls("isolations", () -> race().isolation((Isolation[]) null)),
        nulls("budget", () -> race().timeLimit(null)),
        nulls("replay", () -> race().replay(null)),
        nulls("forbid", () -> race().forbid((SqlError) null)),
        nulls("allow", () -> race().allow((SqlError[]) null)),
        nulls("crashing", () -> race().crashActor(null)),
        nulls("named", () -> race().name(null)),
        nulls("point", () -> race().yieldPoint(null)),
        nulls("effect", () -> race().sideEffect(null)),
        nulls("count", () -> race().sideEffectCount(null)));
  }

  private static Race race() {
    return counter.race();
  }

  private static Arguments nulls(String what, ThrowingCallable call) {
    return Arguments.of(what, call);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("nulls")
  void nullIsRefusedWhereItIsGiven(String what, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOf(RaceSetupException.class)
        .hasMessageMatching("(?s).*must (not be|be more).*");
  }

  @ParameterizedTest
  @CsvSource({"-1", "0"})
  void theBudgetMustBeSomeTime(long seconds) {
    assertThatThrownBy(() -> race().timeLimit(Duration.ofSeconds(seconds)))
        .isInstanceOf(RaceSetupException.class)
        .hasMessageContaining("the time limit must be more than zero");
  }

  @Test
  void warnsIfActorsShareNothing() {
    RaceReport report =
        counter
            .race()
            .given("create table other(n int)")
            .actor("Ana", Counter::up)
            .actor("Ben", ds -> Counter.run(ds, "insert into other values (1)"))
            .explore();
    counter.schema().execute("drop table other");

    assertThat(report.hasFinding()).isFalse();
    assertThat(report.warnings()).singleElement().asString().contains("the actors share nothing");
    assertThat(report.text()).contains("WARNING", "they cannot race");
  }

  @Test
  void warnsIfActorsOnlyRead() {
    RaceReport report = race().actors(2, ds -> Counter.run(ds, Counter.LOOK)).explore();

    assertThat(report.warnings()).singleElement().asString().contains("the actors share nothing");
  }

  @ParameterizedTest
  @CsvSource({
    "selekt 1, syntax error",
    "select * from nowhere, nowhere",
    "select nothing from counter, nothing",
  })
  void sqlThatFailsInEveryOrderIsNoRace(String sql, String word) {
    refuses(
        race().actor("Ana", Counter::up).actor("Ben", ds -> Counter.run(ds, sql)),
        "Ben fails in every order",
        word);
  }

  @Test
  void codeThatFailsInEveryOrderIsNoRace() {
    refuses(
        race()
            .actors(
                2,
                ds -> {
                  Counter.up(ds);
                  throw new IllegalStateException("no licence");
                }),
        "A fails in every order",
        "no licence");
  }

  @Test
  void anInvariantMustHoldOneAfterTheOther() {
    refuses(
        counter.fair().invariant("at most one", "select n <= 1 from counter"),
        "the invariant 'at most one' does not hold even when the actors run one after the other",
        "(Ana, then Ben)",
        "fix the invariant or the code");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "select n from counter | must return true or false, but it returned 2",
        "select 'yes' | must return true or false, but it returned yes",
        "select null::boolean | must return true or false, but it returned null",
        "select true from counter where id = 7 | it has no rows",
        "select n from nowhere | cannot be checked: ERROR: relation \"nowhere\" does not exist",
        "update counter set n = 7 | must be a query",
      })
  void invariantMustReturnBoolean(String sql, String word) {
    refuses(counter.fair().invariant("sum", sql), "the invariant 'sum'", word);
  }

  @Test
  void aCheckThatFailsSaysWhich() {
    refuses(
        counter
            .fair()
            .invariant(
                "sum",
                connection -> {
                  throw new IllegalStateException("no idea");
                }),
        "the invariant 'sum' cannot be checked: ",
        "no idea");
  }

  @Test
  void aFailingSetupSaysWhichStatement() {
    refuses(
        counter.fair().given("insert into counter values (2, 0)", "insert into nowhere values (1)"),
        "the setup failed",
        "nowhere",
        "insert into nowhere values (1)");
    assertThat(counter.schema().count("select count(*) from counter")).isEqualTo(1);
  }

  @Test
  void seesSetupWithOpenTransaction() {
    RaceReport report =
        counter
            .fair()
            .given(
                connection -> {
                  connection.setAutoCommit(false);
                  Counter.run(connection, "update counter set n = 40");
                })
            .invariant("all counted", "select n = 42 from counter")
            .explore();

    assertThat(report.hasFinding()).as(report.text()).isFalse();
    assertThat(counter.value()).isZero();
  }

  @Test
  void aRaceIsExploredOnce() {
    Race race = counter.fair();
    race.explore();

    refuses(race, "explored already", "explore() is called once");
  }

  @Test
  void withoutADataSourceItSaysHowToGiveOne() {
    Race race =
        new Race(ExplorationSession.withoutTest())
            .actor("Ana", Counter::up)
            .actor("Ben", Counter::up);

    refuses(
        race, "no data source", "one field of the type DataSource", "race.dataSource(dataSource)");
  }

  @Test
  void theActorThatCrashesMustBeThere() {
    refuses(counter.fair().crashActor("Eve"), "no actor has the name 'Eve', which shall crash");
  }

  @Test
  void aCrashNeedsAnOperation() {
    assertThatThrownBy(() -> Crash.create(counter.dataSource()).explore())
        .isInstanceOf(RaceSetupException.class)
        .hasMessageContaining(".operation(");
    assertThatThrownBy(
            () -> Crash.create(counter.dataSource()).operation(Counter::up).operation(Counter::up))
        .isInstanceOf(RaceSetupException.class)
        .hasMessageContaining("there is already an operation");
  }

  @Test
  void crashReportSaysCrash() {
    RaceReport report =
        Crash.create(counter.dataSource())
            .operation(ds -> Counter.run(ds, "update counter set n = 7"))
            .explore();

    assertThat(report.text())
        .startsWith("No crash defect found")
        .contains("all crash points are covered");
    assertThat(report.html()).contains("NO CRASH DEFECT FOUND");
  }

  @Test
  void aTableInAnotherSchemaIsNamed() {
    try (TestSchema other = TestDatabase.postgreSql().newSchema()) {
      other.execute("create table audit(n int)");
      String sql = "insert into " + other.name() + ".audit values (1)";
      RaceReport report = race().actors(2, ds -> Counter.run(ds, Counter.UP, sql)).explore();

      assertThat(report.text().replaceAll("\\s+", " "))
          .contains("neither reset between runs nor compared")
          .contains(other.name() + ".audit");
    }
  }

  @Test
  void warnsIfTimeLimitEndsEarly() {
    RaceReport report = counter.fair().timeLimit(Duration.ofNanos(1)).explore();

    assertThat(report.isExhaustive()).isFalse();
    assertThat(report.text()).contains("WARNING", ".timeLimit(");
  }

  @Test
  void aDataSourceWithoutADatabaseSaysSo() {
    DataSource nowhere = new org.postgresql.ds.PGSimpleDataSource();
    ((org.postgresql.ds.PGSimpleDataSource) nowhere).setUrl("jdbc:postgresql://127.0.0.1:1/none");

    refuses(
        Race.create(nowhere).actor("Ana", Counter::up).actor("Ben", Counter::up),
        "the data source provides no connection",
        "refused");
  }

  @Test
  void tablesThatTheSetupMakesAreLeftEmpty() {
    RaceReport report =
        race()
            .given("create table mails(id int generated always as identity, text varchar(20))")
            .given("insert into mails(text) values ('before')")
            .actors(2, ds -> Counter.run(ds, "insert into mails(text) values ('hello')"))
            .explore();
    long left = counter.schema().count("select count(*) from mails");
    counter.schema().execute("drop table mails");

    assertThat(report.hasFinding()).as(report.text()).isFalse();
    assertThat(left).isZero();
  }
}
