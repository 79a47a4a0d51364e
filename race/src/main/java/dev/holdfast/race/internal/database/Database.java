package dev.holdfast.race.internal.database;

import dev.holdfast.race.internal.model.TableContent;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A database as the race finder needs it. It has one connection of its own, which no actor uses. Of
 * its tables nothing is known before {@link #remember}. Used by one thread, but for {@link #enter}
 * and {@link #leave}, which the actors call.
 */
public interface Database extends AutoCloseable {

  /** Its name and version, and settings that decide about races: {@code PostgreSQL 18.6}. */
  String title();

  /** The name alone, such as {@code PostgreSQL}. */
  String product();

  /** The isolation level that its connections come with, as {@link Connection} numbers them. */
  int usualLevel();

  /**
   * Prepares a connection for an actor: its settings for a race (deadlocks found at once, nothing
   * made durable), and its session.
   *
   * @return the id of its session
   */
  long enter(Connection raw) throws SQLException;

  /** Puts the settings back. No transaction is open. */
  void leave(Connection raw) throws SQLException;

  /**
   * The current waits between these sessions.
   *
   * @return for each of them that waits, those it waits for, of whom some may be others; empty if
   *     it waits for an unknown session
   */
  Map<Long, Set<Long>> waits(Set<Long> sessions) throws SQLException;

  /**
   * Whether {@link #waits} can be called. If not, a session without a response is presumed to wait.
   */
  boolean reportsWaits();

  /** Why waits cannot be read, and what to grant; empty if they can. */
  String whyNoWaits();

  /** What a session that is no actor's does, for a message. */
  String describe(long session) throws SQLException;

  /**
   * Remembers what is in all tables, to put it back before each run; and has generated ids begin
   * where no other number is (see {@link #isGenerated}).
   *
   * @throws SQLException with a message for people if a table is too large for that
   */
  void remember() throws SQLException;

  /** Puts back what was remembered, in the tables that were possibly changed. */
  void reset(Set<String> tables) throws SQLException;

  /**
   * From now on rows are put back into the same places, so that a query without an order finds them
   * in the same one; this takes longer.
   *
   * @return false if that is not to be had, or is so anyway
   */
  boolean keepPlaces() throws SQLException;

  /**
   * Puts back all that was remembered, and empties the tables that were made since. Those that were
   * too large to be remembered are left as they are.
   */
  void resetAll() throws SQLException;

  /** What is in these tables. */
  List<TableContent> read(Set<String> tables) throws SQLException;

  /** All tables there are, but for those that tools of migration keep. */
  Set<String> tables();

  /** The names, in small letters, of all schemas but that of the connection. */
  Set<String> otherSchemas() throws SQLException;

  /** Those of them that had few rows when they were remembered. */
  Set<String> smallTables();

  /**
   * The tables that this statement can possibly change or, if {@code write} is false, name: those
   * that its text mentions and what hangs on them by triggers, cascades, views and functions; all
   * of them if that is unknown.
   */
  Set<String> touched(String sql, boolean write);

  /** Whether this number can only be an id that the database has made since {@link #remember}. */
  boolean isGenerated(long number);

  /**
   * Whether the result of this statement depends on what others have done and not committed, other
   * than by waiting for them: SKIP LOCKED, NOWAIT, advisory locks, functions that may do so.
   */
  boolean seesUncommitted(String sql);

  /** The connection of its own, in autocommit mode, for invariants. */
  Connection control();

  @Override
  void close();
}
