package dev.holdfast.webhook;

import dev.holdfast.Holdfast;
import dev.holdfast.event.EventId;
import dev.holdfast.transaction.CommitUnknownException;
import dev.holdfast.transaction.DatabaseException;
import dev.holdfast.transaction.SqlError;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The attempts to deliver webhooks, as recorded in the database.
 *
 * <p>Attempts are written in the background, so the newest ones may be missing. Every call is a
 * transaction of its own. Immutable and thread-safe.
 */
public final class Attempts {
  /** Maximum number of attempts that {@link #of(EventId)} returns. */
  public static final int MAX = 100;

  private static final int MAX_TEXT_LENGTH = 10_000;
  private static final int MAX_NAME_LENGTH = 200;
  private static final int MAX_ADDRESS_LENGTH = 100;
  private static final int BATCH = 1000;

  private final WebhookTables tables;
  private final String newestOf;

  Attempts(WebhookTables tables) {
    this.tables = tables;
    this.newestOf =
        "SELECT attempt, started_at, duration_micros, response_status, outcome, error,"
            + " response_excerpt, instance_name, remote_address FROM "
            + tables.name("holdfast_webhook_attempt")
            + " WHERE shard = ? AND event_id = ? ORDER BY version DESC"
            + tables.limit(MAX);
  }

  /**
   * The attempts in the tables of this Holdfast.
   *
   * @param schema the schema of the tables; null for the current one of the connection
   */
  public static Attempts of(Holdfast holdfast, @Nullable String schema) {
    return new Attempts(WebhookTables.of(holdfast, schema));
  }

  /** The attempts of this event, the oldest first; only the last {@value #MAX}. */
  public List<AttemptRecord> of(EventId event) {
    List<AttemptRecord> all =
        tables.call(
            "reading the attempts of " + event,
            connection -> {
              try (PreparedStatement statement = connection.prepareStatement(newestOf)) {
                statement.setInt(1, event.shard());
                statement.setLong(2, event.id());
                try (ResultSet row = statement.executeQuery()) {
                  List<AttemptRecord> read = new ArrayList<>();
                  while (row.next()) {
                    read.add(read(row));
                  }
                  return read;
                }
              }
            });
    Collections.reverse(all);
    return all;
  }

  private AttemptRecord read(ResultSet row) throws SQLException {
    int status = row.getInt(4);
    return new AttemptRecord(
        row.getInt(1),
        tables.time(row, 2),
        Duration.of(row.getLong(3), ChronoUnit.MICROS),
        status == 0 ? null : status,
        AttemptOutcome.valueOf(row.getString(5)),
        row.getString(6),
        row.getString(7),
        row.getString(8),
        row.getString(9));
  }

  /**
   * Inserts attempts of one shard with one statement. Attempts that exist are not changed.
   *
   * @return number of attempts that the database rejects permanently
   */
  int insert(String instanceName, List<AttemptLog.Entry> attempts) {
    try {
      insertAll(instanceName, attempts);
      return 0;
    } catch (DatabaseException e) {
      if (e.isRetryable() || e instanceof CommitUnknownException) {
        throw e;
      }
      // one is rejected, or the response to a commit was lost: insert the others
      return attempts.stream().mapToInt(attempt -> insertOne(instanceName, attempt)).sum();
    }
  }

  private int insertOne(String instanceName, AttemptLog.Entry attempt) {
    try {
      insertAll(instanceName, List.of(attempt));
      return 0;
    } catch (DatabaseException e) {
      if (e.isRetryable() || e instanceof CommitUnknownException) {
        throw e;
      }
      return e.error() == SqlError.UNIQUE_VIOLATION ? 0 : 1;
    }
  }

  private void insertAll(String instanceName, List<AttemptLog.Entry> attempts) {
    String row = "(?, ?, ?, ?, " + tables.nowMinusMicroseconds() + ", ?, ?, ?, ?, ?, ?, ?)";
    String sql =
        "INSERT INTO "
            + tables.name("holdfast_webhook_attempt")
            + " (shard, event_id, version, attempt, started_at, duration_micros, response_status,"
            + " outcome, error, response_excerpt, instance_name, remote_address) VALUES "
            + String.join(", ", Collections.nCopies(attempts.size(), row));
    tables.call(
        "writing attempts",
        connection -> {
          try (PreparedStatement insert = connection.prepareStatement(sql)) {
            int index = 1;
            long now = System.nanoTime();
            for (AttemptLog.Entry attempt : attempts) {
              index = bind(insert, index, instanceName, attempt, now);
            }
            return insert.executeUpdate();
          }
        });
  }

  private int bind(
      PreparedStatement insert, int first, String instanceName, AttemptLog.Entry attempt, long now)
      throws SQLException {
    int index = first;
    insert.setInt(index++, attempt.event().shard());
    insert.setLong(index++, attempt.event().id());
    insert.setInt(index++, attempt.version());
    insert.setInt(index++, attempt.number());
    insert.setLong(index++, TimeUnit.NANOSECONDS.toMicros(now - attempt.startedNanos()));
    insert.setLong(index++, TimeUnit.MICROSECONDS.convert(attempt.duration()));
    if (attempt.status().isPresent()) {
      insert.setInt(index++, attempt.status().getAsInt());
    } else {
      insert.setNull(index++, Types.INTEGER);
    }
    insert.setString(index++, attempt.outcome().name());
    insert.setString(index++, storable(attempt.error().orElse(null), MAX_TEXT_LENGTH));
    insert.setString(
        index++, attempt.excerpt().isEmpty() ? null : storable(attempt.excerpt(), MAX_TEXT_LENGTH));
    insert.setString(index++, storable(instanceName, MAX_NAME_LENGTH));
    insert.setString(index++, storable(attempt.address().orElse(null), MAX_ADDRESS_LENGTH));
    return index;
  }

  private static @Nullable String storable(@Nullable String text, int maxLength) {
    if (text == null) {
      return null;
    }
    String start =
        text.codePointCount(0, text.length()) <= maxLength
            ? text
            : text.substring(0, text.offsetByCodePoints(0, maxLength));
    return start.replace('\0', '\uFFFD');
  }

  /**
   * Deletes a batch of attempts that are older than the retention and whose event does not exist
   * any more.
   *
   * @return whether there may be more
   */
  boolean deleteExpired(int shard, Duration retention) {
    return tables.call(
        "deleting expired attempts",
        connection -> {
          List<long[]> expired = expired(connection, shard, retention);
          if (!expired.isEmpty()) {
            delete(connection, shard, expired);
          }
          return expired.size() == BATCH;
        });
  }

  private List<long[]> expired(Connection connection, int shard, Duration retention)
      throws SQLException {
    String noEvent =
        " AND NOT EXISTS (SELECT 1 FROM %s e WHERE e.shard = a.shard AND e.id = a.event_id)";
    String sql =
        "SELECT a.event_id, a.version FROM "
            + tables.name("holdfast_webhook_attempt")
            + " a WHERE a.shard = ? AND a.started_at < "
            + tables.nowMinusMicroseconds()
            + noEvent.formatted(tables.name("holdfast_event"))
            + noEvent.formatted(tables.name("holdfast_event_history"))
            + " ORDER BY a.started_at"
            + tables.limit(BATCH);
    try (PreparedStatement select = connection.prepareStatement(sql)) {
      select.setInt(1, shard);
      select.setLong(2, TimeUnit.MICROSECONDS.convert(retention));
      try (ResultSet row = select.executeQuery()) {
        List<long[]> found = new ArrayList<>();
        while (row.next()) {
          found.add(new long[] {row.getLong(1), row.getLong(2)});
        }
        return found;
      }
    }
  }

  private void delete(Connection connection, int shard, List<long[]> found) throws SQLException {
    String sql =
        "DELETE FROM "
            + tables.name("holdfast_webhook_attempt")
            + " WHERE shard = ? AND event_id = ? AND version = ?";
    try (PreparedStatement delete = connection.prepareStatement(sql)) {
      for (long[] one : found) {
        delete.setInt(1, shard);
        delete.setLong(2, one[0]);
        delete.setLong(3, one[1]);
        delete.addBatch();
      }
      delete.executeBatch();
    }
  }
}
