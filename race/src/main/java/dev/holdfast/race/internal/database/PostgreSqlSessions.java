package dev.holdfast.race.internal.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The backends of PostgreSQL. */
final class PostgreSqlSessions implements Sessions {

  /** One call for each of them: it holds up all locking while it looks. */
  private static final String WAITS =
      """
      SELECT session.pid, blocking.pids
      FROM unnest(?::int[]) AS session(pid)
      CROSS JOIN LATERAL (SELECT pg_blocking_pids(session.pid) AS pids OFFSET 0) AS blocking
      WHERE cardinality(blocking.pids) > 0
      """;

  private static final String DESCRIBE =
      """
      SELECT 'application ''' || coalesce(application_name, '') || ''', user '
          || coalesce(usename, '?') || coalesce(', ' || state, ''),
        coalesce(query, '')
      FROM pg_stat_activity WHERE pid = %d
      """;

  private final Connection control;
  private final PreparedStatement waits;
  private final String enter;
  private final String leave;

  PostgreSqlSessions(Connection control) throws SQLException {
    this.control = control;
    waits = control.prepareStatement(WAITS);
    boolean findsDeadlocksAtOnce =
        Query.allowed(control, "SET deadlock_timeout = '1ms'", "RESET deadlock_timeout");
    enter =
        (findsDeadlocksAtOnce ? "SET deadlock_timeout = '1ms'; " : "")
            + "SET synchronous_commit = off; SELECT pg_backend_pid()";
    // an aborted run may have left a lock of its session, which no rollback releases
    leave =
        (findsDeadlocksAtOnce ? "RESET deadlock_timeout; " : "")
            + "RESET synchronous_commit; SELECT pg_advisory_unlock_all()";
  }

  @Override
  public long enter(Connection raw) throws SQLException {
    long session = -1;
    try (Statement statement = raw.createStatement()) {
      boolean rows = statement.execute(enter);
      while (!rows && statement.getUpdateCount() >= 0) {
        rows = statement.getMoreResults();
      }
      try (ResultSet result = statement.getResultSet()) {
        if (result.next()) {
          session = result.getLong(1);
        }
      }
    }
    Sessions.endTransaction(raw);
    return session;
  }

  @Override
  public void leave(Connection raw) throws SQLException {
    Query.run(raw, leave);
    Sessions.endTransaction(raw);
  }

  @Override
  public Map<Long, Set<Long>> waits(Set<Long> sessions) throws SQLException {
    waits.setArray(1, control.createArrayOf("int4", sessions.toArray()));
    Map<Long, Set<Long>> found = new HashMap<>();
    try (ResultSet result = waits.executeQuery()) {
      while (result.next()) {
        long waiter = result.getLong(1);
        Set<Long> blockers = new TreeSet<>();
        for (Integer blocker : (Integer[]) result.getArray(2).getArray()) {
          blockers.add(blocker.longValue());
        }
        // of a parallel query, its workers appear as itself
        blockers.remove(waiter);
        if (!blockers.isEmpty()) {
          found.put(waiter, blockers);
        }
      }
    }
    return found;
  }

  @Override
  public String whyNoWaits() {
    return "";
  }

  @Override
  public String describe(long session) throws SQLException {
    if (session == 0) {
      return "a prepared transaction";
    }
    return Query.rows(
            control,
            DESCRIBE.formatted(session),
            row -> Sessions.text(session, row.getString(1), row.getString(2)))
        .stream()
        .findFirst()
        .orElse("session " + session);
  }

  void close() throws SQLException {
    waits.close();
  }
}
