package dev.holdfast.testing.event;

import dev.holdfast.testing.TestDatabase;
import java.sql.Connection;
import java.sql.Statement;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Workers in processes of their own die or are suspended, on each database that has a server. */
class WorkerFaultsIT {
  @Nested
  class OnMariaDb extends WorkerFaults {
    OnMariaDb() {
      super(TestDatabase.mariaDb());
    }

    /** Several statements: the server rolls back when it notices that the process is gone. */
    @Test
    void eventsAreHandledAgainWhenTheirInstanceIsKilledWhileItStoresTheirEnd() throws Exception {
      try (Connection connection = schema.unpooled().getConnection();
          Statement holding = connection.createStatement()) {
        holding.execute("lock tables holdfast_event_history read");
        killWhileItStores(
            "select count(*) from information_schema.processlist where db = database() and state"
                + " like 'Waiting for table%' and info like '%INTO holdfast_event_history%'");
        holding.execute("unlock tables");
      }
      assertEachIsHandledAgain();
    }
  }

  @Nested
  class OnPostgreSql extends WorkerFaults {
    private static final String WAITING =
        " from pg_locks where relation = 'holdfast_event_history'::regclass and not granted";

    OnPostgreSql() {
      super(TestDatabase.postgreSql());
    }

    private void killWhileItStores(Statement holding) throws Exception {
      holding.execute("lock table holdfast_event_history in access exclusive mode");
      killWhileItStores("select count(*)" + WAITING);
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
      assertEachIsHandledAgain();
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
