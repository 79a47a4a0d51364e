package dev.holdfast.guard;

import dev.holdfast.internal.Require;
import dev.holdfast.internal.sql.SqlBuilder;
import dev.holdfast.transaction.Transaction;
import java.math.BigDecimal;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;

/**
 * How many decimal places a column keeps, if it keeps numbers exactly. Databases round what a
 * column cannot hold without a word, so that taking 0.001 from a column of cents would take
 * nothing, and taking 1 from a large floating-point number would take nothing or too much. Asked
 * once per column, schema and JDBC URL, and again before an amount is refused.
 */
final class ColumnScaleCheck {
  private static final int ANY = Integer.MAX_VALUE;
  private static final int NOT_EXACT = -1;

  /** H2's floating decimals of full length: so its PostgreSQL mode has numeric without a length. */
  private static final int MAX_DECFLOAT = 100_000;

  private static final SchemaFactCache<Column, Integer> KNOWN = new SchemaFactCache<>();

  private ColumnScaleCheck() {}

  /** As the user wrote it. */
  private record Column(String table, String name) {}

  private record Type(String name, int places) {}

  /** Refuses an amount that the column would round. */
  static void require(Transaction tx, String table, String column, BigDecimal amount) {
    Column of = new Column(table, column);
    int places = amount.scale() <= 0 ? 0 : Math.max(0, amount.stripTrailingZeros().scale());
    if (places <= KNOWN.get(tx, of).orElse(NOT_EXACT)) {
      return;
    }
    Type type = read(tx, of);
    Require.that(
        type.places != NOT_EXACT,
        () ->
            "the column '%s' of '%s' must be of an integer or decimal type, which do not round"
                    .formatted(column, table)
                + " whole amounts, was "
                + type.name);
    Require.that(
        places <= type.places,
        () ->
            "the amount of '%s' must have at most %d decimal places, as many as '%s' keeps, was %s"
                .formatted(column, type.places, table, amount.toPlainString()));
    SqlBuilder.requireTransactional(tx, table);
    KNOWN.put(tx, of, type.places);
  }

  private static Type read(Transaction tx, Column of) {
    SqlBuilder select = new SqlBuilder(tx.dialect()).add("SELECT ").name(of.name).add(" FROM ");
    select.name(of.table).add(" WHERE 1 = 0");
    try (PreparedStatement statement = tx.connection().prepareStatement(select.toString());
        ResultSet none = statement.executeQuery()) {
      return type(none.getMetaData());
    } catch (SQLException e) {
      throw SqlBuilder.failed(tx, "reading the type of '" + of.name + "' in '" + of.table + "'", e);
    }
  }

  private static Type type(ResultSetMetaData column) throws SQLException {
    String name = column.getColumnTypeName(1);
    if (name.startsWith("DECFLOAT")) {
      return new Type(name, column.getPrecision(1) < MAX_DECFLOAT ? NOT_EXACT : ANY);
    }
    return switch (column.getColumnType(1)) {
      // MariaDB and MySQL call tinyint(1) a bit
      case Types.TINYINT, Types.SMALLINT, Types.INTEGER, Types.BIGINT, Types.BIT, Types.BOOLEAN ->
          new Type(name, 0);
      case Types.NUMERIC, Types.DECIMAL ->
          decimal(name, column.getPrecision(1), column.getScale(1));
      default -> new Type(name, NOT_EXACT);
    };
  }

  private static Type decimal(String name, int precision, int scale) {
    if (precision == 0) {
      // so PostgreSQL calls numeric without a precision
      return new Type(name, ANY);
    }
    // pgjdbc shows the 11 bits of a negative scale, such as that of numeric(3, -2), as they are
    int places = scale > 1000 && precision <= 1000 ? scale - 2048 : scale;
    return places < 0
        ? new Type(name + "(" + precision + ", " + places + ")", NOT_EXACT)
        : new Type(name, places);
  }
}
