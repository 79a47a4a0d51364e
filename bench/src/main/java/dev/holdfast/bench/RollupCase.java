package dev.holdfast.bench;

import dev.holdfast.guard.Rollup;
import dev.holdfast.guard.RollupResult;
import dev.holdfast.testing.TestSchema;
import dev.holdfast.transaction.Transactions;
import java.sql.PreparedStatement;
import java.sql.ResultSet;

/** The roll-up: three numbers of a parent from its ten children. */
final class RollupCase implements GuardCase {
  private static final Rollup TOTALS =
      Rollup.parent("parents")
          .children("children", "parent_id")
          .count("child_count")
          .sum("total", "amount")
          .countWhere("open_count", "status", "OPEN");

  @Override
  public String name() {
    return "rollup";
  }

  @Override
  public void prepare(TestSchema schema) {
    schema.execute(
        "create table parents (id bigint primary key, child_count bigint, total bigint, open_count"
            + " bigint)",
        "create table children (id bigint primary key, parent_id bigint, amount bigint, status"
            + " varchar(10))",
        "create index children_of on children (parent_id)",
        "insert into parents select n, 0, 0, 0 from generate_series(1, 100) n",
        "insert into children select n, 1 + n % 100, n, 'OPEN' from generate_series(1, 1000) n",
        "analyze children");
  }

  @Override
  public int ours(Transactions transactions) {
    transactions.run(
        tx -> {
          for (long id = 1; id <= GuardsBench.PER_TRANSACTION; id++) {
            if (!(TOTALS.apply(tx, id) instanceof RollupResult.Applied)) {
              throw new IllegalStateException("no parent");
            }
          }
        });
    return GuardsBench.PER_TRANSACTION;
  }

  @Override
  public int theirs(HandWritten jdbc) throws Exception {
    jdbc.inTransaction(
        connection -> {
          for (long id = 1; id <= GuardsBench.PER_TRANSACTION; id++) {
            try (PreparedStatement lock =
                    connection.prepareStatement(
                        "select id from parents where id = ? for no key update");
                PreparedStatement update =
                    connection.prepareStatement(
                        "update parents set (child_count, total, open_count) = (select count(1),"
                            + " coalesce(sum(amount), 0), count(case when status = ? then 1 end)"
                            + " from children where parent_id = ?) where id = ? returning *")) {
              lock.setLong(1, id);
              try (ResultSet parent = lock.executeQuery()) {
                if (!parent.next()) {
                  throw new IllegalStateException("no parent");
                }
              }
              update.setString(1, "OPEN");
              update.setLong(2, id);
              update.setLong(3, id);
              try (ResultSet parent = update.executeQuery()) {
                if (!parent.next() || parent.getLong("child_count") == 0) {
                  throw new IllegalStateException("no parent");
                }
              }
            }
          }
        });
    return GuardsBench.PER_TRANSACTION;
  }
}
