package dev.holdfast.bench.events;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.util.ArrayList;
import java.util.List;

/**
 * Batches of one MariaDB connection: READ COMMITTED, so that a claim locks no gaps, and after the
 * claim everything by primary key.
 *
 * <p>Indexes are forced, because the optimizer goes elsewhere: for a condition on the status it
 * reads all claimed rows by their status, and in a short table it reads every row; slow, and into
 * the other connection's locks.
 */
final class MariaDbBatches implements BatchedSql.Batches {
  private static final String CLAIM =
      """
      select id, version, type, payload, due_at from floor_event force index (floor_event_due)
      where status = 0 and due_at <= now(6) and due_at >= ?
      order by due_at, id limit ? for update skip locked
      """;

  private static final String TAKE =
      "update floor_event force index (primary)"
          + " set status = 1, version = version + 1, claimed_at = now(6) where id in ";

  private static final String KEEP =
      "insert into floor_history (id, version, due_at, claimed_at, ended_at, type, payload)"
          + " select id, version, due_at, claimed_at, now(6), type, payload"
          + " from floor_event force index (primary) where status = 1 and id in ";

  private static final String REMOVE =
      "delete e from floor_event e force index (primary) where status = 1 and id in ";

  private static final String BOTTOM = "1970-01-02 00:00:00";

  private final Connection connection;
  private final int batch;

  /** Spares the index entries of what was claimed before, which stay until they are purged. */
  private String from = BOTTOM;

  MariaDbBatches(Connection connection, int batch) throws SQLException {
    this.connection = connection;
    this.batch = batch;
    connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    connection.setAutoCommit(false);
  }

  @Override
  public int next(Handled handled) throws SQLException {
    List<Long> ids = transaction(this::claim);
    if (ids.isEmpty() && !from.equals(BOTTOM)) {
      from = BOTTOM;
      ids = transaction(this::claim);
    }
    if (!ids.isEmpty()) {
      handled.add(ids.size());
      List<Long> claimed = ids;
      transaction(() -> move(claimed));
    }
    return ids.size();
  }

  @FunctionalInterface
  private interface Work {
    List<Long> run() throws SQLException;
  }

  /** Again after a deadlock, which InnoDB does not exclude even for batches that share no row. */
  private List<Long> transaction(Work work) throws SQLException {
    while (true) {
      try {
        List<Long> ids = work.run();
        connection.commit();
        return ids;
      } catch (SQLTransactionRollbackException e) {
        connection.rollback();
      }
    }
  }

  private List<Long> claim() throws SQLException {
    List<Long> ids = new ArrayList<>(batch);
    String last = from;
    try (PreparedStatement claim = connection.prepareStatement(CLAIM)) {
      claim.setString(1, from);
      claim.setInt(2, batch);
      try (ResultSet rows = claim.executeQuery()) {
        while (rows.next()) {
          ids.add(rows.getLong(1));
          last = rows.getString(5);
        }
      }
    }
    if (!ids.isEmpty()) {
      change(TAKE, ids);
    }
    from = last;
    return ids;
  }

  private List<Long> move(List<Long> ids) throws SQLException {
    change(KEEP, ids);
    change(REMOVE, ids);
    return ids;
  }

  private void change(String sql, List<Long> ids) throws SQLException {
    String places = "(?" + ", ?".repeat(ids.size() - 1) + ")";
    try (PreparedStatement statement = connection.prepareStatement(sql + places)) {
      for (int index = 0; index < ids.size(); index++) {
        statement.setLong(index + 1, ids.get(index));
      }
      BatchedSql.requireAll(statement.executeUpdate(), ids.size());
    }
  }
}
