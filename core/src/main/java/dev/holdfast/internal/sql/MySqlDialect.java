package dev.holdfast.internal.sql;

import dev.holdfast.transaction.Isolation;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** MariaDB from 10.6 on and MySQL from 8.0 on: one SQL, a few differences. */
public final class MySqlDialect extends Dialect {
  private static final int MAX_NAME_LENGTH = 64;

  private final SqlIdentifiers names =
      new SqlIdentifiers('`', SqlIdentifiers.Folding.NONE, MAX_NAME_LENGTH);

  private final boolean mariaDb;
  private final IndexLookup keyIndexes;

  public MySqlDialect(String product, boolean mariaDb) {
    super(product);
    this.mariaDb = mariaDb;
    this.keyIndexes = new IndexLookup(mariaDb);
  }

  @Override
  public <T> T choose(
      Supplier<? extends T> postgreSql, Supplier<? extends T> mySql, Supplier<? extends T> h2) {
    return mySql.get();
  }

  /** The columns have no zone, and the zones of sessions may differ. */
  @Override
  public String storedNow() {
    return "UTC_TIMESTAMP(6)";
  }

  @Override
  public String storedNowMinusMicroseconds() {
    return "UTC_TIMESTAMP(6) - INTERVAL ? MICROSECOND";
  }

  @Override
  public Object storedTime(Instant time) {
    return LocalDateTime.ofInstant(time, ZoneOffset.UTC);
  }

  @Override
  public @Nullable Instant storedTime(ResultSet row, int index) throws SQLException {
    LocalDateTime time = row.getObject(index, LocalDateTime.class);
    return time == null ? null : time.toInstant(ZoneOffset.UTC);
  }

  @Override
  public String family() {
    return "mysql";
  }

  @Override
  public String scriptFamily() {
    return mariaDb ? "mariadb" : "mysql";
  }

  @Override
  public String quote(@Nullable String name) {
    return names.quote(name);
  }

  @Override
  public String now() {
    return "CURRENT_TIMESTAMP(6)";
  }

  @Override
  public String nowMinusMicroseconds() {
    return "(CURRENT_TIMESTAMP(6) - INTERVAL ? MICROSECOND)";
  }

  @Override
  public String nowPlusMicroseconds() {
    return "(CURRENT_TIMESTAMP(6) + INTERVAL ? MICROSECOND)";
  }

  @Override
  public boolean changesInsideQuery() {
    return false;
  }

  @Override
  public String isSame(String left, String right) {
    return left + " <=> " + right;
  }

  @Override
  public String isSameText(String left, String right) {
    // '=' ignores case, accents and trailing spaces; bytes compare only within one character set
    return bytes(left) + " = " + bytes(right);
  }

  private static String bytes(String text) {
    return "CAST(CONVERT(" + text + " USING utf8mb4) AS BINARY)";
  }

  @Override
  public boolean insertReturnsRow() {
    return mariaDb;
  }

  @Override
  public boolean updateReturnsRow() {
    return false;
  }

  @Override
  public boolean assignsRow() {
    return false;
  }

  @Override
  public String returning(String change, String columns) {
    return change + " RETURNING " + columns;
  }

  @Override
  public String unlessExists(String key, String column) {
    // an update that changes nothing: a plain insert would lock an existing row for reading
    return " ON DUPLICATE KEY UPDATE " + column + " = " + column;
  }

  @Override
  public boolean insertsUnlessConflict() {
    // INSERT IGNORE would also swallow truncated values and missing parents
    return false;
  }

  @Override
  public boolean locksGaps() {
    return true;
  }

  @Override
  public boolean failureAbortsTransaction() {
    return false;
  }

  @Override
  public String currentSchema() {
    return "DATABASE()";
  }

  @Override
  public boolean ddlIsTransactional() {
    return false;
  }

  @Override
  public String currentRead(Isolation isolation) {
    // UPDATE works on the latest row, a plain SELECT on the snapshot: only a locking read agrees
    return isolation == Isolation.READ_COMMITTED ? "" : " LOCK IN SHARE MODE";
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
    return " FOR UPDATE" + wait.suffix();
  }

  @Override
  public String searchedBy(Connection connection, String table, String column) throws SQLException {
    // InnoDB locks rows as it scans them, before it sorts them: only the index gives the order
    return keyIndexes.force(connection, quote(table), quote(column));
  }

  @Override
  public void requireTransactional(Connection connection, String table) throws SQLException {
    TableEngineCheck.requireTransactional(connection, quote(table));
  }

  @Override
  public int maxInList() {
    // from 1000 on, MariaDB joins with the list instead, and locks in the order of the list
    return 500;
  }

  @Override
  public void bind(PreparedStatement statement, int index, @Nullable Object value)
      throws SQLException {
    if (value instanceof Enum<?> constant) {
      statement.setString(index, constant.name());
    } else if (value instanceof UUID) {
      statement.setString(index, value.toString());
    } else if (value instanceof Instant instant) {
      statement.setTimestamp(index, Timestamp.from(instant));
    } else {
      statement.setObject(index, value);
    }
  }

  @Override
  public SessionSettings settings() {
    return new MySqlSessionSettings(mariaDb);
  }
}
