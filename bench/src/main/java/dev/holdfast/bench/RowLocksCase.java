package dev.holdfast.bench;

import dev.holdfast.guard.RowLocks;
import dev.holdfast.testing.TestSchema;
import dev.holdfast.transaction.Transactions;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.List;

/** Ordered row locks: two accounts at a time, read and locked. */
final class RowLocksCase implements GuardCase {
  @Override
  public String name() {
    return "row-locks";
  }

  @Override
  public void prepare(TestSchema schema) {
    schema.execute(
        "create table accounts (id bigint primary key, cents bigint not null)",
        "insert into accounts select n, 1000 from generate_series(1, 1000) n");
  }

  @Override
  public int ours(Transactions transactions) {
    transactions.run(
        tx -> {
          for (long id = 1; id <= GuardsBench.PER_TRANSACTION; id++) {
            RowLocks.lock(tx, "accounts", List.of(2 * id, 2 * id - 1)).requireAll();
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
                    "select * from accounts where id in (?, ?) order by id for no key update")) {
              lock.setLong(1, 2 * id);
              lock.setLong(2, 2 * id - 1);
              int rows = 0;
              try (ResultSet accounts = lock.executeQuery()) {
                while (accounts.next()) {
                  rows += accounts.getLong("cents") >= 0 ? 1 : 0;
                }
              }
              if (rows != 2) {
                throw new IllegalStateException("an account is missing");
              }
            }
          }
        });
    return GuardsBench.PER_TRANSACTION;
  }
}
