package dev.holdfast.guard;

import dev.holdfast.internal.Require;
import dev.holdfast.internal.sql.SqlBuilder;
import dev.holdfast.transaction.Transaction;
import java.math.BigDecimal;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A number that grows or shrinks by an amount, as long as it stays within a limit.
 *
 * @param limit the least that may be left, or the most that may be reached; null for no limit
 */
record AmountChange(String column, boolean grows, BigDecimal amount, @Nullable BigDecimal limit)
    implements RowCondition {
  /** Beyond what any column holds, but sums of such numbers are still harmless. */
  private static final int MAX_DIGITS = 1000;

  AmountChange {
    ColumnValues.requireName(column, "the name of the column with the number");
    Require.that(
        amount.signum() > 0,
        () -> "the amount of '" + column + "' must be positive, was " + amount);
    requireReasonable(amount, "the amount of '" + column + "'");
    if (limit != null) {
      requireReasonable(limit, "the limit of '" + column + "'");
    }
  }

  static AmountChange less(String column, @Nullable BigDecimal amount) {
    return new AmountChange(
        column, false, Require.notNull(amount, "the amount of '" + column + "'"), BigDecimal.ZERO);
  }

  static AmountChange more(String column, @Nullable BigDecimal amount) {
    return new AmountChange(
        column, true, Require.notNull(amount, "the amount of '" + column + "'"), null);
  }

  AmountChange limit(@Nullable BigDecimal newLimit) {
    return new AmountChange(
        column, grows, amount, Require.notNull(newLimit, "the limit of '" + column + "'"));
  }

  @Override
  public Collection<String> columns() {
    return List.of(column);
  }

  @Override
  public void check(Transaction tx, String table) {
    ColumnScaleCheck.require(tx, table, column, amount);
  }

  @Override
  public boolean refusalIsConflict() {
    return false;
  }

  @Override
  public void writeChange(SqlBuilder sql) {
    sql.name(column).add(" = ");
    writeResult(sql);
  }

  @Override
  public void writeCheck(SqlBuilder sql) {
    BigDecimal bound = limit;
    if (bound == null) {
      writeMoves(sql);
      return;
    }
    // CASE, because only it keeps the database from calculating, and overflowing, beyond the limit
    sql.add("CASE WHEN ").name(column).add(grows ? " <= " : " >= ");
    sql.value(bindable(grows ? bound.subtract(amount) : bound.add(amount))).add(" THEN ");
    writeMoves(sql);
    sql.add(" ELSE FALSE END");
  }

  /** Unknown or false where adding changes nothing: null, NaN, infinity. */
  private void writeMoves(SqlBuilder sql) {
    writeResult(sql);
    sql.add(grows ? " > " : " < ").name(column);
  }

  private void writeResult(SqlBuilder sql) {
    sql.name(column).add(grows ? " + " : " - ").value(bindable(amount));
  }

  @Override
  public void writeDone(SqlBuilder sql) {
    // a number does not tell who has changed it
    sql.add("FALSE");
  }

  /** Whole numbers as such, so that columns of whole numbers are not calculated as decimals. */
  private static Object bindable(BigDecimal number) {
    try {
      return number.longValueExact();
    } catch (ArithmeticException fractionOrTooLarge) {
      return number;
    }
  }

  private static void requireReasonable(BigDecimal number, String name) {
    Require.that(
        number.scale() <= MAX_DIGITS && (long) number.precision() - number.scale() <= MAX_DIGITS,
        () -> name + " must have at most " + MAX_DIGITS + " digits on each side of the point");
  }

  @Override
  public String toString() {
    return (grows ? "increase" : "decrease") + "('" + column + "')";
  }
}
