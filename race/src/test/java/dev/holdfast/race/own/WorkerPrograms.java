package dev.holdfast.race.own;

import dev.holdfast.Holdfast;
import dev.holdfast.event.EventHandler;
import dev.holdfast.event.ManualWorker;
import dev.holdfast.testing.TestSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

/** Whole workers, of which one may lose its lease at any time. */
final class WorkerPrograms {
  /** What a handler has done in the transaction of its event. */
  private static final String DEEDS = "create table deeds (payload varchar(10) not null)";

  private static final String LEASES_RUN_OUT =
      "update holdfast_instance set expires_at = timestamp '2020-01-01 00:00:00'";

  static final Program IN_TRANSACTION =
      new Program(
          "what a handler does in the transaction of its event is done once",
          WorkerPrograms::make,
          (race, mutation) ->
              race.given(EventTables.pending(1))
                  .actor("Ana", ds -> work(mutation.over("Ana", ds)))
                  .actor(
                      "Ben",
                      ds -> {
                        leasesRunOut(ds);
                        work(mutation.over("Ben", ds));
                      })
                  .maxPreemptions(2)
                  .invariant("once at most", "select count(*) <= 1 from deeds")
                  .invariant(
                      "along with the event",
                      "select (select count(*) from deeds) = (select count(*) from"
                          + " holdfast_event_history)"));

  static final List<Program> ALL = List.of(IN_TRANSACTION);

  private WorkerPrograms() {}

  static void make(TestSchema schema) {
    EventTables.make(schema);
    schema.execute(DEEDS);
  }

  /** As when the instances are dead for a while. */
  static void leasesRunOut(DataSource dataSource) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(LEASES_RUN_OUT);
    }
  }

  /** Handles what is due, in the transactions of the events. */
  static void work(DataSource dataSource) {
    work(
        Holdfast.create(dataSource)
            .worker()
            .queues(Map.of("q", 1))
            .handle(
                EventHandler.transactional(
                    KeyPrograms.TYPE,
                    (payload, tx, context) -> {
                      try (Statement statement = tx.connection().createStatement()) {
                        statement.execute("insert into deeds values ('done')");
                      }
                    }))
            .buildManual());
  }

  /** Likewise, with handlers that have transactions of their own. */
  static void workApart(DataSource dataSource) {
    work(
        Holdfast.create(dataSource)
            .worker()
            .queues(Map.of("q", 1))
            .handle(
                KeyPrograms.TYPE,
                (payload, context) -> {
                  try (Connection connection = dataSource.getConnection();
                      Statement statement = connection.createStatement()) {
                    statement.execute("insert into deeds values ('done')");
                  }
                })
            .buildManual());
  }

  private static void work(ManualWorker worker) {
    while (worker.handleNext().isPresent()) {
      // until nothing is due
    }
  }
}
