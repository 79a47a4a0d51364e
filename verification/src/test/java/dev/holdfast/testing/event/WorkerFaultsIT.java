package dev.holdfast.testing.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Workers in processes of their own die or are suspended, on each database. */
class WorkerFaultsIT {
  @Nested
  class OnH2 extends WorkerFaults {
    OnH2() {
      super(TestDatabase.h2());
    }
  }

  /** Also while they store the ends of a batch, where the database says that they wait for it. */
  abstract static class WhileStoring extends WorkerFaults {
    private static final int EVENTS = 20;

    private final String lock;
    private final String unlock;
    private final String waiting;
    private final String kill;

    /**
     * @param waiting the sessions that wait for the lock: {@code id}, and from where
     */
    WhileStoring(TestDatabase database, String lock, String unlock, String waiting, String kill) {
      super(database);
      this.lock = lock;
      this.unlock = unlock;
      this.waiting = waiting;
      this.kill = kill;
    }

    private boolean isWaitedFor() {
      return schema.count("select count(*) from (" + waiting + ") w") > 0;
    }

    /** Kills a process that has handled all events and is just storing that in one batch. */
    private void killWhileItStores(Statement holding) throws Exception {
      holding.execute(lock);
      holdfast
          .events()
          .scheduleAll(
              IntStream.range(0, EVENTS).mapToObj(i -> WorkerProcess.TOLD.event("" + i)).toList());
      try (ForkedWorker killed = ForkedWorker.start(schema)) {
        for (int i = 0; i < EVENTS; i++) {
          killed.says("told");
        }
        await(this::isWaitedFor);
        killed.kill();
      }
    }

    private void endThoseThatWait() throws SQLException {
      try (Connection connection = schema.unpooled().getConnection();
          Statement statement = connection.createStatement()) {
        List<Long> sessions = new ArrayList<>();
        try (ResultSet rows = statement.executeQuery(waiting)) {
          while (rows.next()) {
            sessions.add(rows.getLong(1));
          }
        }
        for (long session : sessions) {
          statement.execute(kill.formatted(session));
        }
      }
      await(() -> !isWaitedFor());
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
    void rerunsEventsAfterKillBeforeCompletion() throws Exception {
      try (Connection connection = schema.unpooled().getConnection();
          Statement holding = connection.createStatement()) {
        connection.setAutoCommit(false);
        killWhileItStores(holding);
        endThoseThatWait();
        holding.execute(unlock);
      }
      assertEachEndedOnce();
      assertThat(
              schema.count(
                  "select count(*) from holdfast_event_history where attempts = 2 and crashes = 1"))
          .isEqualTo(EVENTS);
    }

    @Test
    void completesOnceAfterKillDuringCompletion() throws Exception {
      try (Connection connection = schema.unpooled().getConnection();
          Statement holding = connection.createStatement()) {
        connection.setAutoCommit(false);
        killWhileItStores(holding);
        holding.execute(unlock);
      }
      assertEachEndedOnce();
    }
  }

  @Nested
  class OnMariaDb extends WhileStoring {
    OnMariaDb() {
      super(
          TestDatabase.mariaDb(),
          "lock tables holdfast_event_history write",
          "unlock tables",
          "select id from information_schema.processlist where db = database() and state like"
              + " 'Waiting for table%lock'",
          "kill %d");
    }
  }

  @Nested
  class OnPostgreSql extends WhileStoring {
    OnPostgreSql() {
      super(
          TestDatabase.postgreSql(),
          "lock table holdfast_event_history in access exclusive mode",
          "commit",
          "select pid from pg_locks where relation = 'holdfast_event_history'::regclass and not"
              + " granted",
          "select pg_terminate_backend(%d)");
    }
  }
}
