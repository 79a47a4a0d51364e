package dev.holdfast.race.internal.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** The sessions of H2. It shows waits for rows, but not those for whole tables. */
final class H2Sessions implements Sessions {

  /** The default: a wait ends only after a time that no test reaches. */
  private static final int DEFAULT_TIMEOUT = 2_000;

  /** Odd enough to be known as ours. */
  private static final int LONG_TIMEOUT = 60_007;

  private static final String WAITS =
      """
      SELECT SESSION_ID, BLOCKER_ID FROM INFORMATION_SCHEMA.SESSIONS
      WHERE BLOCKER_ID IS NOT NULL
      """;

  private static final String DESCRIBE =
      """
      SELECT 'user ' || USER_NAME || ', ' || SESSION_STATE, EXECUTING_STATEMENT
      FROM INFORMATION_SCHEMA.SESSIONS WHERE SESSION_ID = %d
      """;

  private static final String IS_ADMIN =
      "SELECT count(*) FROM INFORMATION_SCHEMA.USERS WHERE USER_NAME = CURRENT_USER AND IS_ADMIN";

  private record Session(long id, int timeout) {}

  private final Connection control;
  private final String whyNoWaits;

  H2Sessions(Connection control) throws SQLException {
    this.control = control;
    whyNoWaits =
        Query.text(control, IS_ADMIN).equals("1")
            ? ""
            : "H2 shows lock waits only to administrators; to allow it, run: ALTER USER %s ADMIN TRUE"
                .formatted(Query.text(control, "SELECT CURRENT_USER"));
  }

  @Override
  public long enter(Connection raw) throws SQLException {
    Session session = session(raw);
    if (session.timeout() == DEFAULT_TIMEOUT) {
      Query.run(raw, "SET LOCK_TIMEOUT " + LONG_TIMEOUT);
    }
    Sessions.endTransaction(raw);
    return session.id();
  }

  @Override
  public void leave(Connection raw) throws SQLException {
    if (session(raw).timeout() == LONG_TIMEOUT) {
      Query.run(raw, "SET LOCK_TIMEOUT " + DEFAULT_TIMEOUT);
    }
    Sessions.endTransaction(raw);
  }

  private static Session session(Connection raw) throws SQLException {
    return Query.rows(
            raw,
            "SELECT SESSION_ID(), LOCK_TIMEOUT()",
            row -> new Session(row.getLong(1), row.getInt(2)))
        .get(0);
  }

  @Override
  public Map<Long, Set<Long>> waits(Set<Long> sessions) throws SQLException {
    Map<Long, Set<Long>> waits = new HashMap<>();
    Query.rows(
        control,
        WAITS,
        row -> {
          long waiter = row.getLong(1);
          if (sessions.contains(waiter)) {
            waits.put(waiter, Set.of(row.getLong(2)));
          }
          return 0;
        });
    return waits;
  }

  @Override
  public String whyNoWaits() {
    return whyNoWaits;
  }

  @Override
  public String describe(long session) throws SQLException {
    return Query.rows(
            control,
            DESCRIBE.formatted(session),
            row -> Sessions.text(session, row.getString(1), Query.orEmpty(row.getString(2))))
        .stream()
        .findFirst()
        .orElse("session " + session);
  }
}
