package dev.holdfast.bench;

import dev.holdfast.testing.TestSchema;
import dev.holdfast.transaction.Transactions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** The retry runner around a transaction that needs no retry: what it costs to have it. */
final class RetryCase implements GuardCase {
  @Override
  public String name() {
    return "retrying";
  }

  @Override
  public void prepare(TestSchema schema) {
    schema.execute(
        "create table counters (id bigint primary key, hits bigint)",
        "insert into counters values (1, 0)");
  }

  @Override
  public int ours(Transactions transactions) throws Exception {
    transactions.retrying(3).run(tx -> hit(tx.connection()));
    return 1;
  }

  @Override
  public int theirs(HandWritten jdbc) throws Exception {
    jdbc.inTransaction(RetryCase::hit);
    return 1;
  }

  private static void hit(Connection connection) throws SQLException {
    try (PreparedStatement update =
        connection.prepareStatement("update counters set hits = hits + 1 where id = 1")) {
      update.executeUpdate();
    }
  }
}
