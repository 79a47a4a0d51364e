package dev.holdfast.race.internal.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Set;

/** The connections of a database, and the waits between them; see {@link Database}. */
interface Sessions {

  long enter(Connection raw) throws SQLException;

  void leave(Connection raw) throws SQLException;

  Map<Long, Set<Long>> waits(Set<Long> sessions) throws SQLException;

  /** Empty if waits can be read. */
  String whyNoWaits();

  String describe(long session) throws SQLException;

  /** Ends the transaction that a setting or a question has begun, where the code begins its own. */
  static void endTransaction(Connection raw) throws SQLException {
    if (!raw.getAutoCommit()) {
      raw.commit();
    }
  }

  /** {@code session 4711 (application 'psql', user x): update …}. */
  static String text(long session, String user, String what) {
    String line = what.strip().replaceAll("\\s+", " ");
    String cut = line.length() > 200 ? line.substring(0, 200) + "…" : line;
    return "session " + session + " (" + user + ")" + (cut.isEmpty() ? "" : ": " + cut);
  }
}
