package dev.holdfast.internal.sql;

import dev.holdfast.InvalidArgumentException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Which tables of MariaDB and MySQL do not take part in transactions: MyISAM, Aria, MEMORY. */
final class TableEngineCheck {
  private static final String UNSAFE_ENGINE_OF_TABLE =
      """
      SELECT ENGINE FROM information_schema.ENGINES
      WHERE TRANSACTIONS = 'NO' AND ENGINE = (
        SELECT ENGINE FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?)
      """;

  private TableEngineCheck() {}

  /** Views and temporary tables, of which the server does not tell the engine, pass. */
  static void requireTransactional(Connection connection, String quotedTable) throws SQLException {
    String[] parts = quotedTable.replace("`", "").split("\\.", -1);
    try (PreparedStatement statement = connection.prepareStatement(UNSAFE_ENGINE_OF_TABLE)) {
      statement.setString(1, parts.length == 1 ? connection.getCatalog() : parts[parts.length - 2]);
      statement.setString(2, parts[parts.length - 1]);
      try (ResultSet unsafe = statement.executeQuery()) {
        if (unsafe.next()) {
          throw new InvalidArgumentException(
              "the table "
                  + quotedTable
                  + " must have a storage engine with transactions, such as InnoDB, was "
                  + unsafe.getString(1)
                  + ", which neither locks rows nor rolls back");
        }
      }
    }
  }
}
