package dev.holdfast.guard;

import dev.holdfast.HoldfastException;
import dev.holdfast.internal.Require;
import dev.holdfast.internal.sql.Dialect;
import dev.holdfast.internal.sql.SqlBuilder;
import dev.holdfast.transaction.GuardKind;
import dev.holdfast.transaction.Row;
import dev.holdfast.transaction.SqlError;
import dev.holdfast.transaction.Transaction;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A creation: makes a row unless there is one of that key, and answers with the row either way.
 *
 * <pre>{@code
 * CreateResult result = CreateIfAbsent.table("accounts").key("email", email).set("name", name)
 *     .setNow("created_at").apply(tx);
 * }</pre>
 *
 * <p>Guarantee: of all who create the same key exactly one is {@code Created}; the others wait
 * until its transaction has ended and are {@code Existed}, or, where it was rolled back, the next
 * is {@code Created}. The transaction stays usable. A unique constraint on exactly the columns of
 * the key decides; without one nothing is created and the error says so (looked up once per table
 * and database). A value of the key that the column changes on its way in, such as by rounding, is
 * refused too. Defaults and generated values are in the row. What the others have set is dropped.
 *
 * <p>Not guaranteed: that no number of a sequence is lost. From REPEATABLE READ on, PostgreSQL and
 * H2 answer a row that is newer than the transaction with a retryable error. On MariaDB and MySQL,
 * when a creation is rolled back for which several wait, or when several create a key whose row was
 * deleted a moment ago, some of them may be the victim of a deadlock, which is retryable too. A
 * duplicate in another unique constraint of the table is {@link SqlError#UNIQUE_VIOLATION}.
 *
 * <p>To the conflict rate a row that exists is no conflict; one that appears and vanishes is.
 *
 * <p>Joins the given transaction. Immutable and thread-safe.
 */
public final class CreateIfAbsent {
  /** How often a row may be there for the insert and be gone for the read. */
  private static final int MAX_ATTEMPTS = 5;

  private static final String FOUND = "holdfast_found";

  private final RowReference target;
  private final ColumnValues others;
  private final String name;

  private CreateIfAbsent(RowReference target, ColumnValues others, String name) {
    this.target = target;
    this.others = others;
    this.name = name;
    for (String column : target.key().names()) {
      Require.that(
          !others.contains(column),
          () ->
              "'"
                  + column
                  + "' must be in the key or be set, was both, in '"
                  + target.table()
                  + "'");
    }
  }

  public static CreateIfAbsent table(String table) {
    return new CreateIfAbsent(RowReference.table(table), ColumnValues.NONE, "create " + table);
  }

  /**
   * What there may be one row of: a column of its unique constraint. Repeat for further columns.
   */
  public CreateIfAbsent key(String column, Object value) {
    return new CreateIfAbsent(target.where(column, value), others, name);
  }

  /** What else the new row has. */
  public CreateIfAbsent set(String column, @Nullable Object value) {
    return new CreateIfAbsent(target, others.with(column, value), name);
  }

  /** What the new row has as the time of the database. */
  public CreateIfAbsent setNow(String column) {
    return set(column, ColumnValues.NOW);
  }

  /**
   * What the new row has as the time of the database and a duration, such as the end of a lease.
   *
   * @param time from -365 to 365,000 days, kept to the microsecond
   */
  public CreateIfAbsent setNowPlus(String column, Duration time) {
    return set(column, new CurrentTimePlus(column, time));
  }

  /** Known by this name to the conflict rate; by default {@code create <table>}. */
  public CreateIfAbsent named(String name) {
    return new CreateIfAbsent(target, others, Require.notBlank(name, "the name of a guard"));
  }

  /** Creates the row, or finds the one that is there. */
  public CreateResult apply(Transaction tx) {
    check(tx);
    SQLException refusal = null;
    for (int attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      if (attempt > 1) {
        tx.listener().attempted(GuardKind.CREATE_ONCE, name, true);
        tx.listener().retrying(GuardKind.CREATE_ONCE, name);
      }
      try {
        Optional<Row> created = insert(tx, attempt);
        if (created.isPresent()) {
          tx.listener().attempted(GuardKind.CREATE_ONCE, name, false);
          return new CreateResult.Created(created.get());
        }
      } catch (SQLException e) {
        refusal = duplicate(tx, e);
      }
      Optional<Row> existing = target.current(tx);
      if (existing.isPresent()) {
        tx.listener().attempted(GuardKind.CREATE_ONCE, name, false);
        return new CreateResult.AlreadyExists(existing.get());
      }
    }
    throw neitherCreatedNorThere(tx, refusal);
  }

  private void check(Transaction tx) {
    Require.notNull(tx, "tx");
    Require.that(
        !target.key().isEmpty(),
        () -> "the row of '" + target.table() + "' must have a key(column, value), had none");
    tx.requireWritable(() -> "creating " + target);
    UniqueConstraintCheck.require(tx, target);
  }

  /** Empty where a row of that key is there. */
  private Optional<Row> insert(Transaction tx, int attempt) throws SQLException {
    Dialect dialect = tx.dialect();
    SqlBuilder sql = statement(dialect, attempt);
    if (dialect.insertReturnsRow()) {
      List<Row> rows = sql.returning(rowAndWhetherFound(dialect)).tryRows(tx);
      return rows.isEmpty() ? Optional.empty() : Optional.of(found(tx, rows.get(0)));
    }
    sql.tryUpdate(tx);
    Optional<Row> row = target.current(tx);
    if (row.isEmpty()) {
      throw rolledBack(tx, GuardException.createdRowNotFound(target));
    }
    return row;
  }

  /**
   * A key may be changed on its way in: rounded, or, as 0 is by AUTO_INCREMENT, replaced. Whoever
   * asks for it again would not find the row.
   */
  private SqlBuilder rowAndWhetherFound(Dialect dialect) {
    SqlBuilder columns = new SqlBuilder(dialect).add("*, CASE WHEN ");
    target.key().writeConditions(columns);
    return columns.add(" THEN 1 ELSE 0 END AS " + FOUND);
  }

  private Row found(Transaction tx, Row created) {
    if (created.number(FOUND) != 1) {
      throw rolledBack(tx, GuardException.createdRowNotFound(target));
    }
    return created.without(FOUND);
  }

  private SqlBuilder statement(Dialect dialect, int attempt) {
    Map<String, @Nullable Object> all = new LinkedHashMap<>(target.key().values());
    all.putAll(others.values());
    SqlBuilder sql = new SqlBuilder(dialect).add("INSERT INTO ").name(target.table());
    sql.add(" (").names(all.keySet()).add(") VALUES (");
    String comma = "";
    for (@Nullable Object value : all.values()) {
      ColumnValues.writeValue(sql.add(comma), value);
      comma = ", ";
    }
    sql.add(")");
    if (dialect.insertsUnlessConflict()) {
      writeUnlessConflict(sql, attempt);
    }
    return sql;
  }

  /**
   * On any conflict: of two who agree in the key and in another unique column, such as an id of
   * their own, one could otherwise fail on that column before it sees the other's key. Only the
   * last attempt lets another constraint fail, so that the error tells which.
   */
  private void writeUnlessConflict(SqlBuilder sql, int attempt) {
    sql.add(" ON CONFLICT ");
    if (attempt == MAX_ATTEMPTS) {
      sql.add("(").names(target.key().names()).add(") ");
    }
    sql.add("DO NOTHING");
  }

  /** The failure of an insert that may mean that the row is there; any other is thrown. */
  private SQLException duplicate(Transaction tx, SQLException failure) {
    if (SqlError.of(failure) != SqlError.UNIQUE_VIOLATION) {
      throw SqlBuilder.failed(tx, "creating " + target, failure);
    }
    if (tx.dialect().failureAbortsTransaction()) {
      throw otherConstraint(tx, failure);
    }
    return failure;
  }

  private HoldfastException neitherCreatedNorThere(Transaction tx, @Nullable SQLException refusal) {
    // H2: a row that is newer than the snapshot is a duplicate and yet cannot be read
    boolean blind =
        tx.isolation().keepsSnapshot() && tx.dialect().currentRead(tx.isolation()).isEmpty();
    if (refusal != null && !blind) {
      return otherConstraint(tx, refusal);
    }
    HoldfastException failure =
        new OptimisticLockException(
            target,
            0,
            null,
            true,
            "the row "
                + target
                + " must be created or be there, was neither "
                + MAX_ATTEMPTS
                + " times: it appears and vanishes, or is newer than the snapshot of this"
                + " transaction");
    if (refusal != null) {
      failure.addSuppressed(refusal);
    }
    return rolledBack(tx, failure);
  }

  private HoldfastException otherConstraint(Transaction tx, SQLException refusal) {
    return SqlBuilder.failed(
        tx,
        "creating "
            + target
            + ", whose key is free while another unique constraint is violated (if that one"
            + " identifies the row, make its columns the key),",
        refusal);
  }

  private static HoldfastException rolledBack(Transaction tx, HoldfastException failure) {
    tx.setRollbackOnly(failure);
    return failure;
  }
}
