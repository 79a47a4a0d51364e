package dev.holdfast.web.webhook;

import dev.holdfast.transaction.DatabaseException;
import dev.holdfast.transaction.SqlError;
import java.security.SecureRandom;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.Optional;

/**
 * A few random characters that tell a database from others. A receiver that knows webhooks by their
 * id must not take the first event of a new database for the first of an old one.
 */
final class DatabaseMark {
  private static final String NAME = "webhook";
  private static final String ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
  private static final int LENGTH = 8;

  private DatabaseMark() {}

  /** The mark; made by whoever asks first. */
  static String of(WebhookTables tables) {
    return read(tables)
        .orElseGet(
            () -> {
              make(tables);
              return read(tables).orElseThrow();
            });
  }

  private static Optional<String> read(WebhookTables tables) {
    String sql =
        "SELECT property_value FROM " + tables.name("holdfast_property") + " WHERE name = ?";
    return tables.call(
        "reading the mark of the database",
        connection -> {
          try (PreparedStatement select = connection.prepareStatement(sql)) {
            select.setString(1, NAME);
            try (ResultSet row = select.executeQuery()) {
              return row.next() ? Optional.of(row.getString(1)) : Optional.<String>empty();
            }
          }
        });
  }

  private static void make(WebhookTables tables) {
    String sql =
        "INSERT INTO %s (name, property_value, created_at) VALUES (?, ?, %s)"
            .formatted(tables.name("holdfast_property"), tables.now());
    try {
      tables.call(
          "making the mark of the database",
          connection -> {
            try (PreparedStatement insert = connection.prepareStatement(sql)) {
              insert.setString(1, NAME);
              insert.setString(2, random());
              return insert.executeUpdate();
            }
          });
    } catch (DatabaseException e) {
      // another was first
      if (e.error() != SqlError.UNIQUE_VIOLATION) {
        throw e;
      }
    }
  }

  /** Some random characters, without those that look like others. */
  static String random() {
    SecureRandom random = new SecureRandom();
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < LENGTH; i++) {
      text.append(ALPHABET.charAt(random.nextInt(ALPHABET.length())));
    }
    return text.toString();
  }
}
