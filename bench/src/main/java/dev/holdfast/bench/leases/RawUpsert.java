package dev.holdfast.bench.leases;

import dev.holdfast.testing.TestSchema;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;
import javax.sql.DataSource;

/**
 * What somebody who knows how writes by hand: a row per name, owner and token checked. Whoever
 * knows even more does not wait until a release is on the disk.
 */
final class RawUpsert implements Locks {
  private static final String ACQUIRE =
      """
      INSERT INTO raw_lock AS l (name, owner, token, until)
      VALUES (?, ?, 1, statement_timestamp() + interval '30 s')
      ON CONFLICT (name) DO UPDATE
      SET owner = excluded.owner, token = l.token + 1, until = excluded.until
      WHERE l.until <= statement_timestamp()
      RETURNING token""";
  private static final String RELEASE =
      "UPDATE raw_lock SET until = statement_timestamp() WHERE name = ? AND owner = ?"
          + " AND until > statement_timestamp()";
  private static final String UNFLUSHED =
      " AND (SELECT set_config('synchronous_commit', 'off', true)) = 'off'";

  private final DataSource dataSource;
  private final String releaseSql;

  RawUpsert(TestSchema schema, DataSource dataSource, boolean flushed) {
    this.dataSource = dataSource;
    this.releaseSql = flushed ? RELEASE : RELEASE + UNFLUSHED;
    schema.execute(
        "CREATE TABLE IF NOT EXISTS raw_lock (name text PRIMARY KEY, owner uuid, token bigint, until timestamptz)"
            + " WITH (fillfactor = 50)");
  }

  @Override
  public void pair(String name) throws SQLException {
    UUID owner = UUID.randomUUID();
    try (Connection connection = dataSource.getConnection();
        PreparedStatement acquire = connection.prepareStatement(ACQUIRE)) {
      acquire.setString(1, name);
      acquire.setObject(2, owner);
      try (ResultSet granted = acquire.executeQuery()) {
        check(granted.next());
      }
    }
    try (Connection connection = dataSource.getConnection();
        PreparedStatement release = connection.prepareStatement(releaseSql)) {
      release.setString(1, name);
      release.setObject(2, owner);
      check(release.executeUpdate() == 1);
    }
  }

  private static void check(boolean done) {
    if (!done) {
      throw new IllegalStateException("somebody else has it");
    }
  }
}
