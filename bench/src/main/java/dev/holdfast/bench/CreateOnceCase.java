package dev.holdfast.bench;

import dev.holdfast.guard.CreateIfAbsent;
import dev.holdfast.guard.CreateResult;
import dev.holdfast.testing.TestSchema;
import dev.holdfast.transaction.Transactions;
import java.sql.PreparedStatement;
import java.sql.ResultSet;

/** Create once: new users, each with an e-mail address that nobody has. */
final class CreateOnceCase implements GuardCase {
  private long next;

  @Override
  public String name() {
    return "create-once";
  }

  @Override
  public void prepare(TestSchema schema) {
    schema.execute(
        "create table users (id bigserial primary key, email varchar(100) unique, name varchar(50))");
  }

  @Override
  public int ours(Transactions transactions) {
    transactions.run(
        tx -> {
          for (int i = 0; i < GuardsBench.PER_TRANSACTION; i++) {
            CreateResult result =
                CreateIfAbsent.table("users")
                    .key("email", "user" + next++)
                    .set("name", "Ana")
                    .apply(tx);
            if (!(result instanceof CreateResult.Created) || result.row().number("id") == 0) {
              throw new IllegalStateException("there already");
            }
          }
        });
    return GuardsBench.PER_TRANSACTION;
  }

  @Override
  public int theirs(HandWritten jdbc) throws Exception {
    jdbc.inTransaction(
        connection -> {
          for (int i = 0; i < GuardsBench.PER_TRANSACTION; i++) {
            try (PreparedStatement insert =
                connection.prepareStatement(
                    "insert into users (email, name) values (?, ?) on conflict (email) do nothing"
                        + " returning *")) {
              insert.setString(1, "user" + next++);
              insert.setString(2, "Ana");
              try (ResultSet row = insert.executeQuery()) {
                if (!row.next() || row.getLong("id") == 0) {
                  throw new IllegalStateException("there already");
                }
              }
            }
          }
        });
    return GuardsBench.PER_TRANSACTION;
  }
}
