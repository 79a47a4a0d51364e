package dev.holdfast.internal.sql;

import dev.holdfast.schema.Migrations;
import dev.holdfast.transaction.DatabaseException;
import dev.holdfast.transaction.Isolation;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a database can do and how it wants to be asked.
 *
 * <p>Detected from a connection: MariaDB is not MySQL, and H2 is H2 in whatever mode it imitates
 * another. Code asks for a capability, never for the database. Immutable and thread-safe.
 */
public abstract sealed class Dialect permits PostgreSqlDialect, MySqlDialect, H2Dialect {
  private final String product;

  Dialect(String product) {
    this.product = product;
  }

  /**
   * The dialect of the database behind {@code connection}. Costs one statement the first time that
   * a JDBC URL is seen and, on MariaDB and MySQL, one for each physical connection, whose {@code
   * sql_mode} must be strict; nothing after that.
   *
   * @throws DatabaseException where the database, or its version, is not supported
   */
  public static Dialect of(Connection connection) {
    return DialectDetector.of(connection);
  }

  /** The database by name and version, such as {@code PostgreSQL 18.6}. */
  public final String product() {
    return product;
  }

  @Override
  public final String toString() {
    return product;
  }

  /**
   * The folder name of this dialect's migrations: {@code postgresql}, {@code mysql} or {@code h2}.
   */
  public abstract String family();

  /** What {@link Migrations#script} calls this database. */
  public String scriptFamily() {
    return family();
  }

  /** What this database needs, of something that differs as a whole, such as a store. */
  public abstract <T> T choose(
      Supplier<? extends T> postgreSql, Supplier<? extends T> mySql, Supplier<? extends T> h2);

  /**
   * Checks a name given by a user and quotes it. A plain name means what it means in SQL; one in
   * quotes keeps its case; dots separate schema and table.
   *
   * @throws dev.holdfast.InvalidArgumentException where it is anything else than a name
   */
  public abstract String quote(@Nullable String name);

  /**
   * The clock of the database at the start of the running statement; on H2, of the first statement
   * in its transaction that asked for it.
   */
  public abstract String now();

  /** That clock less a number of microseconds, which is the one parameter in this text. */
  public abstract String nowMinusMicroseconds();

  /** That clock and a number of microseconds, which is the one parameter in this text. */
  public abstract String nowPlusMicroseconds();

  /** The clock as the columns of our tables have it: in UTC if they have no zone. */
  public String storedNow() {
    return now();
  }

  /** As {@link #nowMinusMicroseconds}, with {@link #storedNow}. */
  public String storedNowMinusMicroseconds() {
    return nowMinusMicroseconds();
  }

  /** A time as a parameter of a statement about our tables. */
  public Object storedTime(Instant time) {
    return time.atOffset(ZoneOffset.UTC);
  }

  /** The time in a column of our tables; null if it is null. */
  public @Nullable Instant storedTime(ResultSet row, int index) throws SQLException {
    OffsetDateTime time = row.getObject(index, OffsetDateTime.class);
    return time == null ? null : time.toInstant();
  }

  /** Whether a query can change rows, with {@code WITH … AS (UPDATE … RETURNING …)}. */
  public abstract boolean changesInsideQuery();

  /** The condition that two values are equal or both null. */
  public abstract String isSame(String left, String right);

  /**
   * The condition that two texts are equal in every character, whatever the collation. Types that
   * ignore case by themselves, such as {@code citext}, still do.
   */
  public abstract String isSameText(String left, String right);

  /** Whether {@code INSERT} can give back the row that it made. */
  public abstract boolean insertReturnsRow();

  /** Whether {@code UPDATE} can give back the row that it changed. */
  public abstract boolean updateReturnsRow();

  /** Whether {@code UPDATE} can set several columns from one subquery. */
  public abstract boolean assignsRow();

  /** Turns an {@code INSERT} or {@code UPDATE} into a statement that answers with the new rows. */
  public abstract String returning(String change, String columns);

  /** Whether {@code INSERT} can stand aside for a row that is there, without failing. */
  public abstract boolean insertsUnlessConflict();

  /**
   * The end of an {@code INSERT} that does nothing if a row with this key exists. Empty if there is
   * no such clause: then the statement fails with a unique violation, and the transaction
   * continues.
   *
   * @param key the columns of the key
   * @param column any other column
   */
  public String unlessExists(String key, String column) {
    return "";
  }

  /**
   * Whether transactions, unless they are READ COMMITTED, also lock the gaps between the rows that
   * they lock, so that others cannot insert there.
   */
  public boolean locksGaps() {
    return false;
  }

  /** Whether one failed statement leaves the transaction unusable. */
  public abstract boolean failureAbortsTransaction();

  /** The schema that a name without one means; null where there is none. */
  public abstract String currentSchema();

  /** Whether DDL takes part in transactions. */
  public abstract boolean ddlIsTransactional();

  /**
   * The end of a {@code SELECT} that must see what is committed now, even where the snapshot of the
   * transaction is older.
   */
  public abstract String currentRead(Isolation isolation);

  /** Whether READ UNCOMMITTED is what it says. */
  public boolean readsUncommitted() {
    return true;
  }

  /**
   * Whether reading with an outdated snapshot, after a row was locked, either fails or can be made
   * to see what is committed now with {@link #currentRead}.
   */
  public abstract boolean noticesStaleSnapshot();

  /** The end of a {@code SELECT} that wants no more than this many rows. */
  public abstract String limit(int rows);

  /** The end of a {@code SELECT} that locks its rows against changes until the transaction ends. */
  public abstract String lockForUpdate(LockWait wait);

  /** As {@link #lockForUpdate}, for rows that are going to be deleted or to get another key. */
  public String lockForDeletion(LockWait wait) {
    return " FOR UPDATE" + wait.suffix();
  }

  /**
   * What follows a table whose rows get locked by the values of {@code column}, so that the
   * database searches by the index of that column: it locks the rows in its order, and no others.
   * May ask the database, once in a while.
   *
   * @throws dev.holdfast.InvalidArgumentException where there is no such index and it is needed
   */
  public String searchedBy(Connection connection, String table, String column) throws SQLException {
    return "";
  }

  /**
   * Refuses a table that neither locks rows nor rolls back. May ask the database.
   *
   * @throws dev.holdfast.InvalidArgumentException where it is of such a kind
   */
  public void requireTransactional(Connection connection, String table) throws SQLException {}

  /** How many values may stand after {@code IN} without the database leaving that index. */
  public int maxInList() {
    return Integer.MAX_VALUE;
  }

  /** Binds a value of a user to a parameter, in the form that the driver and the column accept. */
  public abstract void bind(PreparedStatement statement, int index, @Nullable Object value)
      throws SQLException;

  /** The settings of a transaction, in this database's words. */
  public abstract SessionSettings settings();
}
