package dev.holdfast.bench.events;

import dev.holdfast.testing.TestSchema;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import java.util.Objects;

/**
 * The floor on PostgreSQL: the best plain loop that somebody who knows the planner writes by hand.
 * See {@link SqlFloorBatches} for what it avoids.
 */
final class SqlFloor extends BatchedSql {
  private static final List<Shape> SHAPES =
      List.of(new Shape(2, 500), new Shape(2, 1000), new Shape(4, 500));
  private static final int TRIAL_EVENTS = 50_000;
  private static final int TRIAL_ROUNDS = 3;

  private static final String INSERT =
      """
      insert into floor_event (due_at, type, payload)
      select statement_timestamp(), ?, payload from unnest(?) payload
      """;

  private SqlFloor(TestSchema schema, Shape shape) {
    super(schema.dataSource(shape.connections()), shape);
  }

  /** The fastest of several numbers of connections and batch sizes, by a short trial of each. */
  static SqlFloor best(TestSchema schema) throws Exception {
    createTables(schema);
    SqlFloor best = null;
    double most = 0;
    for (Shape shape : SHAPES) {
      SqlFloor floor = new SqlFloor(schema, shape);
      Figures figures = new Figures(floor, schema, Figures.SETTLE_POSTGRESQL);
      for (int round = 0; round < TRIAL_ROUNDS; round++) {
        figures.round(TRIAL_EVENTS);
      }
      if (best == null || figures.drained() > most) {
        best = floor;
        most = figures.drained();
      }
    }
    schema.execute("truncate floor_history");
    return Objects.requireNonNull(best);
  }

  private static void createTables(TestSchema schema) {
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
    return "by hand, " + shape();
  }

  @Override
  void insert(Connection connection, int events) throws SQLException {
    try (PreparedStatement insert = connection.prepareStatement(INSERT)) {
      String[] payloads = Collections.nCopies(events, PAYLOAD).toArray(String[]::new);
      insert.setString(1, TYPE);
      insert.setArray(2, connection.createArrayOf("text", payloads));
      requireAll(insert.executeUpdate(), events);
    }
  }

  @Override
  Batches batches(Connection connection) {
    return new SqlFloorBatches(connection, shape().batch());
  }
}
