package dev.holdfast.race.internal.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** The connections of MariaDB and MySQL. */
final class MySqlSessions implements Sessions {

  /** What the locks of the server are, beside those of InnoDB. */
  private static final Pattern WAITING =
      Pattern.compile("^(Waiting for .*(lock|flush|commit)|User lock)", Pattern.CASE_INSENSITIVE);

  private record Doing(long id, String state) {}

  private final Connection control;
  private final InnoDbWaits innoDb;
  private final String whyNoWaits;

  MySqlSessions(Connection control, String product) throws SQLException {
    this.control = control;
    innoDb = new InnoDbWaits(control, product.equals("MariaDB"));
    whyNoWaits = whyNoWaits(product);
  }

  private String whyNoWaits(String product) throws SQLException {
    try {
      innoDb.status();
      return "";
    } catch (SQLException e) {
      return "%s does not show lock waits to this user; to allow it, run: GRANT PROCESS ON *.* TO %s"
          .formatted(product, account());
    }
  }

  private String account() throws SQLException {
    String[] parts = Query.text(control, "SELECT current_user()").split("@", 2);
    return parts.length == 2 ? "'" + parts[0] + "'@'" + parts[1] + "'" : parts[0];
  }

  @Override
  public long enter(Connection raw) throws SQLException {
    long session = Long.parseLong(Query.text(raw, "SELECT connection_id()"));
    Sessions.endTransaction(raw);
    return session;
  }

  @Override
  public void leave(Connection raw) throws SQLException {
    // an aborted run may have left locks of its session, which no rollback releases
    Query.run(raw, "UNLOCK TABLES", "DO release_all_locks()");
    Sessions.endTransaction(raw);
  }

  @Override
  public Map<Long, Set<Long>> waits(Set<Long> sessions) throws SQLException {
    Map<Long, Set<Long>> waits = new HashMap<>(innoDb.waits(sessions));
    if (waits.size() < sessions.size()) {
      for (Doing doing : processes()) {
        long id = doing.id();
        if (sessions.contains(id)
            && !waits.containsKey(id)
            && WAITING.matcher(doing.state()).find()) {
          Set<Long> others = new HashSet<>(sessions);
          others.remove(id);
          waits.put(id, others.size() == 1 ? others : Set.of());
        }
      }
    }
    return waits;
  }

  /** Its view in the information schema takes ten times as long. */
  private List<Doing> processes() throws SQLException {
    return Query.rows(
        control,
        "SHOW PROCESSLIST",
        row -> new Doing(row.getLong("Id"), Query.orEmpty(row.getString("State"))));
  }

  @Override
  public String whyNoWaits() {
    return whyNoWaits;
  }

  @Override
  public String describe(long session) throws SQLException {
    return Query.rows(
            control,
            "SHOW FULL PROCESSLIST",
            row ->
                row.getLong("Id") == session
                    ? Sessions.text(
                        session,
                        "user %s, from %s, %s"
                            .formatted(
                                row.getString("User"),
                                row.getString("Host"),
                                row.getString("Command")),
                        Query.orEmpty(row.getString("Info")))
                    : "")
        .stream()
        .filter(text -> !text.isEmpty())
        .findFirst()
        .orElse("session " + session);
  }
}
