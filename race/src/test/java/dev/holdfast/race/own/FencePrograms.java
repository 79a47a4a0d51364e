package dev.holdfast.race.own;

import dev.holdfast.Holdfast;
import dev.holdfast.internal.lease.store.SqlFence;
import dev.holdfast.lease.Fence;
import dev.holdfast.lease.StaleTokenException;
import dev.holdfast.transaction.Transaction;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;

/** Writes of two holders, of which one is stale. */
final class FencePrograms {
  private static final String WRITE =
      "update work set wrong = wrong + case when token > ? then 1 else 0 end, token = ?";

  static final Program FIRST = fenced("a stale write is refused by a new fence", List.of());

  static final Program NEXT =
      fenced(
          "a stale write is refused by a fence",
          List.of(
              "insert into holdfast_fence values (0, 'lease', 1, timestamp '"
                  + LeaseTables.PAST
                  + "')"));

  static final Program COLUMN =
      new Program(
          "a stale write is refused by the fence of a column",
          FencePrograms::make,
          (race, mutation) ->
              race.given(LeaseTables.work(0), "insert into item values (1, 1), (2, 1)")
                  .actor("Ana", ds -> write(ds, mutation, 5, FencePrograms::column))
                  .actor("Ben", ds -> write(ds, mutation, 6, FencePrograms::column))
                  .invariant("never goes back", "select wrong = 0 and token = 6 from work")
                  .invariant("by the newest", "select fence = 6 from item where id = 1")
                  .invariant("others are left alone", "select fence = 1 from item where id = 2"));

  static final List<Program> ALL = List.of(FIRST, NEXT, COLUMN);

  private FencePrograms() {}

  private static void make(dev.holdfast.testing.TestSchema schema) {
    LeaseTables.make(schema);
    schema.execute(
        "create table if not exists item (id int primary key, fence bigint)", "delete from item");
  }

  /** Passes a token through a fence, in a transaction. */
  private interface Passing {
    void through(Transaction tx, long token) throws SQLException;
  }

  private static void table(Transaction tx, long token) {
    SqlFence.create(tx.dialect(), null, null).check(tx, "lease", token);
  }

  private static void column(Transaction tx, long token) {
    Fence.column("item", "fence").check(tx, "id", 1, token);
  }

  private static Program fenced(String name, List<String> given) {
    return new Program(
        name,
        LeaseTables::make,
        (race, mutation) -> {
          given.forEach(race::given);
          race.given(
                  LeaseTables.work(0),
                  "insert into holdfast_fence values (0, 'other', 1, timestamp '2020-01-01"
                      + " 00:00:00')")
              .actor("Ana", ds -> write(ds, mutation, 5, FencePrograms::table))
              .actor("Ben", ds -> write(ds, mutation, 6, FencePrograms::table))
              .invariant("never goes back", "select wrong = 0 and token = 6 from work")
              .invariant(
                  "by the newest", "select token = 6 from holdfast_fence where resource = 'lease'")
              .invariant(
                  "others are left alone",
                  "select token = 1 from holdfast_fence where resource = 'other'");
        });
  }

  private static void write(DataSource dataSource, Mutation mutation, long token, Passing passing)
      throws SQLException {
    try {
      Holdfast.create(mutation.over(dataSource))
          .transactions()
          .<SQLException>run(
              tx -> {
                passing.through(tx, token);
                try (PreparedStatement statement = tx.connection().prepareStatement(WRITE)) {
                  statement.setLong(1, token);
                  statement.setLong(2, token);
                  statement.executeUpdate();
                }
              });
    } catch (StaleTokenException refused) {
      // nothing was written
    }
  }
}
