package dev.holdfast.bench.events;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/**
 * Batches of one PostgreSQL connection, each claim and each move one statement.
 *
 * <ul>
 *   <li>The limit is a literal: of a parameter the planner assumes a tenth of the table.
 *   <li>Rows are found by {@code id = any(...)}: of a join the planner makes a scan of the table.
 *   <li>The claim has a lower bound, which spares the dead index entries of what was claimed
 *       before.
 *   <li>Ids are sent as {@code long[]}, which the driver sends in binary.
 * </ul>
 */
final class SqlFloorBatches implements BatchedSql.Batches {
  /** Materialized, because the planner may otherwise run the limited query more than once. */
  private static final String CLAIM =
      """
      with due as materialized (
        select id from floor_event
        where status = 0 and due_at <= statement_timestamp() and (due_at, id) >= (?, ?)
        order by due_at, id limit %d for update skip locked)
      update floor_event
      set status = 1, version = version + 1, claimed_at = statement_timestamp()
      where id = any(array(select id from due))
      returning id, version, due_at, type, payload
      """;

  private static final String MOVE =
      """
      with done as (
        delete from floor_event where id = any(?) and version = ? and status = 1
        returning id, version, due_at, claimed_at, type, payload)
      insert into floor_history (id, version, due_at, claimed_at, ended_at, type, payload)
      select id, version, due_at, claimed_at, statement_timestamp(), type, payload from done
      """;

  private static final OffsetDateTime BOTTOM =
      OffsetDateTime.of(1970, 1, 1, 0, 0, 0, 0, ZoneOffset.UTC);

  private final Connection connection;
  private final int batch;
  private final String claim;
  private OffsetDateTime fromDueAt = BOTTOM;
  private long fromId;

  SqlFloorBatches(Connection connection, int batch) {
    this.connection = connection;
    this.batch = batch;
    this.claim = CLAIM.formatted(batch);
  }

  @Override
  public int next(Handled handled) throws SQLException {
    Map<Integer, long[]> claimed = claim();
    if (claimed.isEmpty() && !fromDueAt.equals(BOTTOM)) {
      fromDueAt = BOTTOM;
      fromId = 0;
      claimed = claim();
    }
    int events = claimed.values().stream().mapToInt(ids -> ids.length).sum();
    if (events > 0) {
      handled.add(events);
      for (Map.Entry<Integer, long[]> ofVersion : claimed.entrySet()) {
        move(ofVersion.getValue(), ofVersion.getKey());
      }
    }
    return events;
  }

  /** Claims a batch; answers the ids by their versions, of which there is mostly one. */
  private Map<Integer, long[]> claim() throws SQLException {
    Map<Integer, long[]> ids = new TreeMap<>();
    Map<Integer, Integer> sizes = new TreeMap<>();
    try (PreparedStatement statement = connection.prepareStatement(claim)) {
      statement.setObject(1, fromDueAt);
      statement.setLong(2, fromId);
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          long id = rows.getLong(1);
          int version = rows.getInt(2);
          int size = sizes.merge(version, 1, Integer::sum);
          ids.computeIfAbsent(version, ignored -> new long[batch])[size - 1] = id;
          bound(rows.getObject(3, OffsetDateTime.class), id);
        }
      }
    }
    ids.replaceAll((version, all) -> Arrays.copyOf(all, sizes.getOrDefault(version, 0)));
    return ids;
  }

  private void bound(OffsetDateTime dueAt, long id) {
    int order = dueAt.compareTo(fromDueAt);
    if (order > 0 || (order == 0 && id > fromId)) {
      fromDueAt = dueAt;
      fromId = id;
    }
  }

  private void move(long[] ids, int version) throws SQLException {
    try (PreparedStatement move = connection.prepareStatement(MOVE)) {
      move.setObject(1, ids);
      move.setInt(2, version);
      BatchedSql.requireAll(move.executeUpdate(), ids.length);
    }
  }
}
