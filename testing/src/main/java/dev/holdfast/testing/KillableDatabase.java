package dev.holdfast.testing;

/**
 * A durable database server of one test, which the test may kill and start again, on the same port
 * and with the same data. What was committed is there again, as after a crash of the server's
 * process in production.
 *
 * <p>It is always an embedded one, never a server that was given. Closing it kills it. For one
 * thread.
 */
public final class KillableDatabase implements AutoCloseable {
  private final ServerFolder folder;
  private final TestDatabase database;

  private KillableDatabase(ServerFolder folder, TestDatabase database) {
    this.folder = folder;
    this.database = database;
  }

  /** PostgreSQL, with {@code fsync} and {@code synchronous_commit} on. */
  public static KillableDatabase postgreSql() {
    Selection.require("postgresql");
    ServerFolder folder = PostgreSqlServer.newFolder();
    ServerAddress address = PostgreSqlServer.start(folder, PostgreSqlServer.DURABLE);
    return new KillableDatabase(folder, new TestDatabase(Engine.POSTGRESQL, () -> address));
  }

  /** MariaDB, with its log flushed at each commit. */
  public static KillableDatabase mariaDb() {
    Selection.require("mariadb");
    ServerFolder folder = MariaDbServer.newFolder();
    ServerAddress address = MariaDbServer.start(folder, MariaDbServer.DURABLE);
    return new KillableDatabase(folder, new TestDatabase(Engine.MARIADB, () -> address));
  }

  /** Where schemas are made. */
  public TestDatabase database() {
    return database;
  }

  /** Kills the server as {@code kill -9} does. */
  public void kill() {
    folder.killServer();
  }

  /** Starts the server again, and returns when it is ready. */
  public void restart() {
    folder.serveAgain();
  }

  @Override
  public void close() {
    kill();
  }
}
