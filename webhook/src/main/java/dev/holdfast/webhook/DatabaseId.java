package dev.holdfast.webhook;

import dev.holdfast.transaction.DatabaseException;
import dev.holdfast.transaction.SqlError;
import java.security.SecureRandom;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.Optional;

/**
 * A random id of a database. It is part of the webhook id, so that a receiver does not take the
 * first event of a new database for a duplicate of an old one.
 */
final class DatabaseId {
  private static final String NAME = "webhook";
  private static final String ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
  private static final int LENGTH = 8;

  private DatabaseId() {}

  /** The id; created on first use. */
  static String of(WebhookTables tables) {
    return read(tables)
        .orElseGet(
            () -> {
              create(tables);
              return read(tables).orElseThrow();
            });
  }

  private static Optional<String> read(WebhookTables tables) {
    String sql =
        "SELECT property_value FROM " + tables.name("holdfast_property") + " WHERE name = ?";
    return tables.call(
        "reading the id of the database",
        connection -> {
          try (PreparedStatement select = connection.prepareStatement(sql)) {
            select.setString(1, NAME);
            try (ResultSet row = select.executeQuery()) {
              return row.next() ? Optional.of(row.getString(1)) : Optional.<String>empty();
            }
          }
        });
  }

  private static void create(WebhookTables tables) {
    String sql =
        "INSERT INTO %s (name, property_value, created_at) VALUES (?, ?, %s)"
            .formatted(tables.name("holdfast_property"), tables.now());
    try {
      tables.call(
          "creating the id of the database",
          connection -> {
            try (PreparedStatement insert = connection.prepareStatement(sql)) {
              insert.setString(1, NAME);
              insert.setString(2, random());
              return insert.executeUpdate();
            }
          });
    } catch (DatabaseException e) {
      // another instance was first
      if (e.error() != SqlError.UNIQUE_VIOLATION) {
        throw e;
      }
    }
  }

  /** Random characters, without those that look alike. */
  static String random() {
    SecureRandom random = new SecureRandom();
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < LENGTH; i++) {
      text.append(ALPHABET.charAt(random.nextInt(ALPHABET.length())));
    }
    return text.toString();
  }
}
