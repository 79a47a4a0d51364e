package dev.holdfast.bench.events;

import dev.holdfast.Holdfast;
import dev.holdfast.bench.Turns;
import dev.holdfast.internal.event.store.ClaimCursor;
import dev.holdfast.internal.event.store.ClaimRequest;
import dev.holdfast.internal.event.store.EventStore;
import dev.holdfast.internal.event.store.EventStores;
import dev.holdfast.testing.TestSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** Many due events, and how long it takes to claim some of them. */
final class Backlog implements AutoCloseable {
  private static final int CLAIMED = 100;

  private final Connection connection;
  private final EventStore store;
  private final ClaimRequest claim;
  private final ClaimCursor bounds = new ClaimCursor();
  private final List<Double> millis = new ArrayList<>();

  Backlog(TestSchema schema, int events) throws SQLException {
    DataSource dataSource = schema.dataSource(1);
    Holdfast.create(dataSource).migrations().migrate();
    schema.execute(
        """
        insert into holdfast_event (shard, status, priority, version, attempts, crashes, due_at,
          position_at, created_at, cancel_requested, queue, type, payload)
        select 0, 0, 5, 1, 0, 0, due_at, due_at, due_at, false, 'default', 'noop', '{"n":1}'
        from generate_series(1, %d) n,
          lateral (select statement_timestamp() - (%d - n) * interval '1 ms' as due_at) d
        """
            .formatted(events, events),
        "vacuum analyze holdfast_event",
        "checkpoint");
    this.store =
        EventStores.of(Holdfast.create(dataSource).transactions().call(tx -> tx.dialect()), "");
    this.connection = dataSource.getConnection();
    long owner = store.register(connection, "bench", Duration.ofHours(1));
    this.claim = new ClaimRequest(0, "default", List.of("noop"), CLAIMED, owner, null);
  }

  /** Claims once. */
  void claim() throws SQLException {
    long start = System.nanoTime();
    int claimed = store.claim(connection, claim, bounds).size();
    millis.add((System.nanoTime() - start) / 1e6);
    BatchedSql.requireAll(claimed, CLAIMED);
  }

  /** The median of all claims but the first tenth. */
  double p50() {
    return Turns.median(millis.subList(millis.size() / 10, millis.size()));
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
