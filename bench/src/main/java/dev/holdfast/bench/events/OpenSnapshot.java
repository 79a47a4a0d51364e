package dev.holdfast.bench.events;

import dev.holdfast.bench.Turns;
import dev.holdfast.testing.TestSchema;
import java.sql.Connection;
import java.sql.Statement;

/**
 * A transaction that has looked at the database and does not end, such as that of a long report.
 */
final class OpenSnapshot {
  private OpenSnapshot() {}

  /** Does this while the snapshot is open. */
  static double during(TestSchema schema, Turns.Turn turn) throws Exception {
    try (Connection connection = schema.unpooled().getConnection();
        Statement statement = connection.createStatement()) {
      connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      connection.setAutoCommit(false);
      statement.execute("select count(*) from holdfast_event");
      double rate = turn.perSecond();
      connection.rollback();
      return rate;
    }
  }
}
