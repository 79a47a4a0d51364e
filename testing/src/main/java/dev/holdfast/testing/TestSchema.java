package dev.holdfast.testing;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * An empty schema that belongs to one test, on the server of a {@link TestDatabase}; closing it
 * closes its pools and drops it with everything in it.
 *
 * <p>Its helpers each use a connection and a transaction of their own. Thread-safe.
 */
public final class TestSchema implements AutoCloseable {

  private static final int POOL_SIZE = 32;

  private final Engine engine;
  private final String name;
  private final UnpooledDataSource unpooled;
  private final List<HikariDataSource> pools = new ArrayList<>();
  private @Nullable HikariDataSource pool;
  private boolean closed;

  private TestSchema(Engine engine, String name, UnpooledDataSource unpooled) {
    this.engine = engine;
    this.name = name;
    this.unpooled = unpooled;
  }

  static TestSchema create(Engine engine, ServerAddress server, String name) {
    List<String> create = engine.create(name);
    if (!create.isEmpty()) {
      execute(new UnpooledDataSource(server), create);
    }
    ServerAddress address =
        new ServerAddress(engine.schemaUrl(server.url(), name), server.user(), server.password());
    return new TestSchema(engine, name, new UnpooledDataSource(address));
  }

  /** The name of the schema, unique on its server. */
  public String name() {
    return name;
  }

  /** The JDBC URL whose connections see this schema by default. */
  public String url() {
    return unpooled.address().url();
  }

  /** The user for {@link #url()}, empty if it needs none. */
  public String user() {
    return unpooled.address().user();
  }

  /** The password for {@link #url()}, empty if it needs none. */
  public String password() {
    return unpooled.address().password();
  }

  /** The pool of this schema: up to 32 connections, in auto-commit mode, made when first needed. */
  public synchronized DataSource dataSource() {
    if (pool == null) {
      pool = newPool(POOL_SIZE);
    }
    return pool;
  }

  /** A further pool of up to this many connections, a new one for every call. */
  public synchronized DataSource dataSource(int poolSize) {
    return newPool(poolSize);
  }

  /** A data source that opens a new physical connection for every call; the caller closes it. */
  public DataSource unpooled() {
    return unpooled;
  }

  /** Runs these statements in order, each committed by itself. */
  public void execute(String... sql) {
    execute(unpooled, List.of(sql));
  }

  /** The rows of a query, each by its column labels in lower case. */
  public List<Map<String, @Nullable Object>> query(String sql) {
    try (Connection connection = unpooled.getConnection();
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      List<Map<String, @Nullable Object>> rows = new ArrayList<>();
      while (result.next()) {
        rows.add(row(result));
      }
      return rows;
    } catch (SQLException e) {
      throw failed(sql, e);
    }
  }

  /**
   * The number that a query such as {@code select count(*) from orders} answers with.
   *
   * @throws IllegalArgumentException if the answer is not a single number
   */
  public long count(String sql) {
    List<Map<String, @Nullable Object>> rows = query(sql);
    if (rows.size() == 1
        && rows.get(0).size() == 1
        && rows.get(0).values().iterator().next() instanceof Number number) {
      return number.longValue();
    }
    throw new IllegalArgumentException("must answer with one number: " + sql + ", was " + rows);
  }

  /**
   * Closes the pools and drops the schema; a second call does nothing.
   *
   * @throws IllegalStateException if it cannot be dropped, such as when a connection that the test
   *     has left open holds locks in it
   */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    pools.forEach(HikariDataSource::close);
    execute(unpooled, engine.drop(name));
  }

  private HikariDataSource newPool(int size) {
    OptionalDependency.POOL.require("A pool of a test schema", "use unpooled()");
    HikariConfig config = new HikariConfig();
    config.setPoolName(name + "-" + pools.size());
    config.setDataSource(unpooled);
    config.setMaximumPoolSize(size);
    HikariDataSource created = new HikariDataSource(config);
    pools.add(created);
    return created;
  }

  private static void execute(DataSource dataSource, List<String> statements) {
    String current = "";
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        current = sql;
        statement.execute(sql);
      }
    } catch (SQLException e) {
      throw failed(current, e);
    }
  }

  private static Map<String, @Nullable Object> row(ResultSet result) throws SQLException {
    ResultSetMetaData columns = result.getMetaData();
    Map<String, @Nullable Object> row = new LinkedHashMap<>();
    for (int column = 1; column <= columns.getColumnCount(); column++) {
      row.put(columns.getColumnLabel(column).toLowerCase(Locale.ROOT), result.getObject(column));
    }
    return row;
  }

  private static IllegalStateException failed(String sql, SQLException e) {
    return new IllegalStateException("cannot run '" + sql + "': " + e.getMessage(), e);
  }

  @Override
  public String toString() {
    return engine.name() + " " + name;
  }
}
