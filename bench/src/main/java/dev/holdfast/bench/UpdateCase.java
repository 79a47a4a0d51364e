package dev.holdfast.bench;

import dev.holdfast.guard.Update;
import dev.holdfast.testing.TestSchema;
import dev.holdfast.transaction.Transactions;
import java.sql.PreparedStatement;

/** The versioned update: quantities of one cart, each at the version that the last change left. */
final class UpdateCase implements GuardCase {
  private long version;

  @Override
  public String name() {
    return "update";
  }

  @Override
  public void prepare(TestSchema schema) {
    schema.execute(
        "create table cart_items (id bigint primary key, quantity integer, version bigint)",
        "insert into cart_items select n, 1, 0 from generate_series(1, 1000) n");
  }

  @Override
  public int ours(Transactions transactions) {
    transactions.run(
        tx -> {
          for (int id = 1; id <= GuardsBench.PER_TRANSACTION; id++) {
            Update.table("cart_items")
                .set("quantity", 3)
                .where("id", (long) id)
                .version(version)
                .applyOrThrow(tx);
          }
        });
    version++;
    return GuardsBench.PER_TRANSACTION;
  }

  @Override
  public int theirs(HandWritten jdbc) throws Exception {
    jdbc.inTransaction(
        connection -> {
          for (int id = 1; id <= GuardsBench.PER_TRANSACTION; id++) {
            try (PreparedStatement update =
                connection.prepareStatement(
                    "update cart_items set quantity = ?, version = version + 1 where id = ? and"
                        + " version = ?")) {
              update.setInt(1, 3);
              update.setLong(2, id);
              update.setLong(3, version);
              if (update.executeUpdate() != 1) {
                throw new IllegalStateException("the cart has changed");
              }
            }
          }
        });
    version++;
    return GuardsBench.PER_TRANSACTION;
  }
}
