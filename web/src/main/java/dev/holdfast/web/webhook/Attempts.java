package dev.holdfast.web.webhook;

import dev.holdfast.Holdfast;
import dev.holdfast.event.EventId;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The attempts that were made for an event, for whoever wants to know.
 *
 * <p>They are written in the background: what is read may lack those of the last moment. Every call
 * is a transaction of its own. Immutable and thread-safe.
 */
public final class Attempts {
  /** How many of an event are told. */
  public static final int MAX = 100;

  private final WebhookTables tables;
  private final String newestOf;

  private Attempts(WebhookTables tables) {
    this.tables = tables;
    this.newestOf =
        "SELECT attempt, started_at, duration_micros, response_status, outcome, error,"
            + " response_excerpt, instance_name, remote_address FROM "
            + tables.name("holdfast_webhook_attempt")
            + " WHERE shard = ? AND event_id = ? ORDER BY version DESC"
            + tables.limit(MAX);
  }

  /**
   * Those of a database.
   *
   * @param schema the name of the schema of Holdfast's tables; null for the current one
   */
  public static Attempts of(Holdfast holdfast, @Nullable String schema) {
    return new Attempts(WebhookTables.of(holdfast, schema));
  }

  /** Those of this event, the oldest first, at most the last {@value #MAX}. */
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
}
