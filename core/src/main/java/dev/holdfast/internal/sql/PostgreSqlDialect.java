package dev.holdfast.internal.sql;

import dev.holdfast.transaction.Isolation;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** PostgreSQL, from version 14 on. */
public final class PostgreSqlDialect extends Dialect {
  static final int OLDEST_MAJOR = 14;
  private static final int MAX_NAME_LENGTH = 63;
  private static final SessionSettings SETTINGS = new PostgreSqlSessionSettings();

  private final SqlIdentifiers names =
      new SqlIdentifiers('"', SqlIdentifiers.Folding.LOWER, MAX_NAME_LENGTH, true);

  public PostgreSqlDialect(String product) {
    super(product);
  }

  @Override
  public <T> T choose(
      Supplier<? extends T> postgreSql, Supplier<? extends T> mySql, Supplier<? extends T> h2) {
    return postgreSql.get();
  }

  @Override
  public String family() {
    return "postgresql";
  }

  @Override
  public String quote(@Nullable String name) {
    return names.quote(name);
  }

  @Override
  public String now() {
    // now() is frozen at the start of the transaction, clock_timestamp() keeps indexes from being
    // used
    return "statement_timestamp()";
  }

  @Override
  public String nowMinusMicroseconds() {
    return "(statement_timestamp() - ? * interval '1 microsecond')";
  }

  @Override
  public String nowPlusMicroseconds() {
    // numbers times intervals are calculated as floating-point, exact up to 104,000 days of
    // microseconds; in hours and the rest of an hour they always are
    return "(SELECT statement_timestamp() + (t.m / 3600000000) * interval '1 hour' + (t.m %"
        + " 3600000000) * interval '1 microsecond' FROM (SELECT CAST(? AS bigint) AS m) t)";
  }

  @Override
  public boolean changesInsideQuery() {
    return true;
  }

  @Override
  public String isSame(String left, String right) {
    return left + " IS NOT DISTINCT FROM " + right;
  }

  @Override
  public String isSameText(String left, String right) {
    return left + " = " + right;
  }

  @Override
  public boolean insertReturnsRow() {
    return true;
  }

  @Override
  public boolean updateReturnsRow() {
    return true;
  }

  @Override
  public boolean assignsRow() {
    return true;
  }

  @Override
  public String returning(String change, String columns) {
    return change + " RETURNING " + columns;
  }

  @Override
  public String unlessExists(String key, String column) {
    return " ON CONFLICT (" + key + ") DO NOTHING";
  }

  @Override
  public boolean insertsUnlessConflict() {
    return true;
  }

  @Override
  public boolean failureAbortsTransaction() {
    return true;
  }

  @Override
  public String currentSchema() {
    return "current_schema()";
  }

  @Override
  public boolean ddlIsTransactional() {
    return true;
  }

  @Override
  public String currentRead(Isolation isolation) {
    // under REPEATABLE READ a row that has changed fails with 40001 long before it is read again
    return "";
  }

  @Override
  public boolean readsUncommitted() {
    return false;
  }

  @Override
  public boolean noticesStaleSnapshot() {
    return true;
  }

  @Override
  public String limit(int rows) {
    return " LIMIT " + rows;
  }

  @Override
  public String lockForUpdate(LockWait wait) {
    // not FOR UPDATE: that would block, and deadlock with, inserts of rows that refer to this one
    return " FOR NO KEY UPDATE" + wait.suffix();
  }

  @Override
  public void bind(PreparedStatement statement, int index, @Nullable Object value)
      throws SQLException {
    if (value instanceof String || value instanceof UUID) {
      // without a type, so that the server takes that of the column: text, enum, uuid, jsonb …
      statement.setObject(index, value.toString(), Types.OTHER);
    } else if (value instanceof Enum<?> constant) {
      statement.setObject(index, constant.name(), Types.OTHER);
    } else if (value instanceof Instant instant) {
      statement.setObject(index, instant.atOffset(ZoneOffset.UTC));
    } else if (value == null) {
      statement.setNull(index, Types.NULL);
    } else {
      statement.setObject(index, value);
    }
  }

  @Override
  public SessionSettings settings() {
    return SETTINGS;
  }
}
