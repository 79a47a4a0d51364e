package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.guard.CreateIfAbsent;
import dev.holdfast.guard.CreateResult;
import dev.holdfast.testing.ConcurrentActors;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.contract.AccountRace.Given;
import dev.holdfast.transaction.Isolation;
import dev.holdfast.transaction.Transaction;
import dev.holdfast.transaction.TransactionCallback;
import dev.holdfast.transaction.Transactions;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What creating once guarantees to many who create the same at once, in either isolation. */
public abstract class CreateIfAbsentRaceContract extends DatabaseContract {
  private static final String FIND = "select id from accounts where email = 'ana@x'";
  private static final String INSERT = "insert into accounts (email) values ('ana@x')";

  protected CreateIfAbsentRaceContract(TestDatabase database) {
    super(database);
  }

  private static Given create(Transaction tx) {
    CreateResult result = CreateIfAbsent.table("accounts").key("email", "ana@x").apply(tx);
    return new Given(result.created(), result.row().number("id"));
  }

  /** As the database is by default, and in READ COMMITTED. */
  private void inEitherIsolation(Consumer<Transactions> race) {
    race.accept(transactions);
    race.accept(transactions.isolation(Isolation.READ_COMMITTED));
  }

  @Test
  void createsOneRowConcurrently() {
    AccountRace.createAccounts(schema, database(), true);

    inEitherIsolation(
        in ->
            AccountRace.run(
                schema,
                creator -> in.<Given, RuntimeException>call(CreateIfAbsentRaceContract::create)));
  }

  @Test
  void createsOneRowAfterConcurrentDelete() {
    AccountRace.createAccounts(schema, database(), true);

    for (int round = 0; round < 20; round++) {
      schema.execute("delete from accounts");
      List<Given> given =
          ConcurrentActors.run(
                  AccountRace.CREATORS,
                  creator ->
                      transactions
                          .retrying(100)
                          .<Given, RuntimeException>call(CreateIfAbsentRaceContract::create))
              .resultsOrThrow();
      assertThat(given).filteredOn(Given::created).hasSize(1);
      assertThat(given).extracting(Given::id).containsOnly(schema.count("select id from accounts"));
    }
  }

  @Test
  void createsOneRowWithOtherUniqueColumns() {
    schema.execute(
        "create table shipments (id bigint primary key, label varchar(20) unique,"
            + " order_no varchar(20) not null unique)");

    for (int round = 0; round < 10; round++) {
      CreateIfAbsent shipment =
          CreateIfAbsent.table("shipments")
              .key("order_no", "O-" + round)
              .set("id", round)
              .set("label", "L-" + round);
      assertThat(
              ConcurrentActors.run(
                      AccountRace.CREATORS,
                      creator -> transactions.<CreateResult, RuntimeException>call(shipment::apply))
                  .resultsOrThrow())
          .filteredOn(CreateResult::created)
          .hasSize(1);
    }
  }

  @Test
  void controlLookingFirstFails() {
    AccountRace.createAccounts(schema, database(), false);
    CyclicBarrier allHaveLooked = new CyclicBarrier(AccountRace.CREATORS);

    assertThatThrownBy(
            () ->
                AccountRace.run(
                    schema,
                    creator -> {
                      boolean free = schema.query(FIND).isEmpty();
                      allHaveLooked.await(30, TimeUnit.SECONDS);
                      if (free) {
                        schema.execute(INSERT);
                      }
                      return new Given(free, schema.count("select min(id) from accounts"));
                    }))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("[accounts made]");
  }

  @Test
  void waitsForTheFirstAndFindsItsRow() {
    AccountRace.createAccounts(schema, database(), true);

    inEitherIsolation(in -> assertSecondFinds(in, CreateIfAbsentRaceContract::create));
  }

  @Test
  void waitControlLookingFirstFails() {
    AccountRace.createAccounts(schema, database(), false);

    assertThatThrownBy(
            () ->
                assertSecondFinds(
                    transactions,
                    tx -> {
                      try (Statement statement = tx.connection().createStatement()) {
                        boolean free = !next(statement, FIND);
                        if (free) {
                          statement.execute(INSERT);
                        }
                        return new Given(free, 1);
                      }
                    }))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining(Overlap.SECOND_WAITS);
  }

  private static boolean next(Statement statement, String query) throws SQLException {
    try (ResultSet rows = statement.executeQuery(query)) {
      return rows.next();
    }
  }

  private void assertSecondFinds(Transactions in, TransactionCallback<Given, Exception> creator) {
    schema.execute("truncate table accounts");
    Overlap.Answers<Given> both = overlap(in, creator, false);
    assertThat(both.first().created()).isTrue();
    assertThat(both.second()).isEqualTo(new Given(false, both.first().id()));
    assertThat(schema.count("select count(*) from accounts")).isEqualTo(1);
  }

  @Test
  void createsRowAfterRollbackOfFirst() {
    AccountRace.createAccounts(schema, database(), true);

    inEitherIsolation(
        in -> {
          schema.execute("truncate table accounts");
          Overlap.Answers<Given> both = overlap(in, CreateIfAbsentRaceContract::create, true);
          assertThat(both.second().created()).isTrue();
          assertThat(schema.count("select id from accounts")).isEqualTo(both.second().id());
        });
  }

  private static Overlap.Answers<Given> overlap(
      Transactions in, TransactionCallback<Given, Exception> creator, boolean rollBack) {
    try {
      Overlap<Given> overlap = new Overlap<>(in, creator, creator);
      return rollBack ? overlap.firstRollsBack() : overlap.firstCommits();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
