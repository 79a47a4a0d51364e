package dev.holdfast.guard;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.internal.Require;
import dev.holdfast.internal.sql.SqlBuilder;
import dev.holdfast.transaction.GuardKind;
import dev.holdfast.transaction.Row;
import dev.holdfast.transaction.Transaction;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A conditional change: changes a row only if it allows it, without reading it first.
 *
 * <pre>{@code
 * var stock  = Conditional.table("stock").where("sku", "A1").decrease("quantity", 3).apply(tx);
 * var coupon = Conditional.table("coupons").where("code", "TEN").markOnce("used_by", userId).apply(tx);
 * var order  = Conditional.table("orders").where("id", 7)
 *     .transition("status", "PENDING", "PAID").reference("payment_ref", "pay_1").apply(tx);
 * }</pre>
 *
 * <p>Guarantee: check and change are one statement, so a number never passes its limit, and of all
 * who mark a row or move it out of a state exactly one is {@code Changed}. Only {@link
 * ConditionalUpdateResult.Applied} means that this caller did it. What is the same is decided by
 * the database: texts in every character, case and trailing spaces included (except in columns
 * whose type or collation ignores them on PostgreSQL and H2), other values as {@code =} has it.
 * Give values of the column's own type: MySQL takes large numbers in text for each other.
 *
 * <p>A second statement reads the row only where nothing was changed, and sees what is committed by
 * then. Not guaranteed: that the row it shows still is as it was when the change was refused. On
 * PostgreSQL and H2, from REPEATABLE READ on, a row that was changed after the transaction began
 * ends in a retryable error instead.
 *
 * <p>A versioned {@link Update} of the same row sees this change only if it raises the version: say
 * {@link #version}.
 *
 * <p>To the conflict rate a refused mark or transition is a conflict: somebody else was first. A
 * refused amount is none, since its limit is met whoever comes, nor is a repetition.
 *
 * <p>Joins the given transaction. Immutable and thread-safe.
 */
public final class ConditionalUpdate {
  /** Answers whether the change was made before; not a name that a table of a user has. */
  private static final String DONE = "holdfast_already_so";

  private final RowReference target;
  private final @Nullable RowCondition condition;
  private final ColumnValues changes;
  private final @Nullable String version;
  private final String name;

  private ConditionalUpdate(
      RowReference target,
      @Nullable RowCondition condition,
      ColumnValues changes,
      @Nullable String version,
      String name) {
    this.target = target;
    this.condition = condition;
    this.changes = changes;
    this.version = version;
    this.name = name;
    if (condition != null) {
      for (String column : condition.columns()) {
        requireAlone(column, condition);
        Require.that(
            version == null || !ColumnValues.areSame(column, version),
            () ->
                "'"
                    + column
                    + "' must be decided by "
                    + condition
                    + " or be the version, was both");
      }
    }
    if (version != null) {
      requireAlone(version, "the version");
    }
  }

  private void requireAlone(String column, Object decides) {
    Require.that(
        !changes.contains(column) && !target.key().contains(column),
        () -> "'" + column + "' must not be set or be part of the key: " + decides + " decides it");
  }

  public static ConditionalUpdate table(String table) {
    return new ConditionalUpdate(
        RowReference.table(table), null, ColumnValues.NONE, null, "conditional " + table);
  }

  /** Which row: a column of its primary key or unique constraint. Repeat for further columns. */
  public ConditionalUpdate where(String column, Object value) {
    return new ConditionalUpdate(target.where(column, value), condition, changes, version, name);
  }

  /**
   * Takes a positive amount from a number, if at least 0 is left, or what {@link #keeping} says. A
   * null is refused. Never {@code AlreadyApplied}: a number does not tell who has changed it. The
   * column must be of an integer or decimal type: floating-point numbers, and decimals that keep
   * only tens or hundreds, round without a word and are an {@link InvalidArgumentException}. The
   * type is asked for once a minute.
   */
  public ConditionalUpdate decrease(String column, long amount) {
    return decrease(column, BigDecimal.valueOf(amount));
  }

  /** As {@link #decrease(String, long)}; the amount must not be finer than the column. */
  public ConditionalUpdate decrease(String column, BigDecimal amount) {
    return doing(AmountChange.less(column, amount));
  }

  /**
   * Adds a positive amount to a number, up to the most that {@link #upTo} says. Without it, a
   * number that would not fit its column fails with {@link
   * dev.holdfast.transaction.SqlError#OUT_OF_RANGE}. A null is refused. Never {@code
   * AlreadyApplied}. The column must be as for {@link #decrease(String, long)}.
   */
  public ConditionalUpdate increase(String column, long amount) {
    return increase(column, BigDecimal.valueOf(amount));
  }

  /** As {@link #increase(String, long)}; the amount must not be finer than the column. */
  public ConditionalUpdate increase(String column, BigDecimal amount) {
    return doing(AmountChange.more(column, amount));
  }

  /** The least that {@link #decrease} must leave, instead of 0; may be negative. */
  public ConditionalUpdate keeping(long least) {
    return keeping(BigDecimal.valueOf(least));
  }

  /** The least that {@link #decrease} must leave, instead of 0; may be negative. */
  public ConditionalUpdate keeping(BigDecimal least) {
    return limit("keeping(…)", false, least);
  }

  /** The most that {@link #increase} may reach. */
  public ConditionalUpdate upTo(long most) {
    return upTo(BigDecimal.valueOf(most));
  }

  /** The most that {@link #increase} may reach. */
  public ConditionalUpdate upTo(BigDecimal most) {
    return limit("upTo(…)", true, most);
  }

  /**
   * Writes a value to a column that is null. The same value again is {@code AlreadyApplied},
   * another is {@code Refused} and shows whose it is.
   */
  public ConditionalUpdate markOnce(String column, Object value) {
    return doing(new SetIfNull(column, value));
  }

  /**
   * Moves a column from one state to another. A row that is in the new state is {@code
   * AlreadyApplied}, in any other {@code Refused}. Add a {@link #reference} to tell a repetition
   * from a competitor.
   */
  public ConditionalUpdate transition(String column, Object from, Object to) {
    return doing(Transition.of(column, from, to));
  }

  /** A further state that {@link #transition} may come from. */
  public ConditionalUpdate orFrom(Object state) {
    return refined(transition("orFrom(…)").orFrom(state));
  }

  /**
   * For what the {@link #transition} is made, such as the id of a payment: written along with it,
   * never over another one. A row in the new state with the same reference is {@code
   * AlreadyApplied}, with another one or none {@code Refused}.
   */
  public ConditionalUpdate reference(String column, Object value) {
    return refined(transition("reference(…)").reference(column, value));
  }

  /** What else to change. */
  public ConditionalUpdate set(String column, @Nullable Object value) {
    return new ConditionalUpdate(target, condition, changes.with(column, value), version, name);
  }

  /** What else to set to the time of the database. */
  public ConditionalUpdate setNow(String column) {
    return set(column, ColumnValues.NOW);
  }

  /**
   * What else to set to the time of the database and a duration, such as the end of a lease.
   *
   * @param time from -365 to 365,000 days, kept to the microsecond
   */
  public ConditionalUpdate setNowPlus(String column, Duration time) {
    return set(column, new CurrentTimePlus(column, time));
  }

  /**
   * The version of the row, which grows by one with the change. Required wherever a versioned
   * {@link Update} changes the same table: without it the update does not see this change, and
   * overwrites it.
   */
  public ConditionalUpdate version(String column) {
    ColumnValues.requireName(column, "the name of the version column");
    return new ConditionalUpdate(target, condition, changes, column, name);
  }

  /** Known by this name to the conflict rate; by default {@code conditional <table>}. */
  public ConditionalUpdate named(String name) {
    return new ConditionalUpdate(
        target, condition, changes, version, Require.notBlank(name, "the name of a guard"));
  }

  /** Changes the row if it is as it must be. */
  public ConditionalUpdateResult apply(Transaction tx) {
    RowCondition checked = check(tx);
    ConditionalUpdateResult result =
        target.change(tx, statement(tx, checked))
            ? new ConditionalUpdateResult.Applied()
            : whyNot(tx, checked);
    boolean conflict =
        checked.refusalIsConflict() && result instanceof ConditionalUpdateResult.Rejected;
    tx.listener().attempted(GuardKind.CONDITIONAL_CHANGE, name, conflict);
    return result;
  }

  private ConditionalUpdateResult whyNot(Transaction tx, RowCondition checked) {
    SqlBuilder select = new SqlBuilder(tx.dialect()).add("SELECT *, CASE WHEN ");
    checked.writeDone(select);
    select.add(" THEN 1 ELSE 0 END AS ").name(DONE);
    Optional<Row> current = target.current(tx, select);
    if (current.isEmpty()) {
      return new ConditionalUpdateResult.NotFound();
    }
    Row row = current.get().without(DONE);
    return current.get().number(DONE) == 1
        ? new ConditionalUpdateResult.AlreadyApplied(row)
        : new ConditionalUpdateResult.Rejected(row);
  }

  private RowCondition check(Transaction tx) {
    Require.notNull(tx, "tx");
    target.requireKey();
    RowCondition given = condition;
    if (given == null) {
      throw new InvalidArgumentException(
          "a conditional change of "
              + target
              + " must say what to do, with decrease(…), increase(…), markOnce(…) or transition(…)");
    }
    tx.requireWritable(() -> "a conditional change of " + target);
    given.check(tx, target.table());
    return given;
  }

  private SqlBuilder statement(Transaction tx, RowCondition checked) {
    SqlBuilder sql = target.update(tx);
    checked.writeChange(sql);
    if (!changes.isEmpty()) {
      changes.writeAssignments(sql.add(", "));
    }
    if (version != null) {
      sql.add(", ").name(version).add(" = ").name(version).add(" + 1");
    }
    target.writeWhere(sql);
    checked.writeCheck(sql.add(" AND "));
    return sql;
  }

  private ConditionalUpdate doing(RowCondition given) {
    Require.that(
        condition == null,
        () ->
            "a conditional change of "
                + target
                + " must do one thing, was "
                + condition
                + " and "
                + given);
    return refined(given);
  }

  private ConditionalUpdate refined(RowCondition given) {
    return new ConditionalUpdate(target, given, changes, version, name);
  }

  private ConditionalUpdate limit(String call, boolean grows, BigDecimal limit) {
    if (condition instanceof AmountChange amount && amount.grows() == grows) {
      return refined(amount.limit(limit));
    }
    throw new InvalidArgumentException(
        call + " must come after " + (grows ? "increase(…)" : "decrease(…)"));
  }

  private Transition transition(String call) {
    if (condition instanceof Transition transition) {
      return transition;
    }
    throw new InvalidArgumentException(call + " must come after transition(…)");
  }
}
