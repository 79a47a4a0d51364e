package dev.holdfast.bench;

import dev.holdfast.guard.StuckRows;
import dev.holdfast.guard.SweepResult;
import dev.holdfast.testing.TestSchema;
import dev.holdfast.transaction.Transactions;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

/** The stuck-row monitor: a thousand abandoned tasks put back to be abandoned again. */
final class StuckRowsCase implements GuardCase {
  private static final int STUCK = 1000;

  /**
   * The recovered status is the stuck one of the next sweep: nothing has to be reset in between.
   */
  private static StuckRows monitor(String from, String to) {
    return StuckRows.table("tasks")
        .key("id")
        .status("status", from)
        .olderThan("started_at", Duration.ofMinutes(1))
        .recoverTo(to)
        .version("version");
  }

  private static final StuckRows FORTH = monitor("EXECUTING", "READY");
  private static final StuckRows BACK = monitor("READY", "EXECUTING");

  @Override
  public String name() {
    return "stuck-rows";
  }

  @Override
  public void prepare(TestSchema schema) {
    schema.execute(
        "create table tasks (id bigint primary key, status varchar(10), started_at timestamptz,"
            + " version bigint)",
        "create index tasks_stuck on tasks (status, started_at, id)",
        "insert into tasks select n, 'EXECUTING', now() - interval '1 hour', 0 from"
            + " generate_series(1, 1000) n");
  }

  @Override
  public int ours(Transactions transactions) {
    SweepResult forth = FORTH.sweep(transactions);
    SweepResult back = BACK.sweep(transactions);
    if (forth.recovered() != STUCK || back.recovered() != STUCK) {
      throw new IllegalStateException("not all were recovered");
    }
    return 2 * STUCK;
  }

  @Override
  public int theirs(HandWritten jdbc) throws Exception {
    sweep(jdbc, "EXECUTING", "READY");
    sweep(jdbc, "READY", "EXECUTING");
    return 2 * STUCK;
  }

  /** Batches until one is empty, each a transaction, as the monitor does. */
  private static void sweep(HandWritten jdbc, String from, String to) throws SQLException {
    int[] batch = {1};
    int sum = 0;
    while (batch[0] > 0) {
      jdbc.inTransaction(
          connection -> {
            try (PreparedStatement update =
                connection.prepareStatement(
                    "with stuck as materialized (select id from tasks where status = ? and"
                        + " started_at < statement_timestamp() - interval '1 minute' order by"
                        + " started_at, id limit 100 for update skip locked) update tasks t set"
                        + " status = ?, version = version + 1 from stuck where t.id = stuck.id and"
                        + " t.status = ? returning t.id")) {
              update.setString(1, from);
              update.setString(2, to);
              update.setString(3, from);
              batch[0] = 0;
              try (ResultSet rows = update.executeQuery()) {
                while (rows.next()) {
                  batch[0]++;
                }
              }
            }
          });
      sum += batch[0];
    }
    if (sum != STUCK) {
      throw new IllegalStateException("not all were recovered");
    }
  }
}
