package dev.holdfast.race.internal.explore;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.race.internal.database.Database;
import dev.holdfast.race.internal.database.Databases;
import dev.holdfast.race.internal.judge.Canon;
import dev.holdfast.race.internal.model.Outcome;
import dev.holdfast.race.internal.model.RunRecord.End;
import dev.holdfast.race.internal.run.Guide;
import dev.holdfast.race.internal.run.Setting;
import dev.holdfast.sql.Isolation;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Leaving out what was seen before loses no outcome: every order, made, gives no other ones. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class PruningContract {
  private static final int MOST_RUNS = 4_000;

  private final TestDatabase server;
  private final Isolation[] levels;
  private TestSchema schema;

  @SuppressWarnings("NullAway.Init")
  PruningContract(TestDatabase server, Isolation... levels) {
    this.server = server;
    this.levels = levels;
  }

  @BeforeAll
  void create() throws SQLException {
    schema = server.newSchema();
    try (Connection connection = schema.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("create table account (id int primary key, amount int not null)");
      statement.execute("create table entry (name varchar(20) primary key, amount int)");
      statement.execute("insert into account values (1, 10), (2, 10)");
    }
  }

  @AfterAll
  void drop() throws Exception {
    schema.close();
  }

  abstract List<Program> ownPrograms();

  Stream<Arguments> cases() {
    List<Program> common =
        List.of(
            Program.copies(
                "read, then write",
                2,
                "begin",
                "select amount from account where id = 1",
                "update account set amount = :last + 1 where id = 1",
                "commit"),
            Program.copies(
                "lock, then write",
                2,
                "begin",
                "select amount from account where id = 1 for update",
                "update account set amount = :last + 1 where id = 1",
                "commit"),
            Program.of(
                "locks in opposite order",
                List.of(
                    "begin",
                    "update account set amount = amount - 1 where id = 1",
                    "update account set amount = amount + 1 where id = 2",
                    "commit"),
                List.of(
                    "begin",
                    "update account set amount = amount - 1 where id = 2",
                    "update account set amount = amount + 1 where id = 1",
                    "commit")),
            Program.of(
                "write skew",
                List.of(
                    "begin",
                    "select sum(amount) from account",
                    "update account set amount = :last where id = 1",
                    "commit"),
                List.of(
                    "begin",
                    "select sum(amount) from account",
                    "update account set amount = :last where id = 2",
                    "commit")),
            Program.copies(
                "look, then insert",
                2,
                "select count(*) from entry",
                "insert into entry select concat('n', count(*)), :last from entry"),
            Program.of(
                "two reads beside a write",
                List.of(
                    "begin",
                    "select amount from account where id = 1",
                    "select amount from account where id = 2",
                    "commit"),
                List.of(
                    "begin",
                    "update account set amount = 0 where id = 1",
                    "update account set amount = 20 where id = 2",
                    "commit")),
            Program.of(
                "a write that is taken back",
                List.of("begin", "update account set amount = 0 where id = 1", "rollback"),
                List.of(
                    "select amount from account where id = 1",
                    "update account set amount = amount + :last where id = 1")));
    return Stream.of(levels)
        .flatMap(
            level ->
                Stream.concat(common.stream(), ownPrograms().stream())
                    .map(program -> Arguments.of(level, program)));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void leavingOutWhatWasSeenLosesNoOutcome(Isolation level, Program program) throws SQLException {
    Seen all = explore(level, program, false);
    Seen pruned = explore(level, program, true);

    System.out.printf(
        "%s, %s, %s: %d runs of all orders, %d with pruning (%d cut), %d outcomes%n",
        server, level, program, all.runs, pruned.runs, pruned.cut, all.outcomes.size());
    assertThat(all.runs).as("every order was made").isLessThan(MOST_RUNS);
    assertThat(pruned.outcomes).containsExactlyInAnyOrderElementsOf(all.outcomes);
    assertThat(pruned.runs).isLessThanOrEqualTo(all.runs);
  }

  private record Seen(Set<String> outcomes, int runs, int cut) {}

  private Seen explore(Isolation level, Program program, boolean prune) throws SQLException {
    DataSource dataSource = schema.dataSource();
    try (Database database = Databases.open(dataSource)) {
      database.remember();
      Setting setting =
          new Setting(
              dataSource,
              database,
              program.specs(),
              level,
              true,
              false,
              100,
              Duration.ofSeconds(10),
              new AtomicReference<>(),
              new AtomicBoolean(Setting.isStrict(level)));
      Task task =
          new Task(
              program.name(),
              List.of(),
              program.specs(),
              List.of(),
              false,
              false,
              level,
              -1,
              Duration.ofMinutes(1),
              1,
              "",
              Set.of(),
              Set.of(),
              false);
      Runner runner = new Runner(task, database);
      Search search = new Search(setting.kinds(), prune);
      Set<String> outcomes = new TreeSet<>();
      int cut = 0;
      for (Guide guide = search.next(-1);
          guide != null && runner.runs() < MOST_RUNS;
          guide = search.next(-1)) {
        Attempt attempt = runner.run(setting, guide);
        if (attempt.record().end() == End.CUT) {
          cut++;
        } else if (attempt.record().end() != End.DIVERGED) {
          // whom a deadlock ends is the database's choice
          outcomes.add(told(attempt, runner, setting));
        }
      }
      runner.cleanUp();
      return new Seen(outcomes, runner.runs(), cut);
    }
  }

  private static String told(Attempt attempt, Runner runner, Setting setting) {
    Outcome outcome = attempt.record().outcome();
    if (outcome == null) {
      throw new AssertionError(attempt.record().end() + " " + attempt.record().problem());
    }
    Canon canon =
        new Canon(
            runner.database()::isGenerated,
            Set.of(),
            new Outcome(List.of(), List.of(), List.of()),
            setting.names(),
            Clock.systemUTC());
    return canon.of(outcome, Set.of(), setting.kinds());
  }
}
