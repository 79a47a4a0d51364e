package dev.holdfast.bench.events;

import dev.holdfast.testing.TestSchema;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** The floor on MariaDB. */
final class MariaDbSqlFloor extends BatchedSql {
  private static final Shape SHAPE = new Shape(2, 500);
  private static final String INSERT =
      "insert into floor_event (due_at, type, payload) values (now(6), ?, ?)";

  MariaDbSqlFloor(TestSchema schema) {
    super(schema.dataSource(SHAPE.connections()), SHAPE);
    schema.execute(
        """
        create table floor_event (
          id bigint auto_increment primary key,
          status tinyint not null default 0,
          version integer not null default 1,
          due_at timestamp(6) not null,
          claimed_at timestamp(6) null,
          type varchar(100) not null,
          payload text not null,
          index floor_event_due (status, due_at, id))
        """,
        """
        create table floor_history (
          id bigint primary key,
          version integer not null,
          due_at timestamp(6) not null,
          claimed_at timestamp(6) not null,
          ended_at timestamp(6) not null,
          type varchar(100) not null,
          payload text not null)
        """);
  }

  @Override
  public String name() {
    return "hand-written SQL";
  }

  @Override
  void insert(Connection connection, int events) throws SQLException {
    String sql = INSERT + ", (now(6), ?, ?)".repeat(events - 1);
    try (PreparedStatement insert = connection.prepareStatement(sql)) {
      for (int event = 0; event < events; event++) {
        insert.setString(2 * event + 1, TYPE);
        insert.setString(2 * event + 2, PAYLOAD);
      }
      requireAll(insert.executeUpdate(), events);
    }
  }

  @Override
  Batches batches(Connection connection) throws SQLException {
    return new MariaDbBatches(connection, shape().batch());
  }
}
