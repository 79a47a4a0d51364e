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

/** Where the tables of webhooks are, and how their times are written. Immutable and thread-safe. */
final class WebhookTables {
  private final Holdfast holdfast;
  private final String prefix;

  /** Whether columns have no zone, and hold UTC: the database's own clock has a zone then. */
  private final boolean inUtc;

  /** What is done on a connection. */
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

  /** The full name of a table. */
  String name(String table) {
    return prefix + table;
  }

  String now() {
    return inUtc ? "UTC_TIMESTAMP(6)" : holdfast.dialect().now();
  }

  /** Now less a number of microseconds, which is the one parameter in this text. */
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

  /** In a transaction of its own. */
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
