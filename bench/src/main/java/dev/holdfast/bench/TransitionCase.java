package dev.holdfast.bench;

import dev.holdfast.guard.ConditionalUpdate;
import dev.holdfast.guard.ConditionalUpdateResult;
import dev.holdfast.testing.TestSchema;
import dev.holdfast.transaction.Transactions;
import java.sql.PreparedStatement;

/** The status transition with a reference, there and back so that it never runs out of rows. */
final class TransitionCase implements GuardCase {
  @Override
  public String name() {
    return "transition";
  }

  @Override
  public void prepare(TestSchema schema) {
    schema.execute(
        "create table orders (id bigint primary key, status varchar(20), payment_ref varchar(50))",
        "insert into orders select n, 'PENDING', null from generate_series(1, 1000) n");
  }

  @Override
  public int ours(Transactions transactions) {
    transactions.run(
        tx -> {
          for (long id = 1; id <= GuardsBench.PER_TRANSACTION / 2; id++) {
            ConditionalUpdateResult paid =
                ConditionalUpdate.table("orders")
                    .where("id", id)
                    .transition("status", "PENDING", "PAID")
                    .reference("payment_ref", "pay_1")
                    .apply(tx);
            ConditionalUpdateResult back =
                ConditionalUpdate.table("orders")
                    .where("id", id)
                    .transition("status", "PAID", "PENDING")
                    .set("payment_ref", null)
                    .apply(tx);
            if (!(paid instanceof ConditionalUpdateResult.Applied)
                || !(back instanceof ConditionalUpdateResult.Applied)) {
              throw new IllegalStateException("the order has changed");
            }
          }
        });
    return GuardsBench.PER_TRANSACTION;
  }

  @Override
  public int theirs(HandWritten jdbc) throws Exception {
    jdbc.inTransaction(
        connection -> {
          for (long id = 1; id <= GuardsBench.PER_TRANSACTION / 2; id++) {
            try (PreparedStatement paid =
                    connection.prepareStatement(
                        "update orders set status = ?, payment_ref = ? where id = ? and status = ?"
                            + " and payment_ref is null");
                PreparedStatement back =
                    connection.prepareStatement(
                        "update orders set status = ?, payment_ref = null where id = ? and status ="
                            + " ?")) {
              paid.setString(1, "PAID");
              paid.setString(2, "pay_1");
              paid.setLong(3, id);
              paid.setString(4, "PENDING");
              back.setString(1, "PENDING");
              back.setLong(2, id);
              back.setString(3, "PAID");
              if (paid.executeUpdate() != 1 || back.executeUpdate() != 1) {
                throw new IllegalStateException("the order has changed");
              }
            }
          }
        });
    return GuardsBench.PER_TRANSACTION;
  }
}
