package dev.holdfast.race.internal.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** H2 2.2 or newer. */
final class H2Engine implements Engine {

  /** So that what an outsider holds is an error, and not a test that hangs. */
  private static final int LOCK_TIMEOUT = 10_000;

  private final Connection control;
  private final String title;
  private final int timeout;
  private final Sessions sessions;

  H2Engine(Connection control) throws SQLException {
    this.control = control;
    title = "H2 " + control.getMetaData().getDatabaseProductVersion().replaceFirst("\\s.*", "");
    timeout = Integer.parseInt(Query.text(control, "SELECT LOCK_TIMEOUT()"));
    Query.run(control, "SET LOCK_TIMEOUT " + LOCK_TIMEOUT);
    sessions = new H2Sessions(control);
  }

  @Override
  public String product() {
    return "H2";
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
    return H2Catalogue.read(control);
  }

  @Override
  public List<Counter> counters() throws SQLException {
    return H2Catalogue.counters(control);
  }

  @Override
  public void copy(Map<Table, String> copies) throws SQLException {
    for (Map.Entry<Table, String> copy : copies.entrySet()) {
      Table table = copy.getKey();
      Query.run(
          control,
          "CREATE LOCAL TEMPORARY TABLE %s AS SELECT %s FROM %s"
              .formatted(copy.getValue(), table.given(), table.source()));
    }
  }

  @Override
  public void drop(Collection<String> copies) throws SQLException {
    Query.run(control, "DROP TABLE IF EXISTS " + String.join(", ", copies));
  }

  @Override
  public boolean ignoresReferences() {
    return false;
  }

  @Override
  public String ownSchemas() {
    return "SELECT CURRENT_SCHEMA";
  }

  @Override
  public boolean takesManyQueries() {
    return false;
  }

  /** Foreign keys stay enabled if possible: disabling them affects all sessions. */
  @Override
  public Script restore(List<Restored> tables, Catalogue catalogue) {
    Map<Table, String> copies = new HashMap<>();
    tables.forEach(restored -> copies.put(restored.table(), restored.copy()));
    TableOrder order = TableOrder.of(copies.keySet(), catalogue.references());
    List<String> deletes = new ArrayList<>();
    List<String> inserts = new ArrayList<>();
    for (Table table : order.tables()) {
      String copy = copies.getOrDefault(table, "");
      deletes.add(0, table.delete());
      if (!copy.isEmpty()) {
        inserts.add(table.insertFrom(copy));
      }
    }
    deletes.addAll(inserts);
    String[] script = deletes.toArray(String[]::new);
    return order.cyclic() ? () -> runUnchecked(script) : () -> run(script);
  }

  private void runUnchecked(String[] script) throws SQLException {
    Query.run(control, "SET REFERENTIAL_INTEGRITY FALSE");
    try {
      run(script);
    } finally {
      Query.run(control, "SET REFERENTIAL_INTEGRITY TRUE");
    }
  }

  private void run(String[] script) throws SQLException {
    ControlTransaction.run(control, () -> Query.run(control, script));
  }

  @Override
  public void close() throws SQLException {
    Query.run(control, "SET LOCK_TIMEOUT " + timeout);
  }
}
