package dev.holdfast.testing;

import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

/**
 * A real database server for tests, started at most once per JVM, when the first schema is asked
 * for, and stopped with it.
 *
 * <p>PostgreSQL and MariaDB run as processes of their own on free ports of 127.0.0.1, as root or as
 * an ordinary user, with up to 300 connections, H2 runs in this JVM. When the JVM ends, however it
 * ends, the processes end and their data is removed; only the unpacked programs stay, in {@code
 * ~/.cache/holdfast-testing} or, for root, in the temporary folder, or in the folder given as the
 * system property {@code holdfast.test.cache}.
 *
 * <p>Servers, drivers and the pool are optional dependencies, which the tests' own build adds: for
 * PostgreSQL {@code holdfast-embedded}, {@code org.postgresql:postgresql} and {@code
 * com.zaxxer:HikariCP}. An error names what is missing.
 *
 * <p>To run tests on another server, give its URL as the system property {@code
 * holdfast.test.postgresql.url} or the environment variable {@code HOLDFAST_TEST_POSTGRESQL_URL},
 * and if need be {@code ...user} and {@code ...password}; likewise with {@code mariadb}, {@code
 * mysql} and {@code h2}. The user must be allowed to create schemas (in MariaDB and MySQL:
 * databases); each test has its own, and nothing else is touched.
 *
 * <p>The system property {@code holdfast.test.databases} names those that are used, such as {@code
 * postgresql,h2}; JUnit reports tests on the others as skipped. Without it, all are used.
 *
 * <p>Thread-safe.
 */
public final class TestDatabase {

  private static final TestDatabase POSTGRESQL =
      new TestDatabase(
          Engine.POSTGRESQL,
          () -> givenOr("postgresql", () -> PostgreSqlServer.start(PostgreSqlServer.FAST)));
  private static final TestDatabase DURABLE_POSTGRESQL =
      new TestDatabase(
          Engine.POSTGRESQL,
          () -> givenOr("postgresql", () -> PostgreSqlServer.start(PostgreSqlServer.DURABLE)));
  private static final TestDatabase MARIADB =
      new TestDatabase(Engine.MARIADB, () -> givenOr("mariadb", MariaDbServer::start));
  private static final TestDatabase H2 =
      ServerAddress.given("h2")
          .map(given -> new TestDatabase(Engine.H2, () -> given))
          .orElseGet(
              () ->
                  new TestDatabase(
                      Engine.H2_IN_MEMORY, () -> new ServerAddress("jdbc:h2:mem:", "", "")));

  private final Engine engine;
  private final Supplier<ServerAddress> start;
  private @Nullable ServerAddress address;

  TestDatabase(Engine engine, Supplier<ServerAddress> start) {
    this.engine = engine;
    this.start = start;
  }

  /** PostgreSQL, with durability switched off for speed. */
  public static TestDatabase postgreSql() {
    Selection.require("postgresql");
    return POSTGRESQL;
  }

  /**
   * PostgreSQL as durable as in production, for measuring: {@code fsync}, {@code
   * synchronous_commit} and {@code full_page_writes} are on. It is another server than {@link
   * #postgreSql()}. Its data is in {@code java.io.tmpdir}, which should then be on a disk and not
   * in memory.
   */
  public static TestDatabase durablePostgreSql() {
    Selection.require("postgresql");
    return DURABLE_POSTGRESQL;
  }

  /** MariaDB, with durability switched off for speed. */
  public static TestDatabase mariaDb() {
    Selection.require("mariadb");
    return MARIADB;
  }

  /**
   * The MySQL server that was given. Its URL may begin with {@code jdbc:mariadb:}; one that begins
   * with {@code jdbc:mysql:} needs MySQL's own driver on the class path.
   *
   * @throws org.opentest4j.TestAbortedException if none was given: there is no embedded one, and
   *     JUnit reports the test as skipped
   */
  public static TestDatabase mySql() {
    return ServerAddress.given("mysql")
        .map(
            given -> {
              Selection.require("mysql");
              return new TestDatabase(Engine.MYSQL, () -> given);
            })
        .orElseGet(
            () ->
                Assumptions.abort(
                    "There is no embedded MySQL: " + ServerAddress.howToGive("mysql")));
  }

  /** H2 in this JVM, in its default mode. */
  public static TestDatabase h2() {
    Selection.require("h2");
    return H2;
  }

  /** What the database calls itself: PostgreSQL, MariaDB, MySQL, H2. */
  public String name() {
    return engine.name();
  }

  /** Makes an empty schema, and starts the server if it does not run yet. */
  public TestSchema newSchema() {
    String schema = "test_" + UUID.randomUUID().toString().replace("-", "");
    return TestSchema.create(engine, address(), schema);
  }

  private synchronized ServerAddress address() {
    if (address == null) {
      address = start.get();
    }
    return address;
  }

  private static ServerAddress givenOr(String kind, Supplier<ServerAddress> start) {
    return ServerAddress.given(kind).orElseGet(start);
  }

  @Override
  public String toString() {
    return name();
  }
}
