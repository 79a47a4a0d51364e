package dev.holdfast.race.internal.jdbc;

import dev.holdfast.race.internal.database.Database;
import dev.holdfast.transaction.Isolation;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A real connection while an actor has it: prepared for a race, and restored before it is closed.
 */
final class PreparedConnection {
  private static final String ROLLBACK = "ROLLBACK";
  private static final Pattern LEVEL =
      Pattern.compile(
          "(?i)\\bisolation\\s+level\\s+"
              + "(read\\s+uncommitted|read\\s+committed|repeatable\\s+read|serializable|snapshot)");

  private final Connection raw;
  private final Eviction eviction;
  private final Database database;
  private final @Nullable Isolation forced;
  private final boolean autoCommitBefore;
  private final long session;
  private @Nullable Integer levelBefore;

  private PreparedConnection(
      Connection raw,
      Eviction eviction,
      Database database,
      @Nullable Isolation isolation,
      boolean forced)
      throws SQLException {
    this.raw = raw;
    this.eviction = eviction;
    this.database = database;
    this.forced = forced ? isolation : null;
    this.autoCommitBefore = raw.getAutoCommit();
    // settings that are made in a transaction may end with it
    setAutoCommit(true);
    this.session = database.enter(raw);
    if (isolation != null) {
      changeLevel(jdbcLevel(isolation));
    }
    setAutoCommit(autoCommitBefore);
  }

  /**
   * Prepares a connection; gives it back if that fails.
   *
   * @param forced whether the code must not choose another level
   */
  static PreparedConnection take(
      Connection raw,
      Eviction eviction,
      Database database,
      @Nullable Isolation isolation,
      boolean forced)
      throws SQLException {
    try {
      return new PreparedConnection(raw, eviction, database, isolation, forced);
    } catch (SQLException | RuntimeException | Error e) {
      quietly(raw::close);
      throw e;
    }
  }

  Connection raw() {
    return raw;
  }

  long session() {
    return session;
  }

  boolean autoCommitBefore() {
    return autoCommitBefore;
  }

  /** What the code asks for; ignored if the level is forced. */
  void setLevel(int level) throws SQLException {
    if (forced == null) {
      changeLevel(level);
    }
  }

  /** The text to run, with the level that is forced in the place of the one it asks for. */
  String leveled(String sql) {
    Isolation level = forced;
    Matcher found = LEVEL.matcher(sql);
    return level != null && found.find() && SqlText.of(sql).atOnce()
        ? found.replaceAll("isolation level " + words(level))
        : sql;
  }

  static boolean namesLevel(String sql) {
    return LEVEL.matcher(sql).find();
  }

  /** Rolls back, also a transaction that was begun by a text. */
  void rollBack(boolean byText) throws SQLException {
    if (!byText) {
      raw.rollback();
      return;
    }
    // drivers refuse to roll back while they believe to be in autocommit mode
    try (Statement statement = raw.createStatement()) {
      statement.execute(ROLLBACK);
    }
  }

  void rollBackQuietly(boolean byText) {
    quietly(() -> rollBack(byText));
  }

  void autoCommitQuietly() {
    quietly(() -> setAutoCommit(true));
  }

  /** Gives it back as it was, whatever state it is in. */
  void giveBack(boolean byText) {
    restore(byText);
    quietly(raw::close);
  }

  /** Cuts it off: nothing of its transaction is left when this returns. */
  void cutOff(boolean byText) {
    rollBackQuietly(byText);
    if (eviction.isPossible()) {
      restore(false);
    }
    quietly(() -> raw.abort(Runnable::run));
    if (eviction.of(raw)) {
      return;
    }
    if (!isClosed()) {
      // not every driver aborts
      restore(false);
    }
    quietly(raw::close);
  }

  private boolean isClosed() {
    try {
      return raw.isClosed();
    } catch (SQLException broken) {
      return true;
    }
  }

  private void restore(boolean byText) {
    if (byText) {
      rollBackQuietly(true);
    }
    quietly(
        () -> {
          if (!raw.getAutoCommit()) {
            raw.rollback();
          }
        });
    autoCommitQuietly();
    Integer level = levelBefore;
    if (level != null) {
      quietly(() -> raw.setTransactionIsolation(level));
    }
    quietly(() -> database.leave(raw));
    quietly(() -> setAutoCommit(autoCommitBefore));
  }

  private void setAutoCommit(boolean on) throws SQLException {
    if (raw.getAutoCommit() != on) {
      raw.setAutoCommit(on);
    }
  }

  private void changeLevel(int level) throws SQLException {
    int now = raw.getTransactionIsolation();
    if (now != level) {
      raw.setTransactionIsolation(level);
      levelBefore = levelBefore == null ? Integer.valueOf(now) : levelBefore;
    }
  }

  private static int jdbcLevel(Isolation isolation) {
    return switch (isolation) {
      case READ_UNCOMMITTED -> Connection.TRANSACTION_READ_UNCOMMITTED;
      case READ_COMMITTED -> Connection.TRANSACTION_READ_COMMITTED;
      case REPEATABLE_READ -> Connection.TRANSACTION_REPEATABLE_READ;
      case SERIALIZABLE -> Connection.TRANSACTION_SERIALIZABLE;
    };
  }

  private static String words(Isolation isolation) {
    return isolation.name().replace('_', ' ').toLowerCase(Locale.ROOT);
  }

  private static void quietly(RoundTrip.Silent action) {
    try {
      action.make();
    } catch (SQLException e) {
      // the connection is given up anyway
    }
  }
}
