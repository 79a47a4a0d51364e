package dev.holdfast.internal.sql;

import dev.holdfast.transaction.Isolation;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** H2 from 2.2 on, in its own mode or imitating another database. */
public final class H2Dialect extends Dialect {
  private static final int MAX_NAME_LENGTH = 256;
  private static final SessionSettings SETTINGS = new H2SessionSettings();

  private final SqlIdentifiers names;

  public H2Dialect(String product, SqlIdentifiers.Folding folding) {
    super(product);
    this.names = new SqlIdentifiers('"', folding, MAX_NAME_LENGTH);
  }

  @Override
  public <T> T choose(
      Supplier<? extends T> postgreSql, Supplier<? extends T> mySql, Supplier<? extends T> h2) {
    return h2.get();
  }

  @Override
  public String family() {
    return "h2";
  }

  @Override
  public String quote(@Nullable String name) {
    return names.quote(name);
  }

  @Override
  public String now() {
    return "CURRENT_TIMESTAMP";
  }

  @Override
  public String nowMinusMicroseconds() {
    return "DATEADD(MICROSECOND, -?, CURRENT_TIMESTAMP)";
  }

  @Override
  public String nowPlusMicroseconds() {
    // DATEADD counts in nanoseconds, which silently overflow after 292 years
    return "(CURRENT_TIMESTAMP + CAST(? AS BIGINT) * INTERVAL '0.000001' SECOND)";
  }

  @Override
  public boolean changesInsideQuery() {
    return false;
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
    return "SELECT " + columns + " FROM FINAL TABLE (" + change + ")";
  }

  @Override
  public boolean insertsUnlessConflict() {
    return false;
  }

  @Override
  public boolean failureAbortsTransaction() {
    return false;
  }

  @Override
  public String currentSchema() {
    return "CURRENT_SCHEMA";
  }

  @Override
  public boolean ddlIsTransactional() {
    return false;
  }

  @Override
  public String currentRead(Isolation isolation) {
    return "";
  }

  @Override
  public boolean noticesStaleSnapshot() {
    return false;
  }

  @Override
  public String limit(int rows) {
    // in all of its modes, while LIMIT is refused in some
    return " FETCH FIRST " + rows + " ROWS ONLY";
  }

  @Override
  public String lockForUpdate(LockWait wait) {
    return " FOR UPDATE" + wait.suffix();
  }

  @Override
  public void bind(PreparedStatement statement, int index, @Nullable Object value)
      throws SQLException {
    if (value instanceof Enum<?> constant) {
      statement.setString(index, constant.name());
    } else if (value instanceof Instant instant) {
      statement.setObject(index, instant.atOffset(ZoneOffset.UTC));
    } else {
      statement.setObject(index, value);
    }
  }

  @Override
  public SessionSettings settings() {
    return SETTINGS;
  }
}
