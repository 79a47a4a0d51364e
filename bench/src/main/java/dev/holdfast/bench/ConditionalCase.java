package dev.holdfast.bench;

import dev.holdfast.guard.ConditionalUpdate;
import dev.holdfast.guard.ConditionalUpdateResult;
import dev.holdfast.testing.TestSchema;
import dev.holdfast.transaction.Transactions;
import java.sql.PreparedStatement;

/** The conditional change: items taken from stock, while there are enough. */
final class ConditionalCase implements GuardCase {
  @Override
  public String name() {
    return "conditional";
  }

  @Override
  public void prepare(TestSchema schema) {
    schema.execute(
        "create table stock (id bigint primary key, quantity bigint not null)",
        "insert into stock select n, 1000000000 from generate_series(1, 1000) n");
  }

  @Override
  public int ours(Transactions transactions) {
    transactions.run(
        tx -> {
          for (int id = 1; id <= GuardsBench.PER_TRANSACTION; id++) {
            ConditionalUpdateResult result =
                ConditionalUpdate.table("stock")
                    .where("id", (long) id)
                    .decrease("quantity", 1)
                    .apply(tx);
            if (!(result instanceof ConditionalUpdateResult.Applied)) {
              throw new IllegalStateException("out of stock");
            }
          }
        });
    return GuardsBench.PER_TRANSACTION;
  }

  @Override
  public int theirs(HandWritten jdbc) throws Exception {
    jdbc.inTransaction(
        connection -> {
          for (int id = 1; id <= GuardsBench.PER_TRANSACTION; id++) {
            try (PreparedStatement update =
                connection.prepareStatement(
                    "update stock set quantity = quantity - ? where id = ? and quantity >= ?")) {
              update.setLong(1, 1);
              update.setLong(2, id);
              update.setLong(3, 1);
              if (update.executeUpdate() != 1) {
                throw new IllegalStateException("out of stock");
              }
            }
          }
        });
    return GuardsBench.PER_TRANSACTION;
  }
}
