package dev.holdfast.webhook;

import dev.holdfast.Holdfast;
import dev.holdfast.transaction.DatabaseException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Names and time functions of the tables of webhooks. Immutable and thread-safe. */
final class WebhookTables {
  private final Holdfast holdfast;
  private final String prefix;

  /** Statements on a connection. */
  @FunctionalInterface
  interface Statements<T> {
    T run(Connection connection) throws SQLException;
  }

  private WebhookTables(Holdfast holdfast, String prefix) {
    this.holdfast = holdfast;
    this.prefix = prefix;
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
    return holdfast.dialect().storedNow();
  }

  /** The current time minus a number of microseconds, which is a parameter. */
  String nowMinusMicroseconds() {
    return holdfast.dialect().storedNowMinusMicroseconds();
  }

  String limit(int rows) {
    return holdfast.dialect().limit(rows);
  }

  Instant time(ResultSet row, int index) throws SQLException {
    return Objects.requireNonNull(holdfast.dialect().storedTime(row, index));
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
