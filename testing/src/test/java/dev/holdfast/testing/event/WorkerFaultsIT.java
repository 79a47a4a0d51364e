package dev.holdfast.testing.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.TestDatabase;
import java.sql.Connection;
import java.sql.Statement;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Workers in processes of their own die or are suspended, on each database that has a server. */
class WorkerFaultsIT {
  @Nested
  class OnMariaDb extends WorkerFaults {
    OnMariaDb() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class OnPostgreSql extends WorkerFaults {
    private static final int EVENTS = 20;

    private static final String WAITING =
        " from pg_locks where relation = 'holdfast_event_history'::regclass and not granted";

    OnPostgreSql() {
      super(TestDatabase.postgreSql());
    }

    /** Kills a process that has handled all events and is just storing that in one batch. */
    private void killWhileItStores(Statement holding) throws Exception {
      holding.execute("lock table holdfast_event_history in access exclusive mode");
      holdfast
          .events()
          .scheduleAll(
              IntStream.range(0, EVENTS).mapToObj(i -> WorkerProcess.TOLD.event("" + i)).toList());
      try (ForkedWorker killed = ForkedWorker.start(schema)) {
        for (int i = 0; i < EVENTS; i++) {
          killed.says("told");
        }
        await(() -> schema.count("select count(*)" + WAITING) > 0);
        killed.kill();
      }
    }

    private void assertEachEndedOnce() {
      startHere();
      await(() -> schema.count("select count(*) from holdfast_event") == 0);
      assertThat(schema.count("select count(*) from holdfast_event_history where status = 2"))
          .isEqualTo(EVENTS);
      assertThat(schema.count("select count(distinct id) from holdfast_event_history"))
          .isEqualTo(EVENTS);
    }

    @Test
    void eventsAreHandledAgainWhenTheirInstanceIsKilledBeforeTheirEndIsStored() throws Exception {
      try (Connection connection = schema.unpooled().getConnection();
          Statement holding = connection.createStatement()) {
        connection.setAutoCommit(false);
        killWhileItStores(holding);
        holding.execute("select pg_terminate_backend(pid)" + WAITING);
        await(() -> schema.count("select count(*)" + WAITING) == 0);
        connection.commit();
      }
      assertEachEndedOnce();
      assertThat(
              schema.count(
                  "select count(*) from holdfast_event_history where attempts = 2 and crashes = 1"))
          .isEqualTo(EVENTS);
    }

    @Test
    void eventsEndOnceWhenTheirInstanceIsKilledAndTheirEndIsStoredAfterAll() throws Exception {
      try (Connection connection = schema.unpooled().getConnection();
          Statement holding = connection.createStatement()) {
        connection.setAutoCommit(false);
        killWhileItStores(holding);
        connection.commit();
      }
      assertEachEndedOnce();
    }
  }
}
