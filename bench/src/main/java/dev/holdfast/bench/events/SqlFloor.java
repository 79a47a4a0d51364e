package dev.holdfast.bench.events;

import dev.holdfast.testing.TestSchema;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The floor on PostgreSQL. */
final class SqlFloor extends BatchedSql {
  private static final String INSERT =
      """
      insert into floor_event (due_at, type, payload)
      select statement_timestamp(), ?, payload from unnest(?) payload
      """;

  /** Materialized, because the planner may otherwise run the limited query more than once. */
  private static final String CLAIM =
      """
      with due as materialized (
        select id from floor_event
        where status = 0 and due_at <= statement_timestamp()
        order by due_at, id limit ? for update skip locked)
      update floor_event e
      set status = 1, version = version + 1, claimed_at = statement_timestamp()
      from due where e.id = due.id
      returning e.id, e.version, e.type, e.payload
      """;

  private static final String MOVE =
      """
      with done as (
        delete from floor_event e using unnest(?, ?) as claimed (id, version)
        where e.id = claimed.id and e.version = claimed.version and e.status = 1
        returning e.*)
      insert into floor_history (id, version, due_at, claimed_at, ended_at, type, payload)
      select id, version, due_at, claimed_at, statement_timestamp(), type, payload from done
      """;

  SqlFloor(TestSchema schema) {
    super(schema.dataSource(CONNECTIONS));
    schema.execute(
        """
        create table floor_event (
          id bigint generated always as identity primary key,
          status smallint not null default 0,
          version integer not null default 1,
          due_at timestamptz not null,
          claimed_at timestamptz,
          type text not null,
          payload text not null)
        """,
        "create index floor_event_due on floor_event (due_at, id) where status = 0",
        """
        create table floor_history (
          id bigint primary key,
          version integer not null,
          due_at timestamptz not null,
          claimed_at timestamptz not null,
          ended_at timestamptz not null,
          type text not null,
          payload text not null)
        """);
  }

  @Override
  public String name() {
    return "hand-written SQL";
  }

  @Override
  void insert(Connection connection, int events) throws SQLException {
    try (PreparedStatement insert = connection.prepareStatement(INSERT)) {
      Object[] payloads = Collections.nCopies(events, PAYLOAD).toArray();
      insert.setString(1, TYPE);
      insert.setArray(2, connection.createArrayOf("text", payloads));
      requireAll(insert.executeUpdate(), events);
    }
  }

  @Override
  Batches batches(Connection connection) {
    return handled -> claimAndMove(connection, handled);
  }

  private static int claimAndMove(Connection connection, Handled handled) throws SQLException {
    List<Long> ids = new ArrayList<>(BATCH);
    List<Integer> versions = new ArrayList<>(BATCH);
    try (PreparedStatement claim = connection.prepareStatement(CLAIM)) {
      claim.setInt(1, BATCH);
      try (ResultSet rows = claim.executeQuery()) {
        while (rows.next()) {
          ids.add(rows.getLong(1));
          versions.add(rows.getInt(2));
        }
      }
    }
    if (!ids.isEmpty()) {
      handled.add(ids.size());
      try (PreparedStatement move = connection.prepareStatement(MOVE)) {
        move.setArray(1, connection.createArrayOf("bigint", ids.toArray()));
        move.setArray(2, connection.createArrayOf("integer", versions.toArray()));
        requireAll(move.executeUpdate(), ids.size());
      }
    }
    return ids.size();
  }
}
