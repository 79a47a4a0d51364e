package dev.holdfast.webhook;

import dev.holdfast.client.WebhookSecret;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** The table of signing secrets. Every call is a transaction of its own. Thread-safe. */
final class SecretStore {
  private final WebhookTables tables;
  private final String table;

  SecretStore(WebhookTables tables) {
    this.tables = tables;
    this.table = tables.name("holdfast_signing_secret");
  }

  /** All secrets, the newest first. */
  List<SigningSecretRecord> list() {
    String sql = "SELECT id, secret, created_at FROM " + table + " ORDER BY created_at DESC, id";
    return tables.call(
        "reading signing secrets",
        connection -> {
          try (PreparedStatement select = connection.prepareStatement(sql);
              ResultSet row = select.executeQuery()) {
            List<SigningSecretRecord> all = new ArrayList<>();
            while (row.next()) {
              all.add(
                  new SigningSecretRecord(
                      row.getString(1), WebhookSecret.of(row.getString(2)), tables.time(row, 3)));
            }
            return all;
          }
        });
  }

  void insert(String id, WebhookSecret secret) {
    String sql =
        "INSERT INTO %s (id, secret, created_at) VALUES (?, ?, %s)".formatted(table, tables.now());
    tables.call(
        "creating a signing secret",
        connection -> {
          try (PreparedStatement insert = connection.prepareStatement(sql)) {
            insert.setString(1, id);
            insert.setString(2, secret.reveal());
            return insert.executeUpdate();
          }
        });
  }

  SigningSecrets.DeleteResult delete(String id) {
    return tables.call(
        "deleting a signing secret",
        connection -> {
          // lock all secrets, so that two requests cannot delete the last two
          List<String> all = lockAll(connection);
          if (!all.contains(id)) {
            return SigningSecrets.DeleteResult.NOT_FOUND;
          }
          if (all.size() == 1) {
            return SigningSecrets.DeleteResult.LAST;
          }
          try (PreparedStatement delete =
              connection.prepareStatement("DELETE FROM " + table + " WHERE id = ?")) {
            delete.setString(1, id);
            return delete.executeUpdate() == 1
                ? SigningSecrets.DeleteResult.DELETED
                : SigningSecrets.DeleteResult.NOT_FOUND;
          }
        });
  }

  private List<String> lockAll(Connection connection) throws SQLException {
    try (PreparedStatement select =
            connection.prepareStatement("SELECT id FROM " + table + " ORDER BY id FOR UPDATE");
        ResultSet row = select.executeQuery()) {
      List<String> all = new ArrayList<>();
      while (row.next()) {
        all.add(row.getString(1));
      }
      return all;
    }
  }
}
