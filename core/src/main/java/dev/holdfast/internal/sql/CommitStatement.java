package dev.holdfast.internal.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.function.Supplier;

/**
 * The last statement of a transaction, an {@code UPDATE} of exactly one row: where it changes
 * another number of rows, the transaction must not be committed.
 *
 * @param doing names it in the error, such as {@code writing the answer}
 * @param missed what to throw where it did not change one row
 */
public record CommitStatement(
    String doing, String sql, Binding binding, Supplier<? extends RuntimeException> missed) {
  /** Binds the parameters of the statement. */
  public interface Binding {
    void to(PreparedStatement statement) throws SQLException;
  }

  /** Runs it, not yet committed. */
  void run(Connection connection) throws SQLException {
    int rows;
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      binding.to(statement);
      rows = statement.executeUpdate();
    }
    if (rows != 1) {
      throw missed.get();
    }
  }
}
