package dev.holdfast.testing.contract;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.transaction.Isolation;
import dev.holdfast.transaction.SqlError;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Locale;

/** What the contracts ask of a server and do to it, in the words of each database. */
enum ServerProbe {
  POSTGRESQL(
      "select pg_sleep(600)",
      "select pg_backend_pid()",
      "select pg_terminate_backend(%s, 10000)",
      "select count(*) from pg_stat_activity where pid = %s",
      // it is active already while it is bound, and forgets then that it was cancelled
      "select count(*) from pg_stat_activity where pid = %s and wait_event = 'PgSleep'",
      "show statement_timeout",
      "show lock_timeout",
      "select name, setting from pg_settings") {
    @Override
    Isolation isolation(Connection inside, Connection beside) throws SQLException {
      return isolation(Sql.ask(inside, "show transaction_isolation"));
    }
  },

  MARIADB(
      "select count(*) from information_schema.columns a, information_schema.columns b,"
          + " information_schema.columns c",
      "select connection_id()",
      "kill connection %s",
      "select count(*) from information_schema.processlist where id = %s",
      "select count(*) from information_schema.processlist where id = %s and info is not null",
      "select @@session.max_statement_time",
      "select @@session.innodb_lock_wait_timeout",
      // the others change by themselves
      "select variable_name, variable_value from information_schema.session_variables where"
          + " variable_name not in ('TIMESTAMP', 'PSEUDO_THREAD_ID', 'WARNING_COUNT',"
          + " 'ERROR_COUNT', 'LAST_GTID', 'IN_TRANSACTION')") {
    @Override
    Isolation isolation(Connection inside, Connection beside) throws SQLException {
      return isolationSeen(inside, beside);
    }
  },

  MYSQL(
      MARIADB.endless,
      MARIADB.session,
      MARIADB.kill,
      MARIADB.alive,
      MARIADB.running,
      "select @@session.max_execution_time",
      MARIADB.lockTimeout,
      "select variable_name, variable_value from performance_schema.session_variables where"
          + " variable_name not in ('timestamp', 'pseudo_thread_id', 'warning_count',"
          + " 'error_count')") {
    @Override
    Isolation isolation(Connection inside, Connection beside) throws SQLException {
      return isolationSeen(inside, beside);
    }
  },

  H2(
      "select count(*) from system_range(1, 1000000000) a, system_range(1, 1000) b",
      "select session_id()",
      "select abort_session(%s)",
      "select count(*) from information_schema.sessions where session_id = %s",
      "select count(*) from information_schema.sessions where session_id = %s"
          + " and executing_statement is not null",
      "select setting_value from information_schema.settings where setting_name = 'QUERY_TIMEOUT'",
      "select lock_timeout()",
      """
      select setting_name, setting_value from information_schema.settings
      union all select 'LOCK_TIMEOUT', cast(lock_timeout() as varchar)
      union all select 'ISOLATION', isolation_level from information_schema.sessions
       where session_id = session_id()
      """) {
    @Override
    Isolation isolation(Connection inside, Connection beside) throws SQLException {
      return isolation(
          Sql.ask(
              inside,
              "select isolation_level from information_schema.sessions"
                  + " where session_id = session_id()"));
    }
  };

  /** A query that runs for minutes unless it is stopped. */
  final String endless;

  /** Asks for the number of the session. */
  final String session;

  private final String kill;
  private final String alive;
  private final String running;

  /** Asks for the time limit of statements in force. */
  final String statementTimeout;

  /** Asks for the time limit of lock waits in force. */
  final String lockTimeout;

  /** Asks for the names and values of everything that is set in the session. */
  final String settings;

  ServerProbe(
      String endless,
      String session,
      String kill,
      String alive,
      String running,
      String statementTimeout,
      String lockTimeout,
      String settings) {
    this.endless = endless;
    this.session = session;
    this.kill = kill;
    this.alive = alive;
    this.running = running;
    this.statementTimeout = statementTimeout;
    this.lockTimeout = lockTimeout;
    this.settings = settings;
  }

  static ServerProbe of(TestDatabase database) {
    return valueOf(database.name().toUpperCase(Locale.ROOT));
  }

  /** The isolation level that the transaction of {@code inside} really has. */
  abstract Isolation isolation(Connection inside, Connection beside) throws SQLException;

  /** Ends a session from the outside and waits until it is gone. */
  void kill(Connection beside, String victim) throws SQLException {
    Sql.execute(beside, kill.formatted(victim));
    awaitEnd(beside, victim);
  }

  /** Whether a session runs {@link #endless}, so that it can be cancelled. */
  boolean runs(Connection beside, String session) throws SQLException {
    return !Sql.ask(beside, running.formatted(session)).equals("0");
  }

  /** Waits until the server has ended a session. */
  void awaitEnd(Connection beside, String victim) throws SQLException {
    while (!Sql.ask(beside, alive.formatted(victim)).equals("0")) {
      Thread.onSpinWait();
    }
  }

  static Isolation isolation(String level) {
    return Isolation.valueOf(level.toUpperCase(Locale.ROOT).replace(' ', '_'));
  }

  /**
   * The level by what it does, because InnoDB does not tell that of a transaction in time: only
   * SERIALIZABLE locks what it reads, only READ COMMITTED sees what others commit meanwhile.
   */
  static Isolation isolationSeen(Connection inside, Connection beside) throws SQLException {
    Sql.execute(beside, "create table if not exists isolation_probe (n integer)");
    Sql.execute(beside, "insert into isolation_probe values (0)");
    String before = Sql.ask(inside, "select max(n) from isolation_probe");
    try {
      Sql.execute(beside, "select n from isolation_probe for update nowait");
    } catch (SQLException e) {
      if (SqlError.of(e) == SqlError.LOCK_TIMEOUT) {
        return Isolation.SERIALIZABLE;
      }
      throw e;
    }
    Sql.execute(beside, "update isolation_probe set n = n + 1");
    return Sql.ask(inside, "select max(n) from isolation_probe").equals(before)
        ? Isolation.REPEATABLE_READ
        : Isolation.READ_COMMITTED;
  }
}
