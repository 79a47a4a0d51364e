package dev.holdfast.guard;

import dev.holdfast.internal.Require;
import dev.holdfast.sql.Transaction;
import dev.holdfast.sql.internal.SqlText;
import java.math.BigDecimal;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;

/**
 * How many decimal places a column keeps. Databases round what is beyond them without a word, so
 * that taking 0.001 from a column of cents would take nothing. Asked only about fractions, once per
 * column and JDBC URL, and again before an amount is refused.
 */
final class DecimalPlaces {
  private static final int ANY = Integer.MAX_VALUE;
  private static final Remembered<Column, Integer> KNOWN = new Remembered<>();

  private DecimalPlaces() {}

  private record Column(String table, String name) {}

  /** Refuses an amount that the column would round. */
  static void require(Transaction tx, String table, String column, BigDecimal amount) {
    int places = amount.stripTrailingZeros().scale();
    if (places <= 0) {
      return;
    }
    Column of = new Column(tx.dialect().quote(table), tx.dialect().quote(column));
    if (places <= KNOWN.get(tx.dialect(), of).orElse(-1)) {
      return;
    }
    try {
      int kept = read(tx, "SELECT " + of.name + " FROM " + of.table + " WHERE 1 = 0");
      Require.that(
          places <= kept,
          () ->
              "the amount of '%s' must have at most %d decimal places, as many as '%s' keeps, was %s"
                  .formatted(column, kept, table, amount.toPlainString()));
      KNOWN.put(tx.dialect(), of, kept);
    } catch (SQLException e) {
      throw SqlText.failed(tx, "reading the type of '" + column + "' in '" + table + "'", e);
    }
  }

  private static int read(Transaction tx, String select) throws SQLException {
    try (PreparedStatement statement = tx.connection().prepareStatement(select);
        ResultSet none = statement.executeQuery()) {
      ResultSetMetaData columns = none.getMetaData();
      return switch (columns.getColumnType(1)) {
        case Types.TINYINT, Types.SMALLINT, Types.INTEGER, Types.BIGINT -> 0;
        case Types.NUMERIC, Types.DECIMAL -> isBoundless(columns) ? ANY : columns.getScale(1);
        default -> ANY;
      };
    }
  }

  private static boolean isBoundless(ResultSetMetaData columns) throws SQLException {
    // so PostgreSQL calls numeric without a precision, and H2 its floating decimals
    return columns.getPrecision(1) == 0 || "DECFLOAT".equals(columns.getColumnTypeName(1));
  }
}
