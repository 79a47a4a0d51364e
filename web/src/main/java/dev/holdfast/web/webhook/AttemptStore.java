package dev.holdfast.web.webhook;

import dev.holdfast.transaction.CommitUnknownException;
import dev.holdfast.transaction.DatabaseException;
import dev.holdfast.transaction.SqlError;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Writes and forgets attempts. Every call is a transaction of its own. Thread-safe. */
final class AttemptStore {
  private static final int MAX_TEXT_LENGTH = 10_000;
  private static final int MAX_NAME_LENGTH = 200;
  private static final int MAX_ADDRESS_LENGTH = 100;
  private static final int BATCH = 1000;

  private final WebhookTables tables;
  private final String instance;

  AttemptStore(WebhookTables tables, String instance) {
    this.tables = tables;
    this.instance = instance;
  }

  /**
   * All of one shard, with one statement; one that is there already is left as it is.
   *
   * @return how many the database refuses for good
   */
  int insert(List<NewAttempt> attempts) {
    try {
      insertAll(attempts);
      return 0;
    } catch (DatabaseException e) {
      if (e.isRetryable() || e instanceof CommitUnknownException) {
        throw e;
      }
      // one is refused, or the answer to a commit was lost: the others are added all the same
      return attempts.stream().mapToInt(this::insertOne).sum();
    }
  }

  private int insertOne(NewAttempt attempt) {
    try {
      insertAll(List.of(attempt));
      return 0;
    } catch (DatabaseException e) {
      if (e.isRetryable() || e instanceof CommitUnknownException) {
        throw e;
      }
      return e.error() == SqlError.UNIQUE_VIOLATION ? 0 : 1;
    }
  }

  private void insertAll(List<NewAttempt> attempts) {
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
            for (NewAttempt attempt : attempts) {
              index = bind(insert, index, attempt, now);
            }
            return insert.executeUpdate();
          }
        });
  }

  private int bind(PreparedStatement insert, int first, NewAttempt attempt, long now)
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
    insert.setString(index++, storable(instance, MAX_NAME_LENGTH));
    insert.setString(index++, storable(attempt.address().orElse(null), MAX_ADDRESS_LENGTH));
    return index;
  }

  private static @Nullable String storable(@Nullable String text, int longest) {
    if (text == null) {
      return null;
    }
    String start =
        text.codePointCount(0, text.length()) <= longest
            ? text
            : text.substring(0, text.offsetByCodePoints(0, longest));
    return start.replace('\0', '\uFFFD');
  }

  /**
   * Forgets some attempts that are older than {@code kept} and whose event is not known any more.
   *
   * @return whether there may be more
   */
  boolean forget(int shard, Duration kept) {
    return tables.call(
        "forgetting attempts",
        connection -> {
          List<long[]> old = old(connection, shard, kept);
          if (!old.isEmpty()) {
            delete(connection, shard, old);
          }
          return old.size() == BATCH;
        });
  }

  private List<long[]> old(Connection connection, int shard, Duration kept) throws SQLException {
    String unknown =
        " AND NOT EXISTS (SELECT 1 FROM %s e WHERE e.shard = a.shard AND e.id = a.event_id)";
    String sql =
        "SELECT a.event_id, a.version FROM "
            + tables.name("holdfast_webhook_attempt")
            + " a WHERE a.shard = ? AND a.started_at < "
            + tables.nowMinusMicroseconds()
            + unknown.formatted(tables.name("holdfast_event"))
            + unknown.formatted(tables.name("holdfast_event_history"))
            + " ORDER BY a.started_at"
            + tables.limit(BATCH);
    try (PreparedStatement select = connection.prepareStatement(sql)) {
      select.setInt(1, shard);
      select.setLong(2, TimeUnit.MICROSECONDS.convert(kept));
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
