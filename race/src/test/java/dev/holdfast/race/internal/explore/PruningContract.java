package dev.holdfast.race.internal.explore;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.race.internal.explore.AllOrders.Seen;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import dev.holdfast.transaction.Isolation;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Leaving out what was seen before loses no outcome: every order, made, gives no other ones. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class PruningContract {
  private static final int MAX_RUNS = 4_000;

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

  TestSchema schema() {
    return schema;
  }

  /** Makes the tables lie on their pages as before each other exploration. */
  void tidyUp() {}

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
            // what nobody has read yet is part of the state, too
            Program.of(
                "blind writes that do not commute, then a read",
                List.of(
                    "update account set amount = amount + 1 where id = 1",
                    "select amount from account where id = 1"),
                List.of("update account set amount = amount * 2 where id = 1")),
            Program.of(
                "a blind copy in a transaction, then a write",
                List.of(
                    "begin",
                    "update account set amount = (select s.amount from account s where s.id = 2)"
                        + " where id = 1",
                    "commit",
                    "update account set amount = amount + 100 where id = 2"),
                List.of("update account set amount = 77 where id = 2")),
            Program.of(
                "a write that is taken back",
                List.of("begin", "update account set amount = 0 where id = 1", "rollback"),
                List.of(
                    "select amount from account where id = 1",
                    "update account set amount = amount + :last where id = 1")));
    return Stream.concat(
        Stream.of(levels)
            .flatMap(
                level ->
                    Stream.concat(common.stream(), ownPrograms().stream())
                        .map(program -> Arguments.of(level, program))),
        larger().map(program -> Arguments.of(levels[0], program)));
  }

  /** Programs with many orders, and so at one level only. */
  private static Stream<Program> larger() {
    String look = "select amount from account where id = 1";
    String set = "update account set amount = :last + 1 where id = 1";
    return Stream.of(
        Program.copies("read, then write, by three", 3, look, set),
        Program.of(
            "three that do not commute",
            List.of("update account set amount = amount + 1 where id = 1", look),
            List.of("update account set amount = amount * 2 where id = 1"),
            List.of("update account set amount = amount - 3 where id = 1")),
        Program.of(
            "a chain of locks",
            List.of("begin", take(1), take(2), "commit"),
            List.of("begin", "update account set amount = amount * 2 where id = 2", "commit"),
            List.of(take(1))),
        Program.of(
                "read, then write",
                List.of(look, set),
                List.of("update account set amount = amount * 2 where id = 1"))
            .crashing(),
        Program.of(
                "a transaction, then a statement",
                List.of("begin", take(1), "commit", take(2)),
                List.of("update account set amount = amount * 2 where id = 1"))
            .crashing());
  }

  private static String take(int account) {
    return "update account set amount = amount - 1 where id = " + account;
  }

  @ParameterizedTest
  @MethodSource("cases")
  void leavingOutWhatWasSeenLosesNoOutcome(Isolation level, Program program) throws SQLException {
    Seen all = explore(level, program, /* prune= */ false);
    Seen pruned = explore(level, program, /* prune= */ true);

    System.out.printf(
        "%s, %s, %s: %d runs of all orders, %d with pruning (%d cut), %d outcomes%n",
        server, level, program, all.runs(), pruned.runs(), pruned.cut(), all.outcomes().size());
    assertThat(all.runs()).as("every order was made").isLessThan(MAX_RUNS);
    assertThat(pruned.outcomes()).containsExactlyInAnyOrderElementsOf(all.outcomes());
    assertThat(pruned.runs()).isLessThanOrEqualTo(all.runs());
  }

  private Seen explore(Isolation level, Program program, boolean prune) throws SQLException {
    tidyUp();
    return AllOrders.of(schema.dataSource(), program.specs(), level, prune, MAX_RUNS);
  }
}
