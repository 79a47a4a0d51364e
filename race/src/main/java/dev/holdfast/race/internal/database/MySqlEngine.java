package dev.holdfast.race.internal.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** MariaDB 10.6 or newer, or MySQL 8 or newer. */
final class MySqlEngine implements Engine {
  private static final Pattern VERSION = Pattern.compile("\\d+(\\.\\d+)*");

  /**
   * So that what an outsider holds is an error, and not a test that hangs; and that an id of 0 can
   * be put back.
   */
  private static final String SETTINGS =
      """
      SET SESSION innodb_lock_wait_timeout = 10, lock_wait_timeout = 10,
        sql_mode = concat(@@sql_mode, ',NO_AUTO_VALUE_ON_ZERO')
      """;

  private static final String SETTINGS_BACK =
      """
      SET SESSION innodb_lock_wait_timeout = DEFAULT, lock_wait_timeout = DEFAULT, sql_mode = '%s'
      """;

  private final Connection control;
  private final String product;
  private final String title;
  private final String sqlMode;
  private final Sessions sessions;
  private final InnoDbPurge purge;

  MySqlEngine(Connection control, String version) throws SQLException {
    this.control = control;
    product = version.toLowerCase(Locale.ROOT).contains("mariadb") ? "MariaDB" : "MySQL";
    title = product + " " + number(version) + snapshots();
    sqlMode = Query.text(control, "SELECT @@SESSION.sql_mode");
    Query.run(control, SETTINGS);
    if (!isMariaDb()) {
      // otherwise the statistics may be a day old
      Query.run(control, "SET SESSION information_schema_stats_expiry = 0");
    }
    sessions = new MySqlSessions(control, product);
    purge = new InnoDbPurge(control);
  }

  private boolean isMariaDb() {
    return product.equals("MariaDB");
  }

  private static String number(String version) {
    // old servers put this in front, so that replicas of MySQL 5 accept them
    Matcher matcher = VERSION.matcher(version.replaceFirst("^5\\.5\\.5-", ""));
    return matcher.find() ? matcher.group() : version;
  }

  /** With it, a repeatable read refuses to change what others have changed since its snapshot. */
  private String snapshots() throws SQLException {
    List<String> found =
        Query.rows(
            control,
            "SHOW SESSION VARIABLES LIKE 'innodb_snapshot_isolation'",
            row -> " (" + row.getString(1) + "=" + row.getString(2) + ")");
    return String.join("", found);
  }

  @Override
  public String product() {
    return product;
  }

  @Override
  public String title() {
    return title;
  }

  @Override
  public Sessions sessions() {
    return sessions;
  }

  @Override
  public Catalogue catalogue() throws SQLException {
    return MySqlCatalogue.read(control);
  }

  @Override
  public List<Counter> counters() throws SQLException {
    return MySqlCatalogue.counters(control);
  }

  @Override
  public void copy(Map<Table, String> copies) throws SQLException {
    for (Map.Entry<Table, String> copy : copies.entrySet()) {
      Table table = copy.getKey();
      Query.run(
          control,
          "CREATE TEMPORARY TABLE %s AS SELECT %s FROM %s"
              .formatted(copy.getValue(), table.given(), table.source()));
    }
  }

  @Override
  public void drop(Collection<String> copies) throws SQLException {
    Query.run(control, "DROP TEMPORARY TABLE IF EXISTS " + String.join(", ", copies));
  }

  @Override
  public boolean ignoresReferences() {
    return true;
  }

  @Override
  public String ownSchemas() {
    return "SELECT DATABASE()";
  }

  @Override
  public boolean takesManyQueries() {
    return false;
  }

  /**
   * Triggers cannot be kept from running. So the tables that have some come first: what the
   * triggers write to the others is then put right with these.
   */
  @Override
  public Script restore(List<Restored> tables, Catalogue catalogue) {
    List<String> script = new ArrayList<>();
    script.add("SET SESSION foreign_key_checks = 0");
    script.add("START TRANSACTION");
    for (boolean triggered : new boolean[] {true, false}) {
      for (Restored restored : tables) {
        if (catalogue.triggers().containsKey(restored.table()) == triggered) {
          script.add(restored.table().delete());
          if (!restored.copy().isEmpty()) {
            script.add(restored.table().insertFrom(restored.copy()));
          }
        }
      }
    }
    script.add("COMMIT");
    script.add("SET SESSION foreign_key_checks = 1");
    String[] statements =
        isMariaDb()
            ? new String[] {"BEGIN NOT ATOMIC " + String.join("; ", script) + "; END"}
            : script.toArray(String[]::new);
    return () -> run(statements);
  }

  private void run(String[] statements) throws SQLException {
    try {
      Query.run(control, statements);
      purge.await();
    } catch (SQLException e) {
      Query.allowed(control, "ROLLBACK", "SET SESSION foreign_key_checks = 1");
      throw e;
    }
  }

  @Override
  public void close() throws SQLException {
    Query.run(control, SETTINGS_BACK.formatted(sqlMode));
  }
}
