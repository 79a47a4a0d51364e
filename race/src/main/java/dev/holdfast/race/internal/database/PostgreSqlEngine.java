package dev.holdfast.race.internal.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** PostgreSQL 14 or newer. */
final class PostgreSqlEngine implements Engine {

  /** So that what an outsider holds is an error, and not a test that hangs. */
  private static final String LOCK_TIMEOUT = "SET lock_timeout = '10s'";

  private final Connection control;
  private final String version;
  private final PostgreSqlSessions sessions;
  private final boolean canSuspendTriggers;
  private boolean keepsPlaces;

  PostgreSqlEngine(Connection control) throws SQLException {
    this.control = control;
    Query.run(control, LOCK_TIMEOUT);
    version = Query.text(control, "SHOW server_version").replaceFirst("\\s.*", "");
    sessions = new PostgreSqlSessions(control);
    canSuspendTriggers =
        Query.allowed(
            control, "SET session_replication_role = replica", "RESET session_replication_role");
  }

  @Override
  public String product() {
    return "PostgreSQL";
  }

  @Override
  public String title() {
    return "PostgreSQL " + version;
  }

  @Override
  public Sessions sessions() {
    return sessions;
  }

  @Override
  public Catalogue catalogue() throws SQLException {
    return PostgreSqlCatalogue.read(control);
  }

  @Override
  public List<Counter> counters() throws SQLException {
    return PostgreSqlCatalogue.counters(control);
  }

  @Override
  public void copy(Map<Table, String> copies) throws SQLException {
    List<String> script = new ArrayList<>();
    copies.forEach(
        (table, copy) ->
            script.add(
                "CREATE TEMPORARY TABLE %s AS SELECT %s FROM %s"
                    .formatted(copy, table.given(), table.source())));
    Query.run(control, String.join("; ", script));
  }

  @Override
  public void drop(Collection<String> copies) throws SQLException {
    Query.run(control, "DROP TABLE IF EXISTS pg_temp." + String.join(", pg_temp.", copies));
  }

  @Override
  public boolean ignoresReferences() {
    return canSuspendTriggers && !keepsPlaces;
  }

  /** TRUNCATE takes ten times as long as DELETE, but leaves no gaps that would be filled. */
  @Override
  public boolean keepPlaces() {
    boolean changed = canSuspendTriggers && !keepsPlaces;
    keepsPlaces = canSuspendTriggers;
    return changed;
  }

  @Override
  public String ownSchemas() {
    return "SELECT unnest(current_schemas(true))";
  }

  @Override
  public boolean takesManyQueries() {
    return true;
  }

  @Override
  public Script restore(List<Restored> tables, Catalogue catalogue) throws SQLException {
    List<String> statements =
        canSuspendTriggers ? withoutTriggers(tables) : atOnce(tables, catalogue);
    PreparedStatement statement = control.prepareStatement(String.join("; ", statements));
    return new Script() {
      @Override
      public void run() throws SQLException {
        try {
          statement.execute();
        } catch (SQLException e) {
          Query.allowed(control, "ROLLBACK");
          throw e;
        }
      }

      @Override
      public void close() throws SQLException {
        statement.close();
      }
    };
  }

  /** No foreign key is checked, none cascades, and no trigger runs. */
  private List<String> withoutTriggers(List<Restored> tables) {
    List<String> script = new ArrayList<>();
    script.add("BEGIN");
    script.add("SET LOCAL session_replication_role = replica");
    if (keepsPlaces) {
      script.add(
          tables.stream()
              .map(restored -> restored.table().source())
              .collect(Collectors.joining(", ", "TRUNCATE ", "")));
    }
    for (Restored restored : tables) {
      if (!keepsPlaces) {
        script.add(restored.table().delete());
      }
      if (!restored.copy().isEmpty()) {
        script.add(restored.table().insertFrom(restored.copy()));
      }
    }
    script.add("COMMIT");
    return script;
  }

  /** Foreign keys are checked at the end of a statement, so one statement is free of any order. */
  private static List<String> atOnce(List<Restored> tables, Catalogue catalogue) {
    List<String> deletes = new ArrayList<>();
    List<String> inserts = new ArrayList<>();
    List<String> script = new ArrayList<>();
    script.add("BEGIN");
    List<String> triggers = new ArrayList<>();
    for (Restored restored : tables) {
      Table table = restored.table();
      String step = "t" + deletes.size();
      deletes.add(step + " AS (" + table.delete() + ")");
      if (!restored.copy().isEmpty()) {
        inserts.add(step + " AS (" + table.insertFrom(restored.copy()) + ")");
      }
      catalogue.triggers().getOrDefault(table, List.of()).stream()
          .filter(trigger -> !trigger.isEmpty())
          .forEach(trigger -> triggers.add(table.quoted() + " %s TRIGGER " + trigger));
    }
    triggers.forEach(t -> script.add("ALTER TABLE " + t.formatted("DISABLE")));
    script.add("WITH " + String.join(", ", deletes) + " SELECT 1");
    if (!inserts.isEmpty()) {
      script.add("WITH " + String.join(", ", inserts) + " SELECT 1");
    }
    triggers.forEach(t -> script.add("ALTER TABLE " + t.formatted("ENABLE")));
    script.add("COMMIT");
    return script;
  }

  @Override
  public void close() throws SQLException {
    sessions.close();
    Query.run(control, "RESET lock_timeout");
  }
}
