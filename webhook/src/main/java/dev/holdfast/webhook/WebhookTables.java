package dev.holdfast.webhook;

import dev.holdfast.Holdfast;
import dev.holdfast.transaction.DatabaseException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;

/** Names and time functions of the tables of webhooks. Immutable and thread-safe. */
final class WebhookTables {
  private final Holdfast holdfast;
  private final String prefix;

  /** Whether columns have no time zone and contain UTC. */
  private final boolean inUtc;

  /** Statements on a connection. */
  @FunctionalInterface
  interface Statements<T> {
    T run(Connection connection) throws SQLException;
  }

  private WebhookTables(Holdfast holdfast, String prefix) {
    this.holdfast = holdfast;
    this.prefix = prefix;
    this.inUtc = holdfast.dialect().family().equals("mysql");
  }

  static WebhookTables of(Holdfast holdfast, @Nullable String schema) {
    return new WebhookTables(
        holdfast, schema == null ? "" : holdfast.dialect().quote(schema) + ".");
  }

  /** The qualified name of a table. */
  String name(String table) {
    return prefix + table;
  }

  String now() {
    return inUtc ? "UTC_TIMESTAMP(6)" : holdfast.dialect().now();
  }

  /** The current time minus a number of microseconds, which is a parameter. */
  String nowMinusMicroseconds() {
    return inUtc
        ? "UTC_TIMESTAMP(6) - INTERVAL ? MICROSECOND"
        : holdfast.dialect().nowMinusMicroseconds();
  }

  String limit(int rows) {
    return holdfast.dialect().limit(rows);
  }

  Instant time(ResultSet row, int index) throws SQLException {
    return inUtc
        ? row.getObject(index, LocalDateTime.class).toInstant(ZoneOffset.UTC)
        : row.getObject(index, OffsetDateTime.class).toInstant();
  }

  /** Runs the statements in a transaction of their own. */
  <T> T call(String what, Statements<T> statements) {
    return holdfast
        .transactions()
        .requiresNew()
        .<T, RuntimeException>call(
            tx -> {
              try {
                return statements.run(tx.connection());
              } catch (SQLException e) {
                throw new DatabaseException(what, e);
              }
            });
  }
}
